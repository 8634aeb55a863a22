"""Dense products, and one with Cora's sparse features."""

import numpy as np
import torch

from .measure import OURS, Candidate, aligned, attempt
from .onnx_graphs import matmul_session

SHAPES = [(512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048),
          (19717, 128, 128), (2708, 16, 1433), (169343, 128, 128),
          (22470, 64, 128), (128, 384, 384),
          # Last layers of models of 41 and 7 classes.
          (22470, 41, 602), (22470, 41, 300), (22470, 7, 16)]
QUICK = [(512, 512, 512), (2708, 16, 1433), (22470, 64, 128)]


def product(measurement, x, w):
    """Candidates for x times w."""
    library = measurement.library
    tensor, weight = torch.from_numpy(x), torch.from_numpy(w)
    transposed = weight.t().contiguous()
    kernel = library.kernel("gemm", N=w.shape[1], K=w.shape[0])

    def onnx():
        session = matmul_session(w, measurement.threads)
        return Candidate(lambda: session.run(None, {"x": x}))

    return {
        OURS: Candidate(*kernel.bind([], [x, w])),
        "torch.mm": Candidate(lambda: torch.mm(tensor, weight)),
        "F.linear": Candidate(
            lambda: torch.nn.functional.linear(tensor, transposed)),
        # What PyTorch's compiler calls; `linear` is MKL's product.
        "oneDNN": attempt(lambda: Candidate(
            lambda: torch.ops.mkldnn._linear_pointwise(
                tensor, transposed, None, "none", [], ""))),
        "ONNX Runtime": attempt(onnx),
    }


def linear(measurement, name, w, graph="csr", **options):
    """A model of one linear layer, whose weights are known when it is compiled."""
    channels = {"in_channels": w.shape[0], "out_channels": w.shape[1]}
    return measurement.library.model(
        {"name": name, "graph": graph,
         "inputs": [{"name": "x", "channels": w.shape[0], **options}],
         "layers": [{"name": "y", "type": "Linear", "bias": False, **channels}]},
        {"y.weight": torch.from_numpy(w).t()})


@torch.inference_mode()
def rows(measurement, quick):
    library = measurement.library
    generator = np.random.default_rng(0)
    for m, n, k in QUICK if quick else SHAPES:
        x = aligned(generator.standard_normal((m, k), np.float32))
        w = aligned(generator.standard_normal((k, n), np.float32))
        flops = 2 * m * n * k

        def candidates():
            result = product(measurement, x, w)
            # What ONNX Runtime knows as well.
            model = linear(measurement, f"linear-{n}-{k}", w, graph="complete")
            result[f"{OURS}, weights known"] = Candidate(
                *model.bind([library.complete(m)], [x]))
            return result

        yield measurement.row("gemm", f"{m}x{n}x{k}", candidates,
                              lambda t: flops / library.fma_rate(t))


@torch.inference_mode()
def sparse_rows(measurement, quick):
    """Features of which few are not 0: what a first layer reads. Ours is the
    layer of a model whose description says `sparse: true`; the candidates of
    `product` multiply zeros as well."""
    library = measurement.library
    for name in ["cora"] if quick else ["cora", "citeseer"]:
        path = library.data / f"{name}.npz"
        if not path.exists():
            continue
        with np.load(path) as file:
            x = aligned(file["x"].astype(np.float32))
        w = aligned(np.random.default_rng(0).standard_normal((x.shape[1], 16),
                                                             np.float32))

        def candidates():
            result = product(measurement, x, w)
            result[f"{OURS}, dense"] = result[OURS]
            layer = linear(measurement, f"{name}-linear", w, sparse=True)
            matrix, values = library.matrix(x)
            result[OURS] = Candidate(
                *layer.bind([library.graph(name), matrix], [values]))
            sparse = torch.from_numpy(x).to_sparse_csr()
            weight = torch.from_numpy(w)
            result["torch.sparse.mm"] = Candidate(
                lambda: torch.sparse.mm(sparse, weight))
            return result

        density = np.count_nonzero(x) / x.size
        yield measurement.row(
            "gemm", f"{name} features x 16 ({density:.1%} dense)", candidates)

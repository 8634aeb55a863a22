"""Attention over all pairs of nodes."""

import numpy as np
import torch

from .measure import OURS, Candidate, aligned, attempt
from .onnx_graphs import attention_session, fused_attention_session

SIZES = [(8, 64), (12, 32), (8, 16)]
LENGTHS = [128, 512, 2048, 8192]


def candidates(measurement, nodes, heads, width):
    library, threads = measurement.library, measurement.threads
    generator = np.random.default_rng(0)
    q, k, v = (aligned(generator.standard_normal((nodes, heads, width), np.float32))
               for _ in range(3))
    scaled = aligned(q * np.float32(width**-0.5))
    model = library.kernel("dot-attention", H=heads, D=width,
                           TOPOLOGY="complete")
    graph = library.complete(nodes)

    def by_head(x):
        return aligned(x.transpose(1, 0, 2)[None])

    def by_node(y):  # from [1, heads, nodes, width]
        return np.asarray(y)[0].transpose(1, 0, 2)

    q1, k1, v1 = map(by_head, (q, k, v))
    tensors = [torch.from_numpy(x) for x in (q1, k1, v1)]
    keys = aligned(k1.swapaxes(2, 3))
    flat = {name: x.reshape(1, nodes, -1)
            for name, x in zip("qkv", (q, k, v))}

    def sdpa():
        return torch.nn.functional.scaled_dot_product_attention(*tensors)

    def three_ops():
        session = attention_session(heads, width, threads)
        feed = {"q": q1, "k": keys, "v": v1}
        return Candidate(lambda: session.run(None, feed),
                         lambda: by_node(session.run(None, feed)[0]))

    def one_op():
        session = fused_attention_session(heads, width, threads)
        return Candidate(lambda: session.run(None, flat))

    return {
        OURS: Candidate(*model.bind([graph], [scaled, k, v])),
        "PyTorch SDPA": Candidate(sdpa, lambda: by_node(sdpa())),
        "ONNX Runtime, 3 ops": attempt(three_ops),
        "ONNX Runtime, MHA": attempt(one_op),
    }


@torch.inference_mode()
def rows(measurement, quick):
    library = measurement.library
    for heads, width in SIZES:
        for nodes in [512] if quick else LENGTHS:
            scores = heads * nodes * nodes

            def bound(threads):
                return (4 * scores * width / library.fma_rate(threads) +
                        scores / library.exp_rate(threads))

            yield measurement.row(
                "dense", f"S = {nodes}, {heads} x {width}",
                lambda: candidates(measurement, nodes, heads, width), bound)

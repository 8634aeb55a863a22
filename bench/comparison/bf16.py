"""Factors of products in bfloat16, sums in float32."""

import numpy as np
import torch

from . import encoder
from .measure import OURS, Candidate, aligned, attempt

SHAPES = [(512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048),
          (19717, 128, 128), (128, 384, 384)]
LENGTHS = [512, 1024, 2048]
# PyTorch's results are bfloat16 as well, ours float32.
TOLERANCE = 3e-2


def product(measurement, x, w):
    library = measurement.library
    shape = {"N": w.shape[1], "K": w.shape[0]}
    tensor, weight = torch.from_numpy(x), torch.from_numpy(w)
    x16, w16 = tensor.bfloat16(), weight.bfloat16()

    def mixed():
        with torch.autocast("cpu", torch.bfloat16):
            return torch.mm(tensor, weight)

    def of(run):
        return attempt(lambda: Candidate(run, lambda: run().float()))

    return {
        OURS: Candidate(*library.kernel("gemm", "bf16", **shape).bind(
            [], [x, w])),
        f"{OURS}, float32": Candidate(*library.kernel("gemm", **shape).bind(
            [], [x, w])),
        # Nothing is rounded in the time of this one.
        "torch.mm of bfloat16": of(lambda: torch.mm(x16, w16)),
        "torch.mm, autocast": of(mixed),
    }


def attention(measurement, nodes, heads, width):
    library = measurement.library
    generator = np.random.default_rng(0)
    q, k, v = (aligned(generator.standard_normal((nodes, heads, width), np.float32))
               for _ in range(3))
    scaled = aligned(q * np.float32(width**-0.5))
    graph = library.complete(nodes)
    tensors = [torch.from_numpy(np.ascontiguousarray(
        x.transpose(1, 0, 2)[None])).bfloat16() for x in (q, k, v)]

    def sdpa():
        return torch.nn.functional.scaled_dot_product_attention(*tensors)

    def ours(precision):
        model = library.kernel("dot-attention", precision, H=heads, D=width,
                               TOPOLOGY="complete")
        return Candidate(*model.bind([graph], [scaled, k, v]))

    return {
        OURS: ours("bf16"),
        f"{OURS}, float32": ours("f32"),
        "PyTorch SDPA of bfloat16": Candidate(
            sdpa, lambda: sdpa()[0].float().numpy().transpose(1, 0, 2)),
    }


def sentences(measurement, lengths):
    batch = encoder.Sentences(measurement, lengths)
    plain = encoder.Plain(batch.encoder)

    def autocast():
        with torch.autocast("cpu", torch.bfloat16):
            return plain(batch.tensor, batch.bias)

    def openvino():
        request = encoder.openvino_request(
            batch.encoder, batch.tensor, batch.bias, measurement.threads, "bf16")
        return batch.of(request)

    return {
        OURS: batch.ours("bf16"),
        f"{OURS}, float32": batch.ours(),
        "OpenVINO of bfloat16": attempt(openvino),
        "PyTorch, autocast": Candidate(
            autocast, lambda: autocast().float()[batch.there]),
        "PyTorch float32": batch.of(lambda: plain(batch.tensor, batch.bias)),
    }


@torch.inference_mode()
def rows(measurement, quick):
    library = measurement.library
    generator = np.random.default_rng(0)
    for m, n, k in SHAPES[1:2] if quick else SHAPES:
        x = aligned(generator.standard_normal((m, k), np.float32))
        w = aligned(generator.standard_normal((k, n), np.float32))
        yield measurement.row(
            "bf16", f"product {m}x{n}x{k}", lambda: product(measurement, x, w),
            lambda t: 2 * m * n * k / library.bf16_rate(t), TOLERANCE)
    for heads, width in [(8, 64)] if quick else [(8, 64), (12, 32)]:
        for nodes in LENGTHS[:1] if quick else LENGTHS:
            scores = heads * nodes * nodes
            yield measurement.row(
                "bf16", f"attention, S = {nodes}, {heads} x {width}",
                lambda: attention(measurement, nodes, heads, width),
                lambda t: (4 * scores * width / library.bf16_rate(t) +
                           scores / library.exp_rate(t)), TOLERANCE)
    for count in [128] if quick else [8, 16, 32, 128]:
        yield measurement.row("bf16", f"encoder, 1 x {count}",
                              lambda count=count: sentences(measurement, [count]),
                              tolerance=TOLERANCE)
    if not quick:
        mixed = encoder.mixed_lengths()
        yield measurement.row(
            "bf16", f"encoder, 32 of 8 to 128 ({sum(mixed)} tokens)",
            lambda: sentences(measurement, mixed), tolerance=TOLERANCE)

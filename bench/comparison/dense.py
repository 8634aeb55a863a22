"""Attention over all pairs of nodes, and over those that a mask leaves."""

import numpy as np
import torch

from .measure import OURS, Candidate, absent, aligned, attempt
from .onnx_graphs import attention_session, fused_attention_session

SIZES = [(8, 64), (12, 32), (8, 16)]
LENGTHS = [128, 512, 2048, 8192]
# Nodes, heads and width, and what each node sees: those up to itself, or those as
# near as that.
MASKED = [(nodes, heads, width, mask) for heads, width in SIZES[:2]
          for nodes in LENGTHS[1:] for mask in ("causal", 64, 256)]


def make_inputs(nodes, heads, width):
    generator = np.random.default_rng(0)
    return tuple(aligned(generator.standard_normal((nodes, heads, width), np.float32))
                 for _ in range(3))


def by_head(x):
    return aligned(x.transpose(1, 0, 2)[None])


def by_node(y):  # from [1, heads, nodes, width]
    return np.asarray(y)[0].transpose(1, 0, 2)


def flat(q, k, v):
    """As ONNX Runtime's op takes them."""
    return {name: x.reshape(1, len(x), -1) for name, x in zip("qkv", (q, k, v))}


def candidates(measurement, nodes, heads, width):
    library, threads = measurement.library, measurement.threads
    q, k, v = make_inputs(nodes, heads, width)
    scaled = aligned(q * np.float32(width**-0.5))
    model = library.kernel("dot-attention", H=heads, D=width,
                           TOPOLOGY="complete")
    graph = library.complete(nodes)

    q1, k1, v1 = map(by_head, (q, k, v))
    tensors = [torch.from_numpy(x) for x in (q1, k1, v1)]
    keys = aligned(k1.swapaxes(2, 3))

    def sdpa():
        return torch.nn.functional.scaled_dot_product_attention(*tensors)

    def three_ops():
        session = attention_session(heads, width, threads)
        feed = {"q": q1, "k": keys, "v": v1}
        return Candidate(lambda: session.run(None, feed),
                         lambda: by_node(session.run(None, feed)[0]))

    def one_op():
        session = fused_attention_session(heads, width, threads)
        feed = flat(q, k, v)
        return Candidate(lambda: session.run(None, feed))

    return {
        OURS: Candidate(*model.bind([graph], [scaled, k, v])),
        "PyTorch SDPA": Candidate(sdpa, lambda: by_node(sdpa())),
        "ONNX Runtime, 3 ops": attempt(three_ops),
        "ONNX Runtime, MHA": attempt(one_op),
    }


def flex(tensors, nodes, sees):
    """PyTorch's attention for masks, which skips blocks without a pair."""
    from torch.nn.attention.flex_attention import (create_block_mask,
                                                   flex_attention)
    torch._dynamo.reset()
    run = torch.compile(flex_attention)
    blocks = create_block_mask(lambda b, h, i, j: sees(i, j), None, None, nodes,
                               nodes, device="cpu")

    def compute():
        return run(*tensors, block_mask=blocks)

    compute()
    return Candidate(compute, lambda: by_node(compute()))


def masked(measurement, nodes, heads, width, mask):
    """The masks of peers are made before; where they take none, as for causal
    attention, they are not given one."""
    library, threads = measurement.library, measurement.threads
    q, k, v = make_inputs(nodes, heads, width)
    scaled = aligned(q * np.float32(width**-0.5))
    causal = mask == "causal"
    model = library.kernel("dot-attention", H=heads, D=width,
                           TOPOLOGY="causal" if causal else f"window<{mask}>")
    graph = (library.regular(nodes, "causal") if causal
             else library.regular(nodes, "window", mask))
    tensors = [torch.from_numpy(by_head(x)) for x in (q, k, v)]

    def sees(i, j):
        return i >= j if causal else abs(i - j) <= mask

    node = torch.arange(nodes)
    pairs = sees(node[:, None], node[None])

    def sdpa():
        attention = torch.nn.functional.scaled_dot_product_attention
        if causal:
            return attention(*tensors, is_causal=True)
        return attention(*tensors, attn_mask=pairs)

    def one_op():
        session = fused_attention_session(heads, width, threads, causal,
                                          biased=not causal)
        feed = flat(q, k, v)
        if not causal:
            bias = np.where(pairs, 0, -1e30).astype(np.float32)
            feed["bias"] = aligned(bias[None, None])
        return Candidate(lambda: session.run(None, feed))

    return {
        OURS: Candidate(*model.bind([graph], [scaled, k, v])),
        "PyTorch SDPA": Candidate(sdpa, lambda: by_node(sdpa())),
        # On several threads PyTorch 2.10 writes past its memory, by itself as well.
        "PyTorch FlexAttention":
            attempt(lambda: flex(tensors, nodes, sees)) if threads == 1
            else absent("its code for several threads ends the process"),
        "ONNX Runtime, MHA": attempt(one_op),
    }


def count_pairs(nodes, mask):
    """How many pairs the mask leaves, of which there are nodes * nodes."""
    if mask == "causal":
        return nodes * (nodes + 1) // 2
    reach = min(mask, nodes - 1)
    return nodes * (2 * reach + 1) - reach * (reach + 1)


def bound(library, scores, width):
    """Seconds, as a function of the threads, of so many pairs and heads."""
    return lambda threads: (4 * scores * width / library.fma_rate(threads) +
                            scores / library.exp_rate(threads))


@torch.inference_mode()
def rows(measurement, quick):
    for heads, width in SIZES:
        for nodes in [512] if quick else LENGTHS:
            yield measurement.row(
                "dense", f"S = {nodes}, {heads} x {width}",
                lambda: candidates(measurement, nodes, heads, width),
                bound(measurement.library, heads * nodes * nodes, width))


@torch.inference_mode()
def masked_rows(measurement, quick):
    for nodes, heads, width, mask in (
            [(512, 8, 64, "causal"), (512, 8, 64, 64)] if quick else MASKED):
        name = mask if mask == "causal" else f"window of {mask}"
        yield measurement.row(
            "dense", f"S = {nodes}, {heads} x {width}, {name}",
            lambda: masked(measurement, nodes, heads, width, mask),
            bound(measurement.library, heads * count_pairs(nodes, mask), width))

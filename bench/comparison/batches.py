"""Attention within the graphs of a batch, each of which sees all of itself."""

import numpy as np
import torch

from .dense import bound
from .measure import OURS, Candidate, aligned, attempt
from .onnx_graphs import batched_attention_session

SIZES = [(8, 8), (4, 16), (12, 32), (8, 64)]
# Of a graph, on average; graphs have half to one and a half times as many.
MEAN_NODES = [12, 24, 48, 96]
NUM_NODES = 25600


def draw_sizes(mean):
    generator = np.random.default_rng(0)
    sizes = []
    while sum(sizes) < NUM_NODES:
        sizes.append(int(generator.integers(mean // 2, mean // 2 + mean + 1)))
    return np.array(sizes)


class Batch:
    """Rows of nodes, one graph behind the other, and the same padded to as many
    nodes as the largest graph has."""

    def __init__(self, sizes):
        self.sizes = torch.from_numpy(sizes)
        self.most = int(sizes.max())
        # Of each node, its place among those of padded graphs.
        first = torch.repeat_interleave(
            torch.arange(len(sizes)) * self.most - self.sizes.cumsum(0) + self.sizes,
            self.sizes)
        self.places = first + torch.arange(int(sizes.sum()))
        self.is_node = torch.arange(self.most) < self.sizes[:, None]

    def pad(self, rows):  # [N, ...] to [graphs, most, ...]
        padded = rows.new_zeros(len(self.sizes) * self.most, *rows.shape[1:])
        padded[self.places] = rows
        return padded.view(len(self.sizes), self.most, *rows.shape[1:])

    def unpad(self, padded):
        return padded.flatten(0, 1)[self.places]


def candidates(measurement, sizes, heads, width):
    library, threads = measurement.library, measurement.threads
    generator = np.random.default_rng(0)
    q, k, v = (aligned(generator.standard_normal((sizes.sum(), heads, width),
                                                 np.float32)) for _ in range(3))
    model = library.kernel("dot-attention", H=heads, D=width,
                           TOPOLOGY="block_diagonal")
    graph = library.blocks(sizes)
    scaled = aligned(q * np.float32(width**-0.5))
    batch = Batch(sizes)
    tensors = [torch.from_numpy(x) for x in (q, k, v)]
    mask = batch.is_node[:, None, None]
    attention = torch.nn.functional.scaled_dot_product_attention

    def padded():
        y = attention(*(batch.pad(x).transpose(1, 2) for x in tensors),
                      attn_mask=mask)
        return batch.unpad(y.transpose(1, 2))

    # What a model has that keeps its rows padded.
    dense = [batch.pad(x).transpose(1, 2).contiguous() for x in tensors]

    def kept():
        return attention(*dense, attn_mask=mask)

    def nested():
        parts = [torch.nested.nested_tensor(list(x.split(sizes.tolist())),
                                            layout=torch.jagged) for x in tensors]

        def compute():
            return attention(*(x.transpose(1, 2) for x in parts))

        return Candidate(compute, lambda: compute().transpose(1, 2).values())

    def one_op():
        session = batched_attention_session(heads, width, threads)
        feed = {name: aligned(batch.pad(x).flatten(2).numpy())
                for name, x in zip("qkv", tensors)}
        feed["lengths"] = sizes.astype(np.int32)

        def compute():
            return session.run(None, feed)[0]

        return Candidate(compute, lambda: batch.unpad(torch.from_numpy(
            compute()).unflatten(2, (heads, width))))

    return {
        OURS: Candidate(*model.bind([graph], [scaled, k, v])),
        "PyTorch SDPA": Candidate(padded),
        "PyTorch SDPA, rows padded before": Candidate(
            kept, lambda: batch.unpad(kept().transpose(1, 2))),
        "PyTorch SDPA, nested": attempt(nested),
        "ONNX Runtime, rows padded before": attempt(one_op),
    }


@torch.inference_mode()
def rows(measurement, quick):
    for heads, width in SIZES:
        for mean in [24] if quick else MEAN_NODES:
            sizes = draw_sizes(mean)
            scores = heads * float((sizes.astype(np.float64)**2).sum())
            yield measurement.row(
                "batches", f"{mean} nodes, {heads} x {width}",
                lambda: candidates(measurement, sizes, heads, width),
                bound(measurement.library, scores, width))

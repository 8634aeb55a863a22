"""Rows of bench/gpu/rows.txt beside what other libraries do on the GPU."""

import functools

import numpy as np

from .device import Ceilings
from .measure import OURS, TOLERANCE, Candidate, absent, attempt

# Factors in bfloat16.
LOW_TOLERANCE = 3e-2


def inputs(row, graph):
    """What the kernel takes, in the order of its arguments."""
    generator = np.random.default_rng(0)
    shape = {key: int(value) for key, value in row.shapes.items()
             if value.isdigit()}
    nodes = graph.num_nodes if graph else row.rows

    def make(*sizes):
        return generator.standard_normal(sizes, np.float32)

    if row.kernel == "gemm":
        return [make(nodes, shape["K"]), make(shape["K"], shape["N"])]
    if row.kernel == "aggregate":
        return [make(nodes, shape["D"])]
    if row.kernel == "softmax":
        return [make(nodes, shape["D"])]
    if row.kernel == "layer-norm":
        return [make(nodes, shape["D"]), make(shape["D"]), make(shape["D"])]
    heads, width = shape["H"], shape["D"]
    if row.kernel == "gat-attention":
        return [make(nodes, heads), make(nodes, heads),
                make(nodes, heads, width)]
    if row.kernel == "gat-layer":
        return [make(nodes, shape["K"]),
                make(shape["K"], heads * width) / shape["K"]**0.5,
                *(make(heads, width) for _ in range(3))]
    q, k, v = (make(nodes, heads, width) for _ in range(3))
    return [q * np.float32(width**-0.5), k, v]


# ----------------------------------------------------------------------- peers


class Peers:
    """Candidates of PyTorch and what builds on it, on its tensors."""

    def __init__(self, device, row, graph, tensors):
        import torch
        self.torch, self.device, self.row = torch, device, row
        self.graph, self.tensors = graph, tensors

    def timed(self, run, result=None):
        return Candidate(run, result or run,
                         seconds=functools.partial(self.device.seconds, run))

    def replayed(self, run):
        """The same in a CUDA graph."""
        torch = self.torch
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(3):
                run()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            output = run()

        def result():
            graph.replay()
            return output

        return self.timed(graph.replay, result)

    @functools.cached_property
    def edges(self):
        return self.torch.from_numpy(self.graph.edge_index).cuda()

    def gemm(self):
        torch = self.torch
        dtype = torch.bfloat16 if self.row.precision == "bf16" else torch.float32
        x, w = (tensor.to(dtype) for tensor in self.tensors)
        return {"cuBLAS (torch.mm)": lambda: self.timed(
            lambda: torch.mm(x, w), lambda: torch.mm(x, w).float())}

    def pairs(self):
        """All pairs: q, k and v as [1, heads, nodes, width]."""
        torch = self.torch
        dtype = torch.bfloat16 if self.row.precision == "bf16" else torch.float32
        q, k, v = (tensor.transpose(0, 1).unsqueeze(0).contiguous().to(dtype)
                   for tensor in self.tensors)

        def nodes_first(run):
            return self.timed(
                run, lambda: run()[0].transpose(0, 1).float())

        def flash():
            from flash_attn import flash_attn_func
            parts = [tensor.transpose(1, 2).contiguous() for tensor in (q, k, v)]
            return self.timed(
                lambda: flash_attn_func(*parts, softmax_scale=1.0),
                lambda: flash_attn_func(*parts, softmax_scale=1.0)[0].float())

        def triton():
            from flash_attn.flash_attn_triton import flash_attn_func
            parts = [tensor.transpose(1, 2).contiguous() for tensor in (q, k, v)]
            return self.timed(
                lambda: flash_attn_func(*parts, None, False, 1.0),
                lambda: flash_attn_func(*parts, None, False, 1.0)[0].float())

        def flex():
            from torch.nn.attention.flex_attention import flex_attention
            compiled = torch.compile(flex_attention, dynamic=False)
            return nodes_first(lambda: compiled(q, k, v, scale=1.0))

        sdpa = torch.nn.functional.scaled_dot_product_attention
        return {"PyTorch SDPA": lambda: nodes_first(
                    lambda: sdpa(q, k, v, scale=1.0)),
                "FlashAttention": flash, "Triton FlashAttention": triton,
                "FlexAttention": flex}

    def listed(self):
        """Listed edges."""
        from .attention import eager
        kind = {"gat-attention": "GAT",
                "dot-attention": "TransformerConv"}[self.row.kernel]
        return {"PyG eager": lambda: self.timed(
            lambda: eager(kind, self.tensors, self.edges,
                          self.graph.num_nodes))}

    def aggregate(self):
        from .peers import csr_matrix
        from .spmm import scatter
        torch, (x,) = self.torch, self.tensors

        def sparse():
            matrix = csr_matrix(self.graph).cuda()
            return self.timed(lambda: torch.sparse.mm(matrix, x))

        return {"cuSPARSE (torch.sparse)": sparse,
                "PyG scatter": lambda: self.timed(
                    lambda: scatter(x, self.edges, "sum",
                                    self.graph.num_nodes))}

    def layer(self):
        from .attention import eager
        x, w, dst, src, bias = self.tensors

        def run():
            values = (x @ w).view(-1, *dst.shape)
            halves = [(values * part).sum(-1) for part in (dst, src)]
            return eager("GAT", [*halves, values], self.edges,
                         self.graph.num_nodes) + bias

        return {"PyG eager": lambda: self.timed(run),
                "PyG eager, CUDA graph": lambda: self.replayed(run)}

    def normed(self):
        functional = self.torch.nn.functional
        x, weight, bias = self.tensors
        return {"PyTorch": lambda: self.timed(
            lambda: functional.layer_norm(x, weight.shape, weight, bias))}

    def softmax(self):
        (x,) = self.tensors
        return {"PyTorch": lambda: self.timed(lambda: x.softmax(-1))}

    def candidates(self):
        if self.row.kernel == "dot-attention" and self.row.graph == "complete":
            return self.pairs()
        return {"gemm": self.gemm, "aggregate": self.aggregate,
                "gat-layer": self.layer, "layer-norm": self.normed,
                "softmax": self.softmax}.get(self.row.kernel, self.listed)()


def candidates(library, row, graph):
    device = library.device
    tensors = [device.place(array) for array in inputs(row, graph)]
    device.empty()
    run, result = library.row(row).bind([graph] if graph else [], tensors)
    found = {OURS: Candidate(
        run, result, seconds=functools.partial(device.seconds, run))}
    if hasattr(device, "torch"):
        for name, make in Peers(device, row, graph, tensors).candidates().items():
            found[name] = attempt(make)
    return found


def rows(measurement, wanted):
    """Rows, or why there are none."""
    library = measurement.library
    ceilings = Ceilings(library.device)
    for row in wanted:
        if not measurement.only.search(row.name):
            continue
        try:
            graph = library.row_graph(row)
            nodes = row.rows or (graph.num_nodes if graph else 0)
            edges = nodes**2 if row.graph == "complete" else (
                graph.edge_index.shape[1] if graph else 0)
            work = row.work_of_row * nodes + row.work_of_edge * edges
            low = row.precision == "bf16"
            result = measurement.row(
                row.family, row.name, lambda: candidates(library, row, graph),
                ceilings.bound(row.ceiling, work),
                LOW_TOLERANCE if low else TOLERANCE)
            result.update(work=work, ceiling=row.ceiling)
        except (RuntimeError, MemoryError) as error:
            result = {"family": row.family, "name": row.name, "times": {},
                      "ratios": {}, "ceiling": row.ceiling,
                      "absent": {OURS: absent(error).absent}}
        library.device.empty()
        yield result

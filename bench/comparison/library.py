"""gnn-mlir, called in this process through its C interface."""

import ctypes
import json
import os
import pathlib
import subprocess

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KERNELS = ROOT / "bench" / "kernels"
DTYPES = {np.dtype(name): number for number, name in enumerate(
    ("float32", "float64", "int32", "int64", "bool"))}
NUMPY = {number: dtype for dtype, number in DTYPES.items()}
REGULAR = {"complete": 1, "causal": 2, "window": 3}  # of gnn_topology
MAX_RANK = 8
MOLECULES = 1000  # of that name in bench/Graphs.h, each of as many nodes


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char * 1024)]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_int),
                ("rank", ctypes.c_int32), ("shape", ctypes.c_int64 * MAX_RANK),
                ("release", ctypes.c_void_p), ("owner", ctypes.c_void_p),
                ("place", ctypes.c_int32), ("reserved", ctypes.c_int32)]

    @classmethod
    def borrow(cls, array):
        """The array must outlive the result."""
        assert array.flags.c_contiguous
        return cls(array.ctypes.data, DTYPES[array.dtype], array.ndim,
                   (ctypes.c_int64 * MAX_RANK)(*array.shape), None, None)

    def copy(self):
        shape = tuple(self.shape[:self.rank])
        dtype = NUMPY[self.dtype]
        size = int(np.prod(shape)) * dtype.itemsize
        if not size:
            return np.zeros(shape, dtype)
        # Not string_at, which takes no more than 2 GiB.
        data = (ctypes.c_char * size).from_address(self.data)
        return np.frombuffer(data, dtype).reshape(shape).copy()


class Graph:
    """A graph of the library."""

    def __init__(self, library, handle, num_nodes, edge_index=None):
        self.library, self.handle, self.num_nodes = library, handle, num_nodes
        self.edge_index = edge_index

    def __del__(self):
        self.library.c.gnn_graph_destroy(self.handle)


def graph_inputs(graphs):
    """Graphs as runs take them."""
    return (ctypes.c_void_p * max(1, len(graphs)))(
        *[graph.handle for graph in graphs])


class Model:
    """A compiled model or kernel, open."""

    def __init__(self, library, path):
        self.library, self.path = library, path
        self.session = ctypes.c_void_p()
        self.open()

    def open(self):
        self.library.call("gnn_session_open", str(self.path).encode(), None,
                          ctypes.byref(self.session))

    def __del__(self):
        if self.session:
            self.library.c.gnn_session_destroy(self.session)

    # Inputs and results are on the host.
    prepare = staticmethod(np.ascontiguousarray)
    borrow = staticmethod(Tensor.borrow)
    read = staticmethod(Tensor.copy)

    def bind(self, graphs, arrays, outputs=1):
        """A function that runs the model on these inputs and drops what it
        returns, and one that returns arrays. Nothing is prepared in either."""
        c, session = self.library.c, self.session
        arrays = list(map(self.prepare, arrays))
        tensors = (Tensor * max(1, len(arrays)))(*map(self.borrow, arrays))
        handles = graph_inputs(graphs)
        results = (Tensor * outputs)()
        error = Error()
        places = [ctypes.byref(results[i]) for i in range(outputs)]
        arguments = (session, handles, len(graphs), tensors, len(arrays),
                     results, outputs, ctypes.byref(error))
        run, release = c.gnn_session_run, c.gnn_tensor_release

        def time():
            if run(*arguments):
                raise RuntimeError(error.message.decode())
            for place in places:
                release(place)

        def compute():
            if run(*arguments):
                raise RuntimeError(error.message.decode())
            copies = list(map(self.read, results))
            for place in places:
                release(place)
            return copies

        # The functions keep alive what the arguments point to.
        time.inputs = compute.inputs = (self, graphs, arrays)
        return time, compute

    def timer(self, graphs, arrays, outputs=1):
        """A function of a number that runs the model so often, from C, and
        returns the seconds of each run."""
        time, _ = self.bind(graphs, arrays, outputs)
        handles = graph_inputs(graphs)
        tensors = (Tensor * max(1, len(arrays)))(*map(Tensor.borrow, arrays))

        def seconds(count):
            assert time.inputs  # which stay alive
            result = (ctypes.c_double * count)()
            self.library.call("gnn_bench_time", self.session, handles,
                              ctypes.c_size_t(len(graphs)), tensors,
                              ctypes.c_size_t(len(arrays)), result,
                              ctypes.c_size_t(count))
            return list(result)

        return seconds


class Library:
    """The runtime, calibrators and graphs of BUILD/lib/libgnn_bench.so."""

    FILE = "libgnn_bench.so"
    MISSING = ("configure with -DGNN_ENABLE_BENCHMARKS=ON and build gnn_bench")
    OPTIONS = ("--topology=sparse",)  # for kernels
    CALIBRATORS = ("fma", "bf16", "exp", "amx", "gather")

    def __init__(self, build, data, scratch):
        self.build, self.data = pathlib.Path(build), pathlib.Path(data)
        self.scratch = pathlib.Path(scratch)
        path = self.build / "lib" / self.FILE
        if not path.exists():
            raise SystemExit(f"bench: there is no {path}; {self.MISSING}")
        # PyTorch has an OpenMP runtime of its own, whose functions have the
        # same names; each must call its own.
        self.c = ctypes.CDLL(str(path), mode=os.RTLD_DEEPBIND)
        for name in self.CALIBRATORS:
            getattr(self.c, f"gnn_bench_{name}_rate").restype = ctypes.c_double
        for name in ("gnn_graph_destroy", "gnn_session_destroy",
                     "gnn_tensor_release"):
            getattr(self.c, name).restype = None
        self.c.gnn_graph_destroy.argtypes = [ctypes.c_void_p]
        self.c.gnn_session_destroy.argtypes = [ctypes.c_void_p]
        self.c.gnn_session_run.argtypes = [
            ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p,
            ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
        self.graphs = {}

    def call(self, function, *arguments):
        error = Error()
        if getattr(self.c, function)(*arguments, ctypes.byref(error)):
            raise RuntimeError(f"{function}: {error.message.decode()}")

    # --------------------------------------------------------------- compiling

    def compile(self, source, options=()):
        """Compiles a model folder or a file of gnn IR."""
        path = self.scratch / f"{pathlib.Path(source).stem}.so"
        subprocess.run([self.build / "bin" / "gnn-compile", source, "-o", path,
                        *options], check=True)
        return Model(self, path)

    def kernel(self, name, precision="f32", **shapes):
        """Compiles a template of bench/kernels."""
        text = (KERNELS / f"{name}.mlir").read_text()
        for key, value in shapes.items():
            text = text.replace(f"$({key})", str(value))
        label = "-".join([name, precision, *map(str, shapes.values())])
        path = self.scratch / f"{label}.mlir"
        path.write_text(text)
        return self.compile(path, [*self.OPTIONS, f"--precision={precision}"])

    def model(self, description, state, options=()):
        """Compiles a model as docs/model-format.md describes it."""
        import safetensors.torch
        folder = self.scratch / description["name"]
        folder.mkdir(exist_ok=True)
        (folder / "model.json").write_text(json.dumps(description))
        safetensors.torch.save_file(
            # Copies: it takes no tensor under two names.
            {name: tensor.clone().contiguous() for name, tensor in state.items()},
            folder / "model.safetensors")
        return self.compile(folder, options)

    # ------------------------------------------------------------------ graphs

    def graph(self, name):
        """A graph of bench/Graphs.h, its edges sorted by destination; None
        where the data are absent."""
        if name not in self.graphs:
            if name in ("cora", "citeseer", "facebook") and not (
                    self.data / f"{name}.npz").exists():
                return None
            num_nodes, edges = ctypes.c_int64(), Tensor()
            self.call("gnn_bench_graph", name.encode(),
                      str(self.data).encode(), ctypes.byref(num_nodes),
                      ctypes.byref(edges))
            edge_index = edges.copy()
            self.c.gnn_tensor_release(ctypes.byref(edges))
            order = np.argsort(edge_index[1], kind="stable")
            self.graphs[name] = self.from_edges(
                num_nodes.value, np.ascontiguousarray(edge_index[:, order]))
        return self.graphs[name]

    def graph_list(self, names):
        """Those of the graphs that there are, with their names."""
        for name in names:
            graph = self.graph(name)
            if graph is not None:
                yield name, graph

    def from_edges(self, num_nodes, edge_index, num_sources=None):
        """Edges into so many nodes, from these or from others."""
        if num_sources is None:
            num_sources = num_nodes
        handle = ctypes.c_void_p()
        tensor = Tensor.borrow(edge_index)
        self.call("gnn_graph_from_coo", ctypes.c_int64(num_sources),
                  ctypes.c_int64(num_nodes), ctypes.byref(tensor),
                  ctypes.byref(handle))
        return Graph(self, handle, num_nodes, edge_index)

    def matrix(self, x):
        """What a model takes for a sparse input: a graph and its values."""
        handle, tensor, values = ctypes.c_void_p(), Tensor.borrow(x), Tensor()
        self.call("gnn_graph_from_matrix", ctypes.byref(tensor),
                  ctypes.byref(handle), ctypes.byref(values))
        copy = values.copy()
        self.c.gnn_tensor_release(ctypes.byref(values))
        return Graph(self, handle, len(x)), copy

    def regular(self, num_nodes, topology="complete", window=0):
        """A graph that lists no edges."""
        handle = ctypes.c_void_p()
        self.call("gnn_graph_regular", REGULAR[topology],
                  ctypes.c_int64(num_nodes), ctypes.c_int64(num_nodes),
                  ctypes.c_int64(window), ctypes.byref(handle))
        return Graph(self, handle, num_nodes)

    def complete(self, num_nodes):
        return self.regular(num_nodes)

    def blocks(self, sources, destinations=None):
        """Segments of these numbers of nodes; the same ones twice where there
        are no `destinations`."""
        if destinations is None:
            destinations = sources
        handle = ctypes.c_void_p()
        pointers = [np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
                    for lengths in (sources, destinations)]
        tensors = list(map(Tensor.borrow, pointers))
        self.call("gnn_graph_block_diagonal", *map(ctypes.byref, tensors),
                  ctypes.byref(handle))
        return Graph(self, handle, int(pointers[1][-1]))

    def graph_sizes(self, name):
        """Nodes of each graph of a batch; None where all are one graph."""
        if name != "molecules":
            return None
        return np.full(MOLECULES, self.graph(name).num_nodes // MOLECULES)

    # ----------------------------------------------------------------- threads

    def set_threads(self, threads):
        self.call("gnn_set_num_threads", threads)

    # ------------------------------------------------------------- calibrators

    def fma_rate(self, threads):
        return self.c.gnn_bench_fma_rate(threads)

    def bf16_rate(self, threads):
        """Of the fastest instructions that multiply bfloat16 and add up
        float32 here."""
        return max(self.c.gnn_bench_bf16_rate(threads),
                   self.c.gnn_bench_amx_rate(threads), self.fma_rate(threads))

    def exp_rate(self, threads):
        return self.c.gnn_bench_exp_rate(threads)

    def gather_rate(self, features, indices, threads):
        width = int(np.prod(features.shape[1:]))
        return self.c.gnn_bench_gather_rate(
            ctypes.c_void_p(features.ctypes.data), ctypes.c_int64(width),
            ctypes.c_void_p(indices.ctypes.data),
            ctypes.c_int64(len(indices)), threads)

    def gather_bound(self, graph, features, rows_per_edge=1):
        """Seconds, as a function of the threads, to read that many rows of
        `features` for each edge at random places."""
        edges = graph.edge_index.shape[1]
        indices = np.random.default_rng(0).integers(
            0, graph.num_nodes, min(edges, 4000000), dtype=np.int32)
        total = edges * rows_per_edge * features[0].size * 4
        return lambda threads: total / self.gather_rate(features, indices,
                                                        threads)

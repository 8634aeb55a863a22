"""gnn-mlir on a GPU, or on an emulated one, and what bounds kernels there."""

import collections
import ctypes
import pathlib
import subprocess
import time

import numpy as np

from .library import Library, Model, Tensor

Row = collections.namedtuple("Row", "family name kernel precision shapes graph "
                             "rows replay ceiling work_of_row work_of_edge")


def read_rows(path):
    """The rows of a file like bench/gpu/rows.txt."""
    rows = []
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        fields = line.split()
        if len(fields) != len(Row._fields):
            raise SystemExit(f"bench-gpu: {path}:{number}: a row has "
                             f"{len(Row._fields)} fields: "
                             f"{', '.join(Row._fields)}")
        row = Row(*fields)
        rows.append(row._replace(
            shapes=dict(shape.split("=") for shape in row.shapes.split(",")),
            rows=int(row.rows), replay=row.replay == "1",
            work_of_row=float(row.work_of_row),
            work_of_edge=float(row.work_of_edge)))
    return rows


# -------------------------------------------------------------------- devices


class Cuda:
    """A GPU, by way of PyTorch, in whose current stream all is done."""

    options = ["--target=cuda"]

    def __init__(self, number):
        import torch
        self.torch, self.number = torch, number
        torch.cuda.set_device(number)
        # Not the default stream, which cannot be told from none.
        self.stream = torch.cuda.Stream()
        torch.cuda.set_stream(self.stream)
        torch.set_grad_enabled(False)
        self.name = torch.cuda.get_device_name()
        major, minor = torch.cuda.get_device_capability()
        self.capability = 10 * major + minor
        self.options = [*self.options, f"--chip=sm_{self.capability}"]

    def place(self, array):
        return self.torch.from_numpy(np.ascontiguousarray(array)).cuda()

    def empty(self):
        """Gives memory that PyTorch keeps to others."""
        self.torch.cuda.empty_cache()

    def session_options(self, replay):
        return dict(device=self.number, device_outputs=1, replay=int(replay),
                    stream=self.stream.cuda_stream)

    def seconds(self, run, count):
        """Of each of so many runs, between events."""
        torch = self.torch
        run()
        events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
        events[0].record()
        for _ in range(count):
            run()
        events[1].record()
        events[1].synchronize()
        return [events[0].elapsed_time(events[1]) / 1e3 / count]


class Emulated:
    """Kernels for GPUs, compiled for the CPU: slow, and for tests only."""

    name = "emulated"
    capability = 0
    options = ["--target=gpu-emu"]

    def place(self, array):
        return np.ascontiguousarray(array)

    def empty(self):
        pass

    def session_options(self, replay):
        return dict(device=-1, device_outputs=0, replay=0, stream=None)

    def seconds(self, run, count):
        start = time.perf_counter()
        for _ in range(count):
            run()
        return [(time.perf_counter() - start) / count]


# ------------------------------------------------------------------- gnn-mlir


class SessionOptions(ctypes.Structure):
    _fields_ = [("weights_path", ctypes.c_char_p), ("device", ctypes.c_int32),
                ("device_outputs", ctypes.c_int32), ("stream", ctypes.c_void_p),
                ("replay", ctypes.c_int32), ("reserved", ctypes.c_int32),
                ("target_cpu", ctypes.c_char_p),
                ("all_threads", ctypes.c_int32)]


class DeviceModel(Model):
    """A kernel whose inputs and results stay where it runs."""

    def __init__(self, library, path, replay=False):
        self.replay = replay
        super().__init__(library, path)

    def open(self):
        options = SessionOptions(
            **self.library.device.session_options(self.replay))
        self.library.call("gnn_session_open_with", str(self.path).encode(),
                          ctypes.byref(options), ctypes.byref(self.session))

    def prepare(self, array):
        return array

    def borrow(self, array):
        if isinstance(array, np.ndarray):
            return Tensor.borrow(array)
        assert array.is_contiguous()
        return Tensor(array.data_ptr(), 0, array.ndim,
                      (ctypes.c_int64 * 8)(*array.shape), None, None, 1)

    def read(self, tensor):
        if not tensor.place:
            return tensor.copy()
        result = Tensor()
        self.library.call("gnn_session_read", self.session,
                          ctypes.byref(tensor), ctypes.byref(result))
        copy = result.copy()
        self.library.c.gnn_tensor_release(ctypes.byref(result))
        return copy


def find_chip(folder, capability):
    """The folder of libraries for the newest chip that is no newer."""
    chips = [chip for chip in range(capability, 79, -1)
             if (folder / f"sm_{chip}").is_dir()]
    return folder / f"sm_{chips[0]}" if chips else folder


class DeviceLibrary(Library):
    """The runtime and graphs of FOLDER/lib/libgnn_bench_gpu.so, and compiled
    rows: those in `compiled`, or else made by FOLDER/bin/gnn-compile."""

    FILE = "libgnn_bench_gpu.so"
    MISSING = "build gnn_bench_gpu"
    CALIBRATORS = ()

    def __init__(self, folder, data, scratch, device, compiled=None):
        super().__init__(folder, data, scratch)
        self.device = device
        self.compiled = compiled and find_chip(compiled, device.capability)
        self.OPTIONS = [*self.OPTIONS, *device.options]

    def compile(self, source, options=()):
        path = self.scratch / f"{pathlib.Path(source).stem}.so"
        made = subprocess.run([self.build / "bin" / "gnn-compile", source, "-o",
                               path, *options], capture_output=True, text=True)
        if made.returncode:
            raise RuntimeError(made.stderr.strip().splitlines()[-1])
        return path

    def row(self, row):
        """The model of a row, opened."""
        if self.compiled:
            path = self.compiled / f"{row.name}.so"
            reason = path.with_suffix(".txt")
            if not path.exists() and reason.exists():
                raise RuntimeError(reason.read_text().strip())
        else:
            path = self.kernel(row.kernel, row.precision, **row.shapes)
        return DeviceModel(self, path, row.replay)

    def row_graph(self, row):
        if row.graph == "none":
            return None
        if row.graph == "complete":
            return self.complete(row.rows)
        return self.graph(row.graph)

    # The host's threads do nothing here.
    def set_threads(self, threads):
        pass


class Ceilings:
    """What a GPU reaches in a vendor's routines, per second: a bound of each
    row, measured in turns with it."""

    SIZE = 4096
    BYTES = 1 << 30
    INDICES = 1 << 22

    def __init__(self, device):
        self.device = device
        self.inputs = {}

    def product(self, dtype):
        torch = self.device.torch
        if dtype not in self.inputs:
            self.inputs[dtype] = [
                torch.randn(self.SIZE, self.SIZE, device="cuda", dtype=dtype)
                for _ in range(2)]
        a, b = self.inputs[dtype]
        return 2 * self.SIZE**3, lambda: torch.mm(a, b)

    def copy(self):
        torch = self.device.torch
        a, b = (torch.empty(self.BYTES // 4, device="cuda") for _ in range(2))
        return 2 * self.BYTES, lambda: b.copy_(a)

    def gather(self):
        """Rows of 128 floats, read at random places and written in order."""
        torch = self.device.torch
        rows = torch.randn(self.BYTES // 512, 128, device="cuda")
        indices = torch.randint(len(rows), (self.INDICES,), device="cuda")
        result = torch.empty(self.INDICES, 128, device="cuda")
        return (2 * self.INDICES * 512,
                lambda: torch.index_select(rows, 0, indices, out=result))

    def rate(self, name):
        torch = self.device.torch
        work, run = {"gemm-bf16": lambda: self.product(torch.bfloat16),
                     "gemm-f32": lambda: self.product(torch.float32),
                     "copy": self.copy, "gather": self.gather}[name]()
        run()
        return work / min(self.device.seconds(run, 10))

    def bound(self, name, work):
        """Seconds for that work, as Measurement.row wants it."""
        if name == "none" or not work or not hasattr(self.device, "torch"):
            return None
        return lambda _: work / self.rate(name)

"""Times gnn-mlir on a GPU beside other libraries, on the same inputs.

    python3 bench/gpu.py [--build build] [--only REGEX]

gnn-mlir runs in this process through its C interface, on PyTorch's tensors and
in its stream; times are taken between events. Peers are those that Python has:
PyTorch (cuBLAS, cuSPARSE, SDPA, FlexAttention), PyG, FlashAttention. The results
of all sides are compared before any is timed, and what bounds each row is
measured in turns with it. bench/gpu/rows.txt says what is timed.

Writes gpu-DEVICE.json and gpu-DEVICE.md to --output. Where there is no GPU, or
Python has no PyTorch that can use it, it says so and succeeds.
"""

import argparse
import datetime
import pathlib
import platform
import sys
import tempfile

from comparison import gpu, gpureport, report
from comparison.device import Cuda, DeviceLibrary, Emulated, read_rows
from comparison.measure import OURS, Measurement

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGES = ["torch", "torch-geometric", "triton", "flash-attn", "numpy"]


def find_obstacle():
    """Why nothing can be measured here; None if it can."""
    try:
        import torch
    except ImportError:
        return "Python has no PyTorch"
    if not torch.cuda.is_available():
        return "there is no NVIDIA GPU that PyTorch can use"
    return None


def show(row):
    if "error" in row or OURS not in row["times"]:
        text = row.get("error") or row["absent"][OURS]
    else:
        text = ", ".join(f"{name} {report.number(times['median'])} ms"
                         for name, times in row["times"].items())
        if "bound" in row:
            text += f", {row['bound']['median']:.0%} of {row['ceiling']}"
    print(f"{row['family']}: {row['name']}: {text}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build",
                        help="where bin/gnn-compile and lib/libgnn_bench_gpu.so "
                        "are")
    parser.add_argument("--compiled", type=pathlib.Path,
                        help="take the rows' libraries from this folder's "
                        "folders sm_80, sm_90, ...")
    parser.add_argument("--rows", type=pathlib.Path,
                        default=ROOT / "bench" / "gpu" / "rows.txt",
                        help="the file of rows (default: bench/gpu/rows.txt)")
    parser.add_argument("--only", default="",
                        help="only rows in whose name this expression is found")
    parser.add_argument("--device", type=int, default=0,
                        help="the number of the GPU (default: 0)")
    parser.add_argument("--rounds", type=int, default=7,
                        help="turns of each side (default: 7)")
    parser.add_argument("--emulated", action="store_true",
                        help="on emulated kernels, to test this script")
    parser.add_argument("--output", type=pathlib.Path,
                        default=ROOT / "docs" / "benchmarks",
                        help="the folder of what is written (default: "
                        "docs/benchmarks)")
    arguments = parser.parse_args()
    wanted = read_rows(arguments.rows)
    if not arguments.emulated and (obstacle := find_obstacle()):
        print(f"bench-gpu: skipped, because {obstacle}")
        return 0
    device = Emulated() if arguments.emulated else Cuda(arguments.device)
    about = {"date": datetime.date.today().isoformat(),
             "commit": report.commit(ROOT), "device": device.name,
             "versions": {"python": platform.python_version(),
                          **{name: report.version(name) for name in PACKAGES}}}
    result = {"about": about, "rows": []}
    with tempfile.TemporaryDirectory() as scratch:
        library = DeviceLibrary(arguments.build, ".", scratch, device,
                                arguments.compiled)
        measurement = Measurement(library, 1, arguments.rounds, 0.02,
                                  arguments.only)
        for row in gpu.rows(measurement, wanted):
            show(row)
            result["rows"].append(row)
            page = gpureport.write(result, arguments.output)
    if result["rows"]:
        print(f"bench-gpu: {page}")
    wrong = [row for row in result["rows"] if "error" in row]
    for row in wrong:
        print(f"bench-gpu: {row['name']}: {row['error']}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

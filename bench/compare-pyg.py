"""Times compiled models against PyTorch Geometric's, eager, on the CPU.

    bench/setup-venv.sh .venv
    .venv/bin/python bench/compare-pyg.py [--bin build/bin] [--data DIR]

Prints a Markdown table. Both sides have the same weights, graph, threads and
number of runs, and take turns: in each round the compiled model runs in a new
gnn-run, then PyTorch Geometric in a process that waits in between. The first
runs of each side's round are not counted. Before anything is timed the outputs
are compared; the script fails if they differ.

Times are of the forward pass alone: the median of all rounds' runs and, in
parentheses, the fastest. Ratios are PyTorch Geometric's time by ours: below 1
we lose. The first one is the median of the rounds' ratios of medians, with their
range; the second compares the fastest runs. On a machine that does other work
as well neither means much: a long run is interrupted more than a short one, and
threads that wait for each other suffer more than their share. There, --cpu-time
with one thread compares what each side computes: the CPU time of a run, as the
mean of each round. It needs so many --runs that they take far longer than the
start of gnn-run, which is subtracted. Memory is the largest resident set of the process, and
by how much it grew from just before the first run. gnn-mlir sorts the edges
once, when it builds the graph; that is not in its time but in a column. Both
sides compute the norm of a GCN once for the graph, before the runs that count:
PyTorch Geometric's layers have `cached` set.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import safetensors.torch
import torch
import torch_geometric
from torch_geometric.nn import GATConv, GCNConv

ROOT = pathlib.Path(__file__).resolve().parent.parent
WARM_UP = 3


class WideGAT(torch.nn.Module):
    """One attention layer, 8 heads of 64 channels."""

    yaml = """\
name: gat-8x64
inputs:
  - {name: x, channels: 128}
layers:
  - {name: conv, type: GATConv, in_channels: 128, out_channels: 64, heads: 8}
"""

    def __init__(self):
        super().__init__()
        self.conv = GATConv(128, 64, heads=8)

    def forward(self, x, edge_index):
        return self.conv(x, edge_index)


# (name, class in examples/NAME/train.py or None for random weights, graph)
KARATE = ROOT / "examples" / "karate"
CASES = [
    ("karate/gcn", "GCN", KARATE / "karate.npz"),
    ("karate/gat", "GAT", KARATE / "karate.npz"),
    ("karate/transformer", "Transformer", KARATE / "karate-adjacency.npz"),
    ("cora/gcn", "GCN", "cora.npz"),
    ("cora/gat", "GAT", "cora.npz"),
    ("gat-8x64", None, "facebook.npz"),
]


def model_class(name, kind):
    """The module as a user of PyTorch Geometric writes it."""
    if kind is None:
        return WideGAT
    path = ROOT / "examples" / name.split("/")[0] / "train.py"
    spec = importlib.util.spec_from_file_location("train", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, kind)


def megabytes(key):
    """VmRSS or VmHWM of this process."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024 / 1e6
    raise ValueError(f"/proc/self/status has no {key}")


# ------------------------------------------------------- PyTorch Geometric's side


@torch.inference_mode()
def work(case, arguments):
    """Writes the output, then makes as many runs as each input line asks for."""
    torch.set_num_threads(arguments.threads)
    model = model_class(*case[:2])()
    model.load_state_dict(
        safetensors.torch.load_file(arguments.model / "model.safetensors"))
    model.eval()
    for module in model.modules():
        if isinstance(module, GCNConv):
            module.cached = True
    with np.load(arguments.graph) as arrays:
        x, edge_index = (torch.from_numpy(arrays[key])
                         for key in ("x", "edge_index"))

    # As gnn-run does: VmHWM starts again from the current resident set.
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    before = megabytes("VmRSS")
    y = model(x, edge_index)

    last = [line for line in model.yaml.splitlines() if "{name:" in line][-1]
    output = last.split("{name:")[1].split(",")[0].strip()
    np.savez(arguments.expected, **{output: y.numpy()})
    del y
    clock = time.process_time if arguments.cpu_time else time.perf_counter
    print("ready", flush=True)
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            start = clock()
            model(x, edge_index)
            times.append(1e3 * (clock() - start))
        peak = megabytes("VmHWM")
        print(json.dumps({"run_ms": times, "peak_mb": peak,
                          "run_mb": max(0.0, peak - before)}), flush=True)


# ------------------------------------------------------------------ the comparison


def make_model(name, kind, folder):
    """A model folder: that of the example, or one of random weights."""
    if kind is not None:
        return ROOT / "examples" / name
    torch.manual_seed(0)
    safetensors.torch.save_file(WideGAT().state_dict(),
                                folder / "model.safetensors")
    (folder / "model.yaml").write_text(WideGAT.yaml)
    return folder


def child_cpu_ms():
    """CPU time of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (used.ru_utime + used.ru_stime)


def compiled_times(command, arguments, report_file):
    """A round of gnn-run: its times in ms and its last report."""
    repeats = [WARM_UP + arguments.runs]
    if arguments.cpu_time:
        repeats.insert(0, WARM_UP)  # to be subtracted
    used = []
    for repeat in repeats:
        before = child_cpu_ms()
        subprocess.run([*command, "--repeat", str(repeat), "--json",
                        report_file], check=True)
        used.append(child_cpu_ms() - before)
    report = json.loads(report_file.read_text())
    if arguments.cpu_time:
        return [(used[1] - used[0]) / arguments.runs], report
    return report["run_ms"][WARM_UP:], report


def compare(case, graph, arguments, folder):
    """The cells of one row."""
    name, kind, _ = case
    model = make_model(name, kind, folder)
    subprocess.run([arguments.bin / "gnn-compile", model, "-o",
                    folder / "model.so"], check=True)
    report_file, expected = folder / "report.json", folder / "expected.npz"
    command = [arguments.bin / "gnn-run", folder / "model.so", "--graph", graph,
               "--threads", str(arguments.threads), "--quiet"]
    ours, theirs, ratios = [], [], []
    worker = subprocess.Popen(
        [sys.executable, __file__, "--worker", str(CASES.index(case)),
         "--model", model, "--graph", graph, "--expected", expected,
         "--threads", str(arguments.threads)] +
        ["--cpu-time"] * arguments.cpu_time,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with worker:
        if worker.stdout.readline() != "ready\n":
            sys.exit(f"compare-pyg.py: PyTorch Geometric did not run {name}")
        subprocess.run([*command, "--check", expected], check=True)
        for _ in range(arguments.rounds):
            round_ours, report = compiled_times(command, arguments, report_file)
            print(WARM_UP + arguments.runs, file=worker.stdin, flush=True)
            reference = json.loads(worker.stdout.readline())
            round_theirs = reference["run_ms"][WARM_UP:]
            if arguments.cpu_time:
                round_theirs = [statistics.mean(round_theirs)]
            ours += round_ours
            theirs += round_theirs
            ratios.append(statistics.median(round_theirs) /
                          statistics.median(round_ours))
        worker.stdin.close()

    return [name, pathlib.Path(graph).stem,
            f"{statistics.median(ours):.3f} ({min(ours):.3f})",
            f"{statistics.median(theirs):.3f} ({min(theirs):.3f})",
            f"{statistics.median(ratios):.2f} "
            f"({min(ratios):.2f}-{max(ratios):.2f})",
            f"{min(theirs) / min(ours):.2f}",
            f"{report['build_ms']:.2f}",
            f"{report['run_bytes'] / 1e6:.1f} / {reference['run_mb']:.1f}",
            f"{report['peak_memory_mb']:.0f} / {reference['peak_mb']:.0f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin",
                        help="the folder of gnn-compile and gnn-run")
    parser.add_argument("--data", type=pathlib.Path,
                        default=os.environ.get("GNN_DATA_DIR",
                                               ROOT / "../shared/data"),
                        help="the folder of cora.npz and facebook.npz")
    parser.add_argument("--rounds", type=int, default=5,
                        help="turns of each side (default: 5)")
    parser.add_argument("--runs", type=int, default=10,
                        help="counted runs of each side in each round")
    parser.add_argument("--threads", type=int, default=2,
                        help="of each side (default: 2)")
    parser.add_argument("--cpu-time", action="store_true",
                        help="compare CPU time; use with --threads 1")
    parser.add_argument("--models", nargs="+", metavar="MODEL",
                        choices=[case[0] for case in CASES],
                        default=[case[0] for case in CASES],
                        help="the rows to make (default: all)")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    for name in ("--model", "--graph", "--expected"):
        parser.add_argument(name, type=pathlib.Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker is not None:
        work(CASES[arguments.worker], arguments)
        return

    load = os.getloadavg()[0]
    print("| model | graph | gnn-mlir, ms | PyG, ms | ratio (rounds) "
          "| ratio of fastest | graph, once, ms | growth in the runs, MB | peak of the process, MB |\n"
          "|---|---|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    for case in CASES:
        if case[0] not in arguments.models:
            continue
        graph = arguments.data / case[2]
        if not graph.exists():
            print(f"compare-pyg.py: {case[0]} is left out, because there is no "
                  f"{graph} (see examples/README.md)", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                row = compare(case, graph, arguments, pathlib.Path(folder))
            except subprocess.CalledProcessError as error:
                sys.exit(f"compare-pyg.py: {case[0]}: "
                         f"{' '.join(map(str, error.cmd))} failed")
        print("| " + " | ".join(row) + " |", flush=True)
    print(f"\n{arguments.rounds} rounds of {arguments.runs} runs, threads: "
          f"{arguments.threads}, torch {torch.__version__}, torch_geometric "
          f"{torch_geometric.__version__}; load average {load:.1f} before and "
          f"{os.getloadavg()[0]:.1f} after.")


if __name__ == "__main__":
    main()

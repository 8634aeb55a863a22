"""Memory that attention over all pairs of 32,768 nodes takes besides its inputs
and results, for each thread."""

import json
import subprocess
import sys

import numpy as np

from .measure import OURS

NODES, WIDTH = 32768, 64

SDPA = """\
import pathlib, sys, torch
def resident(key):
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1]) * 1024
torch.set_num_threads(int(sys.argv[1]))
attention = torch.nn.functional.scaled_dot_product_attention
with torch.inference_mode():
    # What the first call loads is not its memory.
    attention(*torch.randn(3, 1, 1, 256, int(sys.argv[3])))
    q, k, v = torch.randn(3, 1, 1, int(sys.argv[2]), int(sys.argv[3]))
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    before = resident("VmRSS")
    y = attention(q, k, v)
    print(resident("VmHWM") - before - y.numel() * 4)
"""


def ours(library, threads, nodes):
    model = library.kernel("dot-attention", H=1, D=WIDTH, TOPOLOGY="complete")
    generator = np.random.default_rng(0)
    graph, report = library.scratch / "q.npz", library.scratch / "report.json"
    np.savez(graph, num_nodes=np.int64(nodes),
             **{name: generator.standard_normal((nodes, 1, WIDTH), np.float32)
                for name in "qkv"})
    subprocess.run([library.build / "bin" / "gnn-run", model.path, "--graph",
                    graph, "--threads", str(threads), "--json", report,
                    "--quiet"], check=True)
    report = json.loads(report.read_text())
    return report["run_bytes"] - report["output_bytes"]


def sdpa(threads, nodes):
    process = subprocess.run(
        [sys.executable, "-c", SDPA, str(threads), str(nodes), str(WIDTH)],
        capture_output=True, text=True, check=True)
    return int(process.stdout)


def rows(measurement, quick):
    threads, nodes = measurement.threads, NODES // 8 if quick else NODES
    values = {OURS: ours(measurement.library, threads, nodes),
              "PyTorch SDPA": sdpa(threads, nodes)}
    yield measurement.number(
        "scratch", f"S = {nodes}, 1 x {WIDTH}, each thread", "MB",
        {name: max(0, value) / threads / 1e6 for name, value in values.items()})

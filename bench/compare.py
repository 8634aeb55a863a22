"""Times gnn-mlir beside other libraries, on the same inputs, in turns.

    bench/setup-venv.sh --bench .venv
    cmake -B build -DGNN_ENABLE_BENCHMARKS=ON && cmake --build build
    .venv/bin/python bench/compare.py [--rows gemm,spmm,...] [--threads 1 2]

Everything runs in this process: gnn-mlir through its C interface. The results
of all sides are compared before any is timed; a row whose sides disagree says so
and makes the script fail. Times are medians over rounds, in each of which every
side has a turn of some runs. What a graph alone decides is computed before these
on all sides that can keep it: layers of PyTorch Geometric's that have `cached`
have it set, and DGL is given the norm of a GCN. A peer that is not installed or cannot compute a
row leaves a gap, with the reason under the table. Inputs begin with a cache line, as
those in memory of PyTorch's do.

Writes results.json, README.md with the tables, and a plot for each family of
rows to --output. With --quick it measures a few rows of each family, in fewer
rounds. --keep takes the rows of an earlier run's results.json that this one does
not measure. --rewrite makes page and plots again from the results.json of --output.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile

# Before any OpenMP runtime is loaded; see comparison/report.py.
os.environ.setdefault("KMP_BLOCKTIME", "1")

import torch

from comparison import (attention, batches, bf16, compiletime, dense, encoder,
                        examples, gemm, latency, layers, models, neighbours,
                        readouts, relations, report, scratch, spmm, typed)
from comparison.library import Library
from comparison.measure import Measurement

ROOT = pathlib.Path(__file__).resolve().parent.parent
FAMILIES = {
    "gemm": [gemm.rows, gemm.sparse_rows],
    "spmm": [spmm.rows],
    "attention": [attention.rows],
    "dense": [dense.rows, dense.masked_rows],
    "batches": [batches.rows],
    "scratch": [scratch.rows],
    "models": [models.rows],
    "examples": [examples.rows],
    "layers": [layers.rows],
    "readouts": [readouts.rows],
    "typed": [typed.rows],
    "relations": [relations.rows],
    "neighbours": [neighbours.rows],
    "encoder": [encoder.rows],
    "bf16": [bf16.rows],
    "latency": [latency.rows],
    "compile": [compiletime.rows],
}


def show(row):
    """A line of what was measured."""
    if "error" in row:
        text = f"ERROR: {row['error']}"
    else:
        text = ", ".join(f"{name} {report.number(value['median'])} "
                         f"{row.get('unit', 'ms')}"
                         for name, value in row["times"].items())
        if "bound" in row:
            text += f", {row['bound']['median']:.0%} of the bound"
    print(f"{row['family']}: {row['name']}, threads: {row['threads']}: {text}",
          flush=True)


def measure(arguments, scratch):
    """All rows that are asked for."""
    rounds, sample = (3, 0.01) if arguments.quick else (arguments.rounds, 0.05)
    for family in arguments.rows.split(","):
        for threads in arguments.threads:
            library = Library(arguments.build, arguments.data, scratch)
            measurement = Measurement(library, threads, rounds, sample,
                                      arguments.only, arguments.without)
            measurement.prepare()
            for make in FAMILIES[family]:
                yield from filter(None, make(measurement, arguments.quick))


def key(row):
    return row["family"], row["name"], row["threads"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default=",".join(FAMILIES),
                        help=f"families, of {','.join(FAMILIES)} (default: all)")
    parser.add_argument("--only", default="",
                        help="only rows in whose name this expression is found")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2],
                        help="every row once for each of these (default: 1 2)")
    parser.add_argument("--rounds", type=int, default=7,
                        help="turns of each side (default: 7)")
    parser.add_argument("--quick", action="store_true",
                        help="a few rows of each family, in fewer rounds")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build",
                        help="where bin/gnn-compile and lib/libgnn_bench.so are")
    parser.add_argument("--data", type=pathlib.Path,
                        default=os.environ.get("GNN_DATA_DIR",
                                               ROOT / "../shared/data"),
                        help="the folder of cora.npz, citeseer.npz, facebook.npz")
    parser.add_argument("--output", type=pathlib.Path,
                        default=ROOT / "docs" / "benchmarks",
                        help="the folder of results.json, README.md and plots "
                        "(default: docs/benchmarks)")
    parser.add_argument("--without", metavar="SWITCHES",
                        default="hoist-node-products,sum-rows,fuse-edge-rows,"
                        "group-edges,sum-edge-rows,sum-outer-products,"
                        "multiply-edge-rows,split-batches,fuse-row-products,"
                        "fold-lookups,fuse-lookups",
                        help="switches of gnn-compile that layers and examples are "
                        "measured without as well (default: what layers on edges "
                        "gain by)")
    parser.add_argument("--note", default="", help="a sentence for the page")
    parser.add_argument("--keep", type=pathlib.Path, metavar="RESULTS.json",
                        help="take rows that are not measured from an earlier run")
    parser.add_argument("--rewrite", action="store_true",
                        help="measure nothing: make page and plots of --output "
                        "again from its results.json")
    arguments = parser.parse_args()
    if arguments.rewrite:
        path = arguments.output / "results.json"
        report.write(json.loads(path.read_text()), arguments.output, FAMILIES)
        return
    for family in arguments.rows.split(","):
        if family not in FAMILIES:
            parser.error(f"there are no rows {family!r}; there are "
                         f"{', '.join(FAMILIES)}")
    torch.manual_seed(0)
    kept = []
    if arguments.keep:
        kept = json.loads(arguments.keep.read_text())["rows"]
    result = {"about": report.about(ROOT), "note": arguments.note, "rows": kept}
    with tempfile.TemporaryDirectory() as scratch:
        for row in measure(arguments, scratch):
            show(row)
            rows = [other for other in result["rows"] if key(other) != key(row)]
            order = list(FAMILIES)
            result["rows"] = sorted([*rows, row],
                                    key=lambda row: order.index(row["family"]))
            # It takes hours: what there is can be looked at and kept.
            report.write_results(result, arguments.output)
    report.write(result, arguments.output, FAMILIES)
    rows = result["rows"]
    wrong = [row for row in rows if "error" in row]
    for row in wrong:
        print(f"compare.py: {row['name']}: {row['error']}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

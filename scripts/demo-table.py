"""Prints the table that `make demo` ends with; called by scripts/demo.sh.

Each argument is a file of key=value lines: what was compiled, and where the
report of gnn-run and PyTorch Geometric's accuracies are.
"""

import json
import pathlib
import sys

# (heading, alignment)
COLUMNS = [("model", "<"), ("graph", "<"), ("nodes", ">"), ("edges", ">"),
           ("accuracy", ">"), ("PyG's", ">"), ("compile", ">"), ("run", ">"),
           ("library", ">")]


def percent(value):
    return f"{100 * value:.1f} %"


def cells(path):
    row = dict(line.split("=", 1)
               for line in pathlib.Path(path).read_text().splitlines())
    reference = json.loads(pathlib.Path(row["reference"]).read_text())
    nodes = edges = accuracy = run = "not run"
    report = pathlib.Path(row["report"])
    if report.exists():
        report = json.loads(report.read_text())
        nodes, edges = f"{report['nodes']:,}", f"{report['edges']:,}"
        accuracy = percent(report["accuracy"]["test"])
        run = f"{report['run_ms_median']:.2f} ms"
    return [row["model"], row["graph"], nodes, edges, accuracy,
            percent(reference["accuracy"]["test_mask"]),
            f"{int(row['compile_ms']) / 1000:.2f} s", run,
            f"{int(row['library_bytes']) / 1024:,.0f} KiB"]


def main():
    table = [[heading for heading, _ in COLUMNS]]
    table += [cells(path) for path in sys.argv[1:]]
    widths = [max(map(len, column)) for column in zip(*table)]
    table.insert(1, ["-" * width for width in widths])
    for row in table:
        print("  ".join(f"{cell:{align}{width}}" for cell, (_, align), width
                        in zip(row, COLUMNS, widths)).rstrip())
    print("\nAccuracy is on the test nodes; PyG's is PyTorch Geometric's with "
          "the same weights.\nRun is the median of 20 runs.")


if __name__ == "__main__":
    main()

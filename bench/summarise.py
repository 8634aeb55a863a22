"""Prints the table of the README: how rows of each kind stand on each machine.

    summarise.py [NAME=RESULTS.json ...]

A cell has the geometric mean of the time of the best peer by ours, the smallest and
the largest, and how many rows lose, of how many. Rows whose one peer is PyTorch
Geometric's scatter, such as several aggregations at once, are left out: it is
not what anyone would compare with.
"""

import json
import math
import pathlib
import re
import sys

from comparison.measure import OURS

BENCHMARKS = pathlib.Path(__file__).resolve().parent.parent / "docs" / "benchmarks"
MACHINES = {"Zen 5": "results.json", "Zen 4": "epyc-zen4/results.json",
            "Zen 3": "epyc-zen3/results.json", "Xeon": "xeon/results.json",
            "Xeon without AMX": "xeon-avx512/results.json"}
KINDS = {"models": "models of two layers",
         "examples": "models for molecules, crystals, jets", "layers": "single layers",
         "readouts": "readouts and norms of graphs",
         "typed": "layers on types of nodes",
         "relations": "RGCN of numbered relations",
         "neighbours": "graphs of nearest neighbours", "spmm": "sums, means, maxima",
         "attention": "attention over edges", "dense": "attention over all pairs",
         "masked": "the same with masks, one thread",
         "batches": "the same within graphs of a batch", "gemm": "products",
         "bf16": "bfloat16", "encoder": "sentence encoder",
         "latency": "one graph of 30 nodes", "compile": "compile time"}
SCATTER = "PyG scatter"
MASKED = re.compile("causal|window")


def best_ratios(path):
    """By family, the best peer's time by ours of each row."""
    ratios = {}
    for row in json.loads(path.read_text())["rows"]:
        peers = {name: row["times"][name]["median"] for name in row["ratios"]
                 if OURS not in name}
        if peers and set(peers) != {SCATTER}:
            best = min(peers, key=peers.get)
            is_masked = MASKED.search(row["name"])
            # On two the best peer for masks is absent.
            if is_masked and row["threads"] != 1:
                continue
            ratios.setdefault("masked" if is_masked else row["family"], []).append(
                row["ratios"][best]["median"])
    return ratios


def number(value):
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def cell(ratios):
    if not ratios:
        return ""
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return (f"{number(mean)} ({number(min(ratios))}-{number(max(ratios))}), "
            f"{sum(ratio < 1 for ratio in ratios)} of {len(ratios)}")


def main():
    files = dict(argument.split("=", 1) for argument in sys.argv[1:])
    machines = {name: best_ratios(pathlib.Path(path)) for name, path in
                (files or {name: BENCHMARKS / path
                           for name, path in MACHINES.items()}).items()}
    print("| best peer's time by ours |", " | ".join(machines), "|")
    print("|---" + "|---" * len(machines) + "|")
    for family, kind in KINDS.items():
        cells = [cell(ratios.get(family, [])) for ratios in machines.values()]
        if any(cells):
            print("|", " | ".join([kind, *cells]), "|")


if __name__ == "__main__":
    main()

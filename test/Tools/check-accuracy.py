"""Compares the accuracies gnn-run reported with PyTorch Geometric's.

    check-accuracy.py REPORT.json PYG.json

REPORT.json is what `gnn-run --json` wrote, PYG.json what an example's train.py
wrote for the same weights. They are equal if they agree in the four decimals
that PYG.json has; every mask it names must have been reported.
"""

import json
import pathlib
import sys


def main():
    report, reference = (json.loads(pathlib.Path(path).read_text())
                         for path in sys.argv[1:3])
    accuracy = report.get("accuracy", {})
    wrong = 0
    for mask, right in reference["accuracy"].items():
        name = mask.removesuffix("_mask")
        ours = accuracy.get(name)
        equal = ours is not None and round(ours, 4) == right
        wrong += not equal
        print(f"{name}: {ours} compiled, {right} in PyTorch Geometric"
              f"{'' if equal else ': DIFFERENT'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

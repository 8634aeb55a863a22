"""Checks the memory that gnn-run reported.

    check-memory.py REPORT.json [--times FACTOR] [--run-below BYTES]
                    [--process-below BYTES]

REPORT.json is what `gnn-run --json` wrote of a model with external weights.
--times: inputs, weights and all that the run added to the process, outputs
included, must stay below FACTOR times the inputs, outputs and weights.
--run-below: what the run added must stay below BYTES.
--process-below: what the process had at most must stay below BYTES.
"""

import argparse
import json
import pathlib
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("report", type=pathlib.Path)
    parser.add_argument("--times", type=float)
    parser.add_argument("--run-below", type=int)
    parser.add_argument("--process-below", type=int)
    arguments = parser.parse_args()

    report = json.loads(arguments.report.read_text())
    inputs, outputs, weights, added = (
        report[f"{name}_bytes"] for name in ("input", "output", "weight", "run"))
    # A system that does not tell, or a report that misses the arrays.
    if added < outputs or min(inputs, outputs, weights) <= 0:
        sys.exit(f"the report makes no sense: {report}")
    if arguments.times is not None:
        peak, data = inputs + weights + added, inputs + outputs + weights
        print(f"peak {peak} bytes, {peak / data:.2f} times the data")
        if peak >= arguments.times * data:
            sys.exit(f"that is not below {arguments.times} times")
    if arguments.run_below is not None:
        print(f"the run took {added} bytes")
        if added >= arguments.run_below:
            sys.exit(f"that is not below {arguments.run_below}")
    if arguments.process_below is not None:
        process = int(report["peak_memory_mb"] * 1e6)
        print(f"the process took {process} bytes")
        if process >= arguments.process_below:
            sys.exit(f"that is not below {arguments.process_below}")


if __name__ == "__main__":
    main()

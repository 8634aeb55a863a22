"""Runs models with rounded factors of products against references.

    check-precision.py --tools BIN --graphs GRAPHS --scratch PREFIX
                       --bounds FILE [--precisions tf32,f16,bf16] FOLDER...

Each FOLDER is that of an end-to-end test: model.yaml, model.safetensors and
expected.npz, whose arrays are named GRAPH/OUTPUT. The model is compiled for the
emulator with each precision and runs on each of these graphs. The largest
difference of an output, as a fraction of the output's largest magnitude, may be
no larger than the bound of its precision. There are two references: the above,
which nothing was rounded for, and what the interpreter computes in float64 from
factors that are rounded to the same PRECISION (`gnn-run --interpret=PRECISION`),
which is called rounded-PRECISION. FILE holds lines

    REFERENCE BOUND                  for all models
    REFERENCE BOUND MODEL REASON...  for one, instead

where REFERENCE is PRECISION or rounded-PRECISION, and comments that begin with #.
A bound of one model that is not needed is an error, too, so that none stays for
longer than its reason.
"""

import argparse
import math
import pathlib
import sys

import npz
from commands import run

NAMES = ("tf32", "f16", "bf16")
REFERENCES = NAMES + tuple(f"rounded-{name}" for name in NAMES)


def read_bounds(path):
    """Bounds of all models by precision, and of single ones by both."""
    common, single = {}, {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            reference, bound = words[0], float(words[1])
        except (IndexError, ValueError):
            sys.exit(f"{path}:{number}: expected REFERENCE BOUND")
        if reference not in REFERENCES:
            sys.exit(f"{path}:{number}: unknown reference '{reference}'")
        if len(words) == 2:
            common[reference] = bound
        elif len(words) == 3:
            sys.exit(f"{path}:{number}: no reason why {words[2]} has a bound "
                     "of its own")
        else:
            single[reference, words[2]] = bound
    for name in REFERENCES:
        if name not in common:
            sys.exit(f"{path}: no bound for {name}")
    return common, single


def array_names(expected):
    """The names of the references' arrays, by graph."""
    graphs = {}
    for member in npz.names(expected):
        graph, _, output = member.partition("/")
        graphs.setdefault(graph, []).append(output)
    return graphs


def error(actual, expected):
    """The largest difference as a fraction of the largest magnitude."""
    if len(actual) != len(expected):
        return math.inf
    largest, difference = 0.0, 0.0
    for one, other in zip(actual, expected):
        if math.isnan(one) != math.isnan(other):
            return math.inf
        if one != other and not math.isnan(other):
            difference = max(difference, abs(one - other))
        if math.isfinite(other):
            largest = max(largest, abs(other))
    # As gnn-run does, numbers near zero are allowed a millionth.
    difference = max(0.0, difference - 1e-6)
    return difference / largest if largest else difference and math.inf


def measure(arguments, folder, precision):
    """The largest error of a model on all of its graphs, by reference; None if
    it fails."""
    library = f"{arguments.scratch}.so"
    outputs = f"{arguments.scratch}.npz"
    rounded = f"{arguments.scratch}.rounded.npz"
    if not run([str(arguments.tools / "gnn-compile"), str(folder), "-o",
                library, "--target=gpu-emu", f"--precision={precision}"]):
        return None
    worst = {precision: 0.0, f"rounded-{precision}": 0.0}
    expected = folder / "expected.npz"
    for graph, names in array_names(expected).items():
        run_on = ["--graph", str(arguments.graphs / f"{graph}.npz"), "--quiet",
                  "--output"]
        if not run([str(arguments.tools / "gnn-run-library"), library, *run_on,
                    outputs]):
            return None
        if not run([str(arguments.tools / "gnn-run"), str(folder),
                    f"--interpret={precision}", *run_on, rounded]):
            return None
        for name in names:
            actual = npz.read(outputs, name)[2]
            for reference, (file, array) in zip(
                    worst, ((expected, f"{graph}/{name}"), (rounded, name))):
                worst[reference] = max(worst[reference],
                                       error(actual, npz.read(file, array)[2]))
    return worst


def judge(worst, common, own):
    """What is to be said of an error under a model's own bound, if any."""
    bound = common if own is None else own
    if not worst <= bound:
        return f"exceeds {bound:g}"
    if own is not None and worst <= common:
        return "needs no bound of its own"
    return "ok"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--graphs", type=pathlib.Path, required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--bounds", type=pathlib.Path, required=True)
    parser.add_argument("--precisions", default=",".join(NAMES))
    arguments = parser.parse_args()

    common, single = read_bounds(arguments.bounds)
    failures = 0
    for folder in arguments.folders:
        for precision in arguments.precisions.split(","):
            measured = measure(arguments, folder, precision)
            if measured is None:
                failures += 1
                print(f"{folder.name} {precision} failed", flush=True)
                continue
            for reference, worst in measured.items():
                verdict = judge(worst, common[reference],
                                single.get((reference, folder.name)))
                failures += verdict != "ok"
                print(f"{folder.name} {reference} {worst:.1e} {verdict}",
                      flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

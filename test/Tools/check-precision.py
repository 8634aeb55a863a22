"""Runs models with rounded factors of products against references in float32.

    check-precision.py --tools BIN --graphs GRAPHS --scratch PREFIX
                       --bounds FILE [--precisions tf32,f16,bf16] FOLDER...

Each FOLDER is that of an end-to-end test: model.yaml, model.safetensors and
expected.npz, whose arrays are named GRAPH/OUTPUT. The model is compiled for the
emulator with each precision and runs on each of these graphs. The largest
difference of an output, as a fraction of the output's largest magnitude, may be
no larger than the bound of its precision. FILE holds lines

    PRECISION BOUND                  for all models
    PRECISION BOUND MODEL REASON...  for one, instead

and comments that begin with #. A bound of one model that is not needed is an
error, too, so that none stays for longer than its reason.
"""

import argparse
import math
import pathlib
import sys
import zipfile

import npz
from commands import run

NAMES = ("tf32", "f16", "bf16")


def read_bounds(path):
    """Bounds of all models by precision, and of single ones by both."""
    common, single = {}, {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            precision, bound = words[0], float(words[1])
        except (IndexError, ValueError):
            sys.exit(f"{path}:{number}: expected PRECISION BOUND")
        if precision not in NAMES:
            sys.exit(f"{path}:{number}: unknown precision '{precision}'")
        if len(words) == 2:
            common[precision] = bound
        elif len(words) == 3:
            sys.exit(f"{path}:{number}: no reason why {words[2]} has a bound "
                     "of its own")
        else:
            single[precision, words[2]] = bound
    for name in NAMES:
        if name not in common:
            sys.exit(f"{path}: no bound for {name}")
    return common, single


def array_names(expected):
    """The names of the references' arrays, by graph."""
    with zipfile.ZipFile(expected) as archive:
        members = [name.removesuffix(".npy") for name in archive.namelist()]
    graphs = {}
    for member in members:
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
    """The largest error of a model on all of its graphs; None if it fails."""
    library = f"{arguments.scratch}.so"
    outputs = f"{arguments.scratch}.npz"
    if not run([str(arguments.tools / "gnn-compile"), str(folder), "-o",
                library, "--target=gpu-emu", f"--precision={precision}"]):
        return None
    worst = 0.0
    expected = folder / "expected.npz"
    for graph, names in array_names(expected).items():
        if not run([str(arguments.tools / "gnn-run-library"), library, "--graph",
                    str(arguments.graphs / f"{graph}.npz"), "--output",
                    outputs, "--quiet"]):
            return None
        for name in names:
            worst = max(worst, error(npz.read(outputs, name)[2],
                                     npz.read(expected, f"{graph}/{name}")[2]))
    return worst


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
            worst = measure(arguments, folder, precision)
            own = single.get((precision, folder.name))
            bound = common[precision] if own is None else own
            verdict = "ok"
            if worst is None:
                verdict = "failed"
            elif not worst <= bound:
                verdict = f"exceeds {bound:g}"
            elif own is not None and worst <= common[precision]:
                verdict = "needs no bound of its own"
            failures += verdict != "ok"
            measured = "" if worst is None else f"{worst:.1e} "
            print(f"{folder.name} {precision} {measured}{verdict}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

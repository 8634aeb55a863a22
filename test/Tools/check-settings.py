"""Runs models with passes left out against their references.

    check-settings.py --tools BIN --graphs GRAPHS --scratch PREFIX FOLDER...
                      [--targets TARGET,...] [--settings N] [--filter REGEX]
                      [--compile OPTIONS]

Each FOLDER is that of an end-to-end test, and all whose names REGEX is found in are
checked as check-model.py does, on one thread and on two. Settings of gnn-compile are
all its switches off, and N times about half of them, which are chosen at random by
the layer's name and so the same every time. Of a setting that fails, what it takes
to fail is sought: switches of which none can be left on. OPTIONS, separated by blanks,
are for gnn-compile in all settings.
"""

import argparse
import pathlib
import random
import re
import shlex
import sys

from commands import run
from switches import find_flags, minimise

CHECK_MODEL = pathlib.Path(__file__).with_name("check-model.py")


def settings(layer, switches, number):
    """What is off in each setting. Of each switch on its own it is chance that
    decides, so that a new one leaves the others what they were."""
    yield switches
    for turn in range(number):
        yield [switch for switch in switches
               if random.Random(f"{layer} {turn} {switch}").random() < 0.5]


def check_model(arguments, folder, target, off):
    """The command that checks a model with these switches off."""
    options = " ".join([*shlex.split(arguments.compile),
                        *(f"--{switch}=false" for switch in off)])
    return [sys.executable, str(CHECK_MODEL), "--tools", str(arguments.tools),
            "--graphs", str(arguments.graphs), "--scratch", arguments.scratch,
            "--targets", target, "--threads", "1,2", f"--compile={options}",
            str(folder)]


def explain(arguments, folder, target, off, known):
    """What of `off` suffices to fail, which may be `known` of other models."""
    def fails(fewer):
        return not run(check_model(arguments, folder, target, fewer), is_quiet=True)

    for fewer in known:
        if set(fewer) <= set(off) and fails(fewer):
            return fewer
    known.append(minimise(off, fails))
    return known[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--graphs", type=pathlib.Path, required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--targets", default="cpu", metavar="TARGET,...")
    parser.add_argument("--settings", type=int, default=2, metavar="N")
    parser.add_argument("--filter", default="", metavar="REGEX")
    parser.add_argument("--compile", default="", metavar="OPTIONS")
    arguments = parser.parse_args()

    flags, on_cpus = find_flags(arguments.tools / "gnn-compile")
    failures = 0
    for target in arguments.targets.split(","):
        switches = sorted(on_cpus if target == "cpu" else flags)
        known = []
        for folder in arguments.folders:
            if not re.search(arguments.filter, folder.name):
                continue
            failed = 0
            for off in settings(folder.name, switches, arguments.settings):
                if run(check_model(arguments, folder, target, off)):
                    continue
                failed += 1
                fewer = explain(arguments, folder, target, off, known)
                print("What suffices:",
                      shlex.join(check_model(arguments, folder, target, fewer)))
            failures += failed
            print(f"{folder.name} {target}: {failed} of {arguments.settings + 1} "
                  "settings failed", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs each pass of gnn-opt by itself on files of MLIR.

    check-passes.py --tools BIN --scratch FOLDER FILE... [--stages]
                    [--every N] [--first N] [--timeout SECONDS]

A FILE holds modules between lines of '// -----', as tests do; one that gnn-opt does
not read, as tests of verifiers are, is left out. With --stages, what the stages of the
pipelines for CPU and GPU make of each is taken as well. Of all pairs of a file and a
pass, every Nth is tried, from --first on.

A pass must exit with 0 and leave what gnn-opt reads again, or with 1 and a sentence
that says 'error:' of its own: what only the verifier finds after it, the pass has
broken. Cases that fail are printed.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys

CPU = ["gnn-stage-optimize", "gnn-stage-lower", "gnn-stage-vectorize",
       "gnn-stage-bufferize", "gnn-stage-to-llvm-dialect"]
GPU = ["gnn-stage-optimize", "gnn-stage-lower", "gnn-gpu-stage-tile",
       "gnn-gpu-stage-bufferize", "gnn-gpu-stage-map"]
# The pipelines run passes of MLIR, which are not for us to check.
PASS = re.compile(r"^ +--((?!\S*stage|gnn-to-)(?:gnn|convert-gnn)-\S+)", re.MULTILINE)


class Checker:
    def __init__(self, arguments):
        self.tool = str(arguments.tools / "gnn-opt")
        self.timeout = arguments.timeout

    def run(self, *options, text=None):
        return subprocess.run([self.tool, "--split-input-file", *map(str, options)],
                              input=text, capture_output=True, timeout=self.timeout,
                              encoding="utf-8", errors="replace")

    def get_passes(self):
        return sorted(set(PASS.findall(self.run("--help").stdout)))

    def make_stages(self, path, folder):
        """What the stages make of `path`, as files in `folder`."""
        made = []
        for target, stages in [("cpu", CPU), ("gpu", GPU)]:
            source = path
            for number, stage in enumerate(stages):
                name = f"{path.parent.name}-{path.stem}.{target}{number}.mlir"
                result = folder / name
                if self.run(source, f"--{stage}", "-o", result).returncode:
                    break
                made.append(result)
                source = result
        return made

    def find_fault(self, path, name):
        """What is wrong with what the pass does to `path`; None if nothing is."""
        try:
            done = self.run(path, f"--{name}")
        except subprocess.TimeoutExpired:
            return f"takes more than {self.timeout} s"
        if done.returncode == 0:
            again = self.run("-", "-o", os.devnull, text=done.stdout)
            return again.returncode and "is not read again:\n" + again.stderr
        if done.returncode != 1:
            return f"ends by signal {-done.returncode}:\n{done.stderr[:4000]}"
        if "error:" not in done.stderr:
            return "fails without a sentence"
        unverified = self.run(path, f"--{name}", "--verify-each=false", "-o",
                              os.devnull)
        return not unverified.returncode and "leaves what is wrong:\n" + done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=pathlib.Path, nargs="+")
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("--stages", action="store_true")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="N")
    parser.add_argument("--timeout", type=float, default=60, metavar="SECONDS")
    arguments = parser.parse_args()

    checker = Checker(arguments)
    arguments.scratch.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        read = pool.map(
            lambda path: checker.run(path, "-o", os.devnull).returncode == 0,
            arguments.files)
        files = [path for path, is_read in zip(arguments.files, read) if is_read]
        if arguments.stages:
            made = list(pool.map(
                lambda path: checker.make_stages(path, arguments.scratch), files))
            files += sum(made, [])
        pairs = [(path, name) for path in files for name in checker.get_passes()]
        pairs = pairs[arguments.first::arguments.every]
        failures = 0
        for (path, name), fault in zip(
                pairs, pool.map(lambda pair: checker.find_fault(*pair), pairs)):
            if fault:
                failures += 1
                command = [checker.tool, "--split-input-file", str(path), f"--{name}"]
                print(f"$ {shlex.join(command)}\n{name} {fault}", flush=True)
    print(f"{failures} of {len(pairs)} cases failed")
    return 1 if failures or not pairs else 0


if __name__ == "__main__":
    sys.exit(main())

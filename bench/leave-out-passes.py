"""What each of LLVM's passes changes in the code of models.

    python3 bench/leave-out-passes.py [--bin build/bin] [--passes PASSES]
                                      [--options OPTIONS] MODEL...
    python3 bench/leave-out-passes.py examples/cora/gat

Leaves out one pass of a pipeline after the other, of that of LLVM's -O3 if no other is
given, and prints by how many instructions the code of each model grows. "same" is the
same code. Which passes gnn-compile has is in lib/Compiler/LLVMPasses.cpp.
"""

import argparse
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Names with their options, which may have options, and parentheses.
TOKEN = re.compile(r"[\w-]+(?:<[^<>]*(?:<[^<>]*>[^<>]*)*>)?\(?|[(),]")
EMPTY = re.compile(r"(^|[,(])(?:devirt<\d+>|[\w-]+(?:<[^<>()]*>)?)\(\)")


def expand(name):
    """The pipeline that LLVM makes of one of its names."""
    return subprocess.run(
        ["opt-22", f"-passes={name}", "-print-pipeline-passes", "-disable-output"],
        input="", text=True, capture_output=True, check=True).stdout.strip()


def join(tokens):
    """The text of a pipeline, without what has become empty."""
    text, before = "".join(tokens), None
    while text != before:
        before = text
        text = re.sub(r",(?=[,)])|(?<=\(),", "", text)
        text = EMPTY.sub(r"\1", text)
    return text.strip(",")


def compile_model(arguments, model, passes):
    """The instructions of its code."""
    done = subprocess.run(
        [arguments.bin / "gnn-compile", model, "--emit=asm", "-o", "-",
         f"--llvm-passes={passes}", *arguments.options.split()],
        text=True, capture_output=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return re.findall(r"^\t[a-z].*", done.stdout, re.MULTILINE)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "bin")
    parser.add_argument("--passes", default="default<O3>")
    parser.add_argument("--options", default="--target-cpu=x86-64-v3")
    parser.add_argument("models", nargs="+", metavar="MODEL")
    arguments = parser.parse_args()

    passes = arguments.passes
    if passes.startswith("default<"):
        passes = expand(passes)
    tokens = TOKEN.findall(passes)
    whole = [compile_model(arguments, model, passes) for model in arguments.models]
    print("all:", *map(len, whole))
    same = total = 0
    for i, token in enumerate(tokens):
        if token in "()," or token.endswith("("):
            continue
        fewer = join(tokens[:i] + tokens[i + 1:])
        codes = [compile_model(arguments, model, fewer) for model in arguments.models]
        total += 1
        if codes == whole:
            same += 1
            print("same", token, flush=True)
        else:
            print(*(f"{len(code) - len(before):+}" for code, before in zip(codes, whole)),
                  token, flush=True)
    print(f"{same} of {total} change nothing")


if __name__ == "__main__":
    main()

"""Tools for another processor than this machine's, for tests that know of none.

    foreign.py --tools BIN --cpu CPU --linker COMMAND --emulator COMMAND
               --programs FOLDER TOOL ARGUMENTS...

gnn-compile, that of BIN, compiles for CPU where ARGUMENTS name none, and COMMAND
links what would be a shared library. gnn-run is the gnn-run-library of FOLDER in the
emulator; a model that is no library is compiled to one first, and --interpret is
left to the gnn-run of BIN.
"""

import argparse
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile


def replace_process(*command):
    os.execvp(str(command[0]), [str(word) for word in command])


def run_or_exit(*command):
    done = subprocess.run([str(word) for word in command], check=False)
    if done.returncode:
        sys.exit(done.returncode)


def compile_model(machine, words):
    """As gnn-compile does."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("-o", dest="output", default="")
    parser.add_argument("--emit")
    parser.add_argument("--target-cpu", dest="cpu")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--header")
    options, _ = parser.parse_known_args(words)
    is_library = options.emit == "so" or (not options.emit and
                                          options.output.endswith(".so"))
    compiler = machine.tools / "gnn-compile"
    if not is_library or options.target not in ("cpu", "gpu-emu"):
        replace_process(compiler, *words)

    output = pathlib.Path(options.output)
    own = ["--emit=lib"]
    if not options.cpu:
        own.append(f"--target-cpu={machine.cpu}")
    if not options.header:
        own.append(f"--header={output.with_suffix('.h')}")
    # Here, so that weights are called what the library's are.
    with tempfile.TemporaryDirectory(dir=output.parent) as folder:
        archive = pathlib.Path(folder, output.name)
        run_or_exit(compiler, *words, *own, "-o", archive)
        run_or_exit(*shlex.split(machine.linker), "-o", output,
                    "-Wl,--whole-archive", archive, "-Wl,--no-whole-archive")
        for path in pathlib.Path(folder).iterdir():
            if path != archive:
                path.rename(output.parent / path.name)


def is_source(word):
    """Whether it names a model that is no library."""
    return word.endswith(".mlir") or any(
        pathlib.Path(word, name).is_file()
        for name in ("model.yaml", "config.json"))


def run_model(machine, words):
    """As gnn-run does."""
    if any(word.startswith("--interpret") for word in words):
        replace_process(machine.tools / "gnn-run", *words)
    program = (*shlex.split(machine.emulator),
               machine.programs / "gnn-run-library")
    models = [word for word in words if is_source(word)]
    if not models:
        replace_process(*program, *words)
    with tempfile.TemporaryDirectory() as folder:
        library = str(pathlib.Path(folder, "model.so"))
        compile_model(machine, [models[0], "-o", library])
        run_or_exit(*program,
                    *[library if word == models[0] else word for word in words])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--cpu", required=True)
    parser.add_argument("--linker", required=True)
    parser.add_argument("--emulator", required=True)
    parser.add_argument("tool", choices=["gnn-compile", "gnn-run"])
    parser.add_argument("words", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    perform = (compile_model if arguments.tool == "gnn-compile" else run_model)
    perform(arguments, arguments.words)


if __name__ == "__main__":
    main()

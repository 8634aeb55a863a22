"""What checks that run several of the tools share."""

import pathlib
import shlex
import subprocess
import sys


class Bench:
    """Runs tools on files in a folder of its own."""

    def __init__(self, tools, scratch, target="cpu"):
        self.tools, self.scratch, self.target = tools, scratch, target
        scratch.mkdir(parents=True, exist_ok=True)

    def path(self, name):
        return str(self.scratch / name)

    def run(self, tool, *arguments, status=0):
        """Ends the test unless the command ends with `status`."""
        command = [str(self.tools / tool), *map(str, arguments)]
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL)
        if done.returncode != status:
            sys.exit(f"$ {shlex.join(command)}\n{done.stdout}"
                     f"exit status {done.returncode}, not {status}")

    def print_function(self, model):
        """The function of a model, in the gnn dialect."""
        text = pathlib.Path(self.path("model.mlir"))
        self.run("gnn-compile", model, "--emit=gnn", "-o", text)
        return text.read_text()

    def compile_function(self, text, topology):
        """The library of a function whose graph has this type."""
        name = "".join(c for c in topology if c.isalpha())
        source, library = self.path(f"{name}.mlir"), self.path(f"{name}.so")
        pathlib.Path(source).write_text(text)
        self.run("gnn-compile", source, f"--target={self.target}", "-o",
                 library)
        return library

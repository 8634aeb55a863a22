"""Checks that a batch of sequences gives what each of them gives alone.

    check-sequences.py --tools BIN --scratch PREFIX --channels N
                       [--targets TARGET,...] MODEL

MODEL is a model folder for `graph: block_diagonal` whose one input is `x`. It
runs on a batch of sequences of different lengths. The same model with `graph:
complete` runs on each of them alone; and, with a `key_padding_mask` at its
attention layers, on each with rows of padding at its end. All rows that are no
padding must agree to 1e-5 of the largest; without the mask they must not.
"""

import argparse
import pathlib
import random
import shutil
import sys

import npz
import toolbench

LENGTHS = [5, 1, 9, 3]
PADDED = 12


class Checker(toolbench.Bench):
    def __init__(self, tools, scratch, target, model, channels):
        super().__init__(tools, scratch, target)
        self.model, self.channels = model, channels

    def compile(self, name, change):
        """The library of the model with its description changed."""
        folder = self.scratch / name
        folder.mkdir(exist_ok=True)
        text = (self.model / "model.yaml").read_text()
        (folder / "model.yaml").write_text(change(text))
        shutil.copy(self.model / "model.safetensors", folder)
        library = self.scratch / f"{name}.so"
        self.run("gnn-compile", folder, f"--target={self.target}", "-o",
                 library)
        return library

    def write(self, name, rows, batch=None, mask=None):
        path = self.scratch / f"{name}.npz"
        flat = [value for row in rows for value in row]
        arrays = {"x": ("<f4", (len(rows), self.channels), flat)}
        if batch is not None:
            arrays["batch"] = ("<i8", (len(rows),), batch)
        if mask is not None:
            arrays["mask"] = ("<f4", (len(rows),), mask)
        npz.write(path, arrays)
        return path

    def result(self, library, graph):
        """Rows of the output `y`."""
        output = self.scratch / "output.npz"
        self.run("gnn-run-library", library, "--graph", graph,
                 "--output", output)
        _, (count, width), values = npz.read(output, "y")
        return [values[i * width:(i + 1) * width] for i in range(count)]

    def check_all(self):
        generator = random.Random(0)
        draw = lambda count: [[generator.gauss(0, 1)
                               for _ in range(self.channels)]
                              for _ in range(count)]
        sequences = [draw(length) for length in LENGTHS]
        batched = self.compile("batched", lambda text: text)
        alone = self.compile("alone", lambda text: text.replace(
            "graph: block_diagonal", "graph: complete"))
        masked = self.compile("masked", lambda text: text.replace(
            "graph: block_diagonal", "graph: complete").replace(
            "channels: %d}" % self.channels, "channels: %d}\n"
            "  - {name: mask, channels: []}" % self.channels).replace(
            "    position:", "    key_padding_mask: mask\n    position:"))

        graph = self.write("batch", sum(sequences, []),
                           batch=[i for i, rows in enumerate(sequences)
                                  for _ in rows])
        rows = self.result(batched, graph)
        for rows_of_one in sequences:
            count = len(rows_of_one)
            expected, rows = rows[:count], rows[count:]
            padding = PADDED - count
            padded = rows_of_one + draw(padding)
            mask = [0.0] * count + [1.0] * padding
            self.compare("alone", expected,
                         self.result(alone, self.write("one", rows_of_one)))
            self.compare("padded", expected, self.result(
                masked, self.write("padded", padded, mask=mask))[:count])
            unmasked = self.result(
                masked, self.write("unmasked", padded, mask=[0.0] * PADDED))
            if difference(expected, unmasked[:count]) < 1e-3:
                sys.exit("padding that is not masked changes nothing")

    def compare(self, what, expected, rows):
        if difference(expected, rows) > 1e-5:
            sys.exit(f"{what}: differs by {difference(expected, rows):.2g} of "
                     "the largest element")


def difference(expected, rows):
    flat = lambda values: [value for row in values for value in row]
    largest = max(map(abs, flat(expected)))
    return max(abs(a - b) for a, b in
               zip(flat(expected), flat(rows), strict=True)) / largest


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("--channels", type=int, required=True)
    parser.add_argument("--targets", default="cpu,gpu-emu")
    arguments = parser.parse_args()
    for target in arguments.targets.split(","):
        Checker(arguments.tools, arguments.scratch, target, arguments.model,
                arguments.channels).check_all()


if __name__ == "__main__":
    main()

"""Compares compiled models with the interpreter of the specification.

    compare.py --tools BIN --graphs FOLDER --scratch PREFIX FILE.mlir GRAPHS...

GRAPHS are names of files in FOLDER, names of the awkward graphs made by
awkward.py, or `square` and `two-sided` for all there are of a kind. FILE.mlir is
compiled once for each row of VARIANTS; for each graph, gnn-run interprets
FILE.mlir and compares the output of every library with the interpreter's.

With --oracle, another file is interpreted: one that means the same. With
--emulate, kernels for GPUs are compared as well, on the emulator.

With --options, the file is compiled once, with these options of gnn-compile; with
--precision among them, the interpreter rounds as well. With --threads, libraries run on
the first number of threads, and on the others to the same bits, twice, so that the
second run has what the session has kept of the first.

With --topologies, the word TOPOLOGY in FILE.mlir stands for each of these in
turn. All comparisons are made before the exit status tells whether one failed.
"""

import argparse
import os
import pathlib
import re
import shlex
import sys

import awkward

sys.path.append(str(pathlib.Path(__file__).parents[2] / "Tools"))
from commands import run  # noqa: E402

# Names of variants and the options of gnn-compile that make them. What LLVM makes of
# code is seen in the first one.
VARIANTS = {
    "default": [],
    "unfused": ["--fuse=false", "--reorder-linear=false", "-O0"],
    "scalar": ["--vectorize=false", "--parallelize=false", "-O0"],
}
# Where there is attention, see gnn-specialize-topology.
ATTENTION_VARIANTS = {"dense": ["--topology=dense"]}
KERNEL_VARIANTS = {"kernels": ["--target=gpu-emu"]}

SQUARE = ["duplicates", "loops", "isolated", "hub", "no-edges", "one-node",
          "one-node-loop", "empty", "large"]
# Edges of all topologies but csr follow from the number of nodes.
NODES = ["isolated", "one-node", "empty", "large"]
BIPARTITE = ["bipartite", "bipartite-isolated", "bipartite-no-edges",
             "bipartite-no-sources", "bipartite-no-destinations"]


def compare(source, graphs, arguments):
    """Names of what failed for the model `source`, a path."""
    failed = []
    libraries = {}
    variants = dict(VARIANTS)
    if arguments.options is not None:
        variants = {"options": shlex.split(arguments.options)}
    elif "gnn.edge_softmax" in arguments.file.read_text():
        variants.update(ATTENTION_VARIANTS)
    if arguments.emulate:
        variants.update(KERNEL_VARIANTS)
    for variant, options in variants.items():
        library = f"{source}.{variant}.so"
        if run([str(arguments.tools / "gnn-compile"), source, "-o", library,
                *options]):
            libraries[variant] = library
        else:
            failed.append(f"compile {variant}")
    precision = re.search(r"--precision=(\w+)", arguments.options or "")
    interpret = "--interpret" + (f"={precision[1]}" if precision else "")
    for name, graph in graphs.items():
        command = [str(arguments.tools / "gnn-run"),
                   arguments.oracle or source, "--quiet", interpret,
                   "--graph", graph, "--output", f"{source}.npz"]
        if not run(command):
            failed.append(f"interpret {name}")
            continue
        for variant, library in libraries.items():
            command = [str(arguments.tools / "gnn-run-library"), library,
                       "--graph", graph]
            output = f"{source}.{variant}.npz"
            first, *others = arguments.threads.split(",")
            if not run([*command, "--check", f"{source}.npz",
                        "--rtol", arguments.rtol, "--atol", arguments.atol,
                        *(["--threads", first, "--output", output]
                          if others else [])]):
                failed.append(f"{variant} {name}")
                continue
            for number in others:
                if not run([*command, "--check", output, "--rtol", "0",
                            "--atol", "0", "--threads", number, "--repeat", "2"]):
                    failed.append(f"{variant} {name} {number} threads")
    return failed


def find_graphs(names, topology, arguments):
    """Paths of the graphs of these names, by name."""
    square = SQUARE if topology in (None, "csr", "coo") else NODES
    folder = pathlib.Path(arguments.scratch + ".graphs")
    graphs = {}
    for name in names:
        if name in ("square", "two-sided"):
            graphs.update(find_graphs(
                square if name == "square" else BIPARTITE, topology,
                arguments))
        elif name in awkward.GRAPHS:
            folder.mkdir(parents=True, exist_ok=True)
            graphs[name] = awkward.write(name, folder)
        else:
            graphs[name] = str(arguments.graphs / f"{name}.npz")
    return graphs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("names", nargs="+", metavar="GRAPHS")
    parser.add_argument("--topologies", nargs="+", default=[None])
    parser.add_argument("--oracle", metavar="FILE.mlir")
    parser.add_argument("--emulate", action="store_true")
    parser.add_argument("--options")
    parser.add_argument("--threads", default="", metavar="N,...")
    parser.add_argument("--rtol", default="1e-5")
    parser.add_argument("--atol", default="1e-6")
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--graphs", type=pathlib.Path, required=True)
    parser.add_argument("--scratch", required=True)
    arguments = parser.parse_args()

    os.makedirs(os.path.dirname(arguments.scratch), exist_ok=True)
    text = arguments.file.read_text()
    if ("TOPOLOGY" in text) == (arguments.topologies == [None]):
        sys.exit("TOPOLOGY and --topologies go together")
    failed = []
    for topology in arguments.topologies:
        stem = re.sub(r"\W+", "_", topology or "model").strip("_")
        source = f"{arguments.scratch}.{stem}.mlir"
        pathlib.Path(source).write_text(
            text.replace("TOPOLOGY", topology) if topology else text)
        failed += [f"{topology or arguments.file.name}: {what}"
                   for what in compare(
                       source, find_graphs(arguments.names, topology,
                                           arguments), arguments)]
    if failed:
        sys.exit("compiled code and interpreter differ:\n  " +
                 "\n  ".join(failed))


if __name__ == "__main__":
    main()

"""Gives the tools inputs that are broken in random ways.

    check-broken-inputs.py --tools BIN --graphs GRAPHS --scratch FOLDER INPUT...
                           [--kinds KIND,...] [--cases N] [--first N]
                           [--timeout SECONDS] [--memory BYTES]

Each INPUT is a folder of an end-to-end test or a file of MLIR. Of each, N inputs are
made of each kind, whose numbers begin at --first; a number stands for the same input
every time. Kinds are

    description   the text of model.yaml
    weights       model.safetensors
    graph         a graph of the model, .npz
    text          the edges of a graph as .mtx, .txt or .csv
    encode        a graph and options of gnn-encode
    mlir          the text of a file of MLIR

A tool must exit with 0, or with 1 and one sentence that says 'error:' (of MLIR, at
least one, with the place; of weights, one for each that is wrong), must leave no
file behind if it fails, and take less than SECONDS and BYTES of addresses (0: any
number, as sanitizers need). What gnn-compile accepts must
compute what the interpreter does, or be refused by both. Cases that fail are kept in
FOLDER, and their commands printed.
"""

import argparse
import ast
import json
import math
import pathlib
import random
import re
import resource
import shlex
import shutil
import struct
import subprocess
import sys
import zipfile

import npz

# What stands for values in descriptions, options and MLIR.
NUMBERS = ["0", "1", "-1", "2", "3", "5", "7", "64", "1000000", "2147483647",
           "2147483648", "4294967296", "9223372036854775807",
           "9223372036854775808", "-9223372036854775808", "1e400", "1e-400",
           "1e10", "nan", "inf", "-inf", "-0.0", "0.5", "1.5", "0x10", "010", "1_0"]
WORDS = ["true", "false", "null", "~", "''", "x", "y", "csr", "complete", "causal",
         "block_diagonal", "{window: 2}", "mean", "max", "add", "cat", "relu", "gelu",
         "[]", "{}", "[1, 2]", "[x, x]", "[[]]", "{a: 1}", "'6'", "&a 6", "*a",
         "!!str 6", "no", "\xff", "\x00", "\N{SNOWMAN}", "a" * 300, "[" * 100,
         "|", "---", "...", ":", ",", "- ", "#"]
# MLIR 22's parser of linalg.reduce and its like crashes where one of these is no number.
UNREADABLE = re.compile(r"(?:dimensions|permutation) = \[(?![-\d, ]*\])")


class Failure(Exception):
    """What a tool did that it must not do."""


# ------------------------------------------------------------------- breaking

def break_bytes(chance, data):
    """Changes some bytes of `data`, or cuts them out."""
    data = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8))):
        if not data:
            break
        # Headers are at the beginnings and ends of files.
        place = chance.choice((chance.randrange(len(data)),
                               chance.randrange(min(len(data), 128)),
                               len(data) - 1 - chance.randrange(min(len(data), 128))))
        match chance.randrange(6):
            case 0:
                data[place] ^= 1 << chance.randrange(8)
            case 1:
                data[place] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, 0x0A, 0x22))
            case 2:
                del data[place:]
            case 3:
                del data[place:place + chance.choice((1, 4, 64))]
            case 4:
                data[place:place] = chance.randbytes(chance.choice((1, 4, 64)))
            case 5:
                width = chance.choice((2, 4, 8))
                value = chance.choice((0, 1, 2**15, 2**31, 2**31 - 1, 2**32 - 1,
                                       2**63, 2**63 - 1, 2**64 - 1))
                data[place:place + width] = (value % 256**width).to_bytes(
                    width, "little")
    return bytes(data)


def break_text(chance, text, words=()):
    """Changes some tokens or lines of `text`."""
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        tokens = re.findall(r"[\w.+-]+|\s+|[^\w\s]", text)
        lines = text.splitlines(keepends=True)
        if not tokens:
            break
        place = chance.randrange(len(tokens))
        named = [i for i, token in enumerate(tokens) if re.match(r"[\w.+-]", token)]
        numeric = [i for i, token in enumerate(tokens) if re.match(r"[+-]?\d", token)]
        row = chance.randrange(len(lines))
        match chance.randrange(9):
            case 0 | 1 if named:
                tokens[chance.choice(named)] = chance.choice(
                    [*WORDS, *NUMBERS, *words])
            case 2 | 3 if numeric:
                tokens[chance.choice(numeric)] = chance.choice(NUMBERS)
            case 4:  # A key and its value.
                pairs = list(re.finditer(r"[\w.-]+: *([\w.-]+|\[[^]]*\]),? *", text))
                if pairs:
                    pair = chance.choice(pairs)
                    text = text[:pair.start()] + text[pair.end():]
                    continue
                del tokens[place]
            case 5:
                del lines[row]
                text = "".join(lines)
                continue
            case 6:
                lines.insert(chance.randrange(len(lines) + 1), lines[row])
                text = "".join(lines)
                continue
            case 7:
                if chance.randrange(3):
                    tokens[place], tokens[place - 1] = tokens[place - 1], tokens[place]
                else:
                    del tokens[place:]
            case _:
                del tokens[place]
        text = "".join(tokens)
    return text


def break_safetensors(chance, data):
    """Changes the file's bytes, or what its header says."""
    if chance.randrange(3) == 0:
        return break_bytes(chance, data)
    (length,) = struct.unpack("<Q", data[:8])
    header, rest = json.loads(data[8:8 + length]), data[8 + length:]
    names = [name for name in header if name != "__metadata__"]
    if not names:
        return break_bytes(chance, data)
    entry = header[chance.choice(names)]
    match chance.randrange(8):
        case 0:
            entry["dtype"] = chance.choice(("F32", "F16", "BF16", "F64", "I32", "I64",
                                            "BOOL", "U8", "F8_E4M3", "f32", "", 3,
                                            None))
        case 1:
            entry["shape"] = chance.choice((
                entry["shape"][::-1], entry["shape"] + [1], entry["shape"][1:], [],
                [0], [-1], [2**62, 4], [2**32, 2**32], [1.5], "6", None,
                [1] * 40 + entry["shape"], [math.prod(entry["shape"])]))
        case 2:
            begin, end = entry["data_offsets"]
            entry["data_offsets"] = chance.choice((
                [begin + 4, end + 4], [end, begin], [begin], [begin, end, end],
                [-4, end], [0, 2**63 - 1], [begin, begin], [begin, end + 0.5], None))
        case 3:
            name = chance.choice(names)
            header[chance.choice((name + "x", "", "a" * 3000, "\ud800", "x\0y", "\n",
                                  name.upper(), "." + name))] = header.pop(name)
        case 4:
            del header[chance.choice(names)]
        case 5:  # Elements as they may well be.
            values = bytearray(rest)
            place = chance.randrange(max(len(values) // 4, 1)) * 4
            values[place:place + 4] = struct.pack("<f", chance.choice(
                (0.0, -0.0, 1e9, -1e9, 1e-40)))
            rest = bytes(values)
        case 6:
            text = break_text(chance, json.dumps(header)).encode("utf-8", "replace")
            return struct.pack("<Q", len(text)) + text + rest
        case 7:
            del entry[chance.choice(list(entry))]
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + rest


def read_arrays(path):
    """Arrays of an .npz as [header's dictionary, bytes], by their names."""
    arrays = {}
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            data = archive.read(member)
            (length,) = struct.unpack("<H", data[8:10])
            arrays[member.removesuffix(".npy")] = [
                ast.literal_eval(data[10:10 + length].decode()), data[10 + length:]]
    return arrays


def write_arrays(path, arrays, compression):
    members = {}
    for name, (entries, data) in arrays.items():
        text = repr(entries) if isinstance(entries, dict) else entries
        text += " " * (-(len(text) + 11) % 64) + "\n"
        members[name + ".npy"] = (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text))
                                  + text.encode("utf-8", "replace") + data)
    npz.write_members(path, members, compression)


def break_array(chance, arrays, name):
    """Changes what array `name` is or holds."""
    entries, data = arrays[name]
    code = npz.TYPE_CODES.get(entries["descr"], "B")
    width, shape = struct.calcsize(code), entries["shape"]
    count = len(data) // width
    match chance.randrange(9):
        case 0:
            entries["descr"] = chance.choice(("<f4", "<f8", "<i4", "<i8", "|b1", "|u1",
                                              "<f2", ">f4", "<U4", "|O", "<M8[ns]"))
        case 1:
            entries["shape"] = chance.choice((
                shape[::-1], (*shape, 1), shape[1:], (count,), (), (0,), (0, 2**62),
                (2**62, 8), (-1,), (1,) * 9, (2, 0), (count, 1), (1, count)))
        case 2:
            entries["fortran_order"] = chance.choice((True, 1, None))
        case 3 | 4 if count:
            values = [0, 1, -1, 2, 127, 255, 2**31 - 1, -2**31, 2**31, 2**63 - 1,
                      -2**63] if code in "bBiq" else [0.0, 0.5, -1.0, 1e9, math.nan,
                                                      math.inf, 1e-40, 2.0**31]
            place = chance.randrange(count) * width
            try:
                value = struct.pack("<" + code, chance.choice(values))
            except struct.error:
                value = b"\xff" * width
            arrays[name][1] = data[:place] + value + data[place + width:]
        case 5:
            rows = shape[0] if shape else 0
            if rows:
                one = len(data) // rows
                keep = chance.choice((0, 1, rows - 1, rows + 1))
                entries["shape"] = (keep, *shape[1:])
                arrays[name][1] = (data + data)[:keep * one]
        case 6:
            arrays[name][1] = data[:chance.randrange(len(data) + 1)]
        case 7:
            del arrays[name]
        case _:
            arrays[name + chance.choice(("2", " ", "\n", "/", ".npy", "%s", "."))] = (
                arrays.pop(name))


def break_npz(chance, source, target):
    """Writes what is broken of a graph file."""
    arrays = read_arrays(source)
    for _ in range(chance.choice((1, 1, 2))):
        if arrays:
            break_array(chance, arrays, chance.choice(list(arrays)))
    if chance.randrange(4) == 0:
        extra = chance.choice(("num_nodes", "batch", "ptr", "num_graphs", "cluster",
                               "y", "train_mask", "attention_mask", "indptr",
                               "indices", "num_sources", "num_destinations", "format",
                               "x.indptr"))
        shape = chance.choice(((), (1,), (3,), (34,), (2, 2)))
        values = [chance.choice((0, 1, 2, -1, 34, 2**31, 2**62, 2**63 - 1))
                  for _ in range(math.prod(shape))]
        arrays[extra] = [{"descr": "<i8", "fortran_order": False, "shape": shape},
                         struct.pack(f"<{len(values)}q", *values)]
    write_arrays(target, arrays, chance.choice(
        (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)))
    if chance.randrange(5) == 0:
        target.write_bytes(break_bytes(chance, target.read_bytes()))


def write_text_graph(chance, source, target):
    """Writes the edges of a graph as text that is broken."""
    arrays = read_arrays(source)
    if "edge_index" not in arrays:
        return False
    entries, data = arrays["edge_index"]
    values = struct.unpack(f"<{len(data) // 8}q", data) if (
        entries["descr"] == "<i8") else []
    edges = list(zip(values[:len(values) // 2], values[len(values) // 2:]))[:12]
    nodes = max([0, *(node + 1 for edge in edges for node in edge)])
    comma = "," if target.suffix == ".csv" else " "
    lines = [f"{a}{comma}{b}{comma}0.5" for a, b in edges]
    if target.suffix == ".mtx":
        lines = ["%%MatrixMarket matrix coordinate real general",
                 f"{nodes} {nodes} {len(edges)}",
                 *(f"{b + 1} {a + 1} 0.5" for a, b in edges)]
    text = break_text(chance, "\n".join(lines) + "\n").encode("utf-8", "replace")
    target.write_bytes(break_bytes(chance, text) if chance.randrange(4) == 0 else text)
    return True


# -------------------------------------------------------------------- running

class Case:
    """One broken input in a folder of its own."""

    def __init__(self, arguments, name):
        self.arguments = arguments
        self.chance = random.Random(name)
        self.folder = arguments.scratch / re.sub(r"[^\w.-]+", "-", name)
        self.commands = []
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "out").mkdir(parents=True)

    def tool(self, name, *options, is_text=False):
        """Runs a tool; whether it succeeded, and what it said."""
        command = [str(self.arguments.tools / name), *map(str, options)]
        self.commands.append(shlex.join(command))
        out = self.folder / "out"
        before = {path.name for path in out.iterdir()}
        try:
            done = subprocess.run(
                command, capture_output=True, stdin=subprocess.DEVNULL,
                timeout=self.arguments.timeout,
                preexec_fn=lambda: resource.setrlimit(
                    resource.RLIMIT_AS, (self.arguments.memory,) * 2)
                if self.arguments.memory else None)
        except subprocess.TimeoutExpired:
            raise Failure(f"{name} takes more than {self.arguments.timeout} s"
                          ) from None
        said = done.stderr.decode("utf-8", "backslashreplace")
        if done.returncode not in (0, 1):
            raise Failure(f"{name} exits with {done.returncode}: {said[-2000:]}")
        if done.returncode == 0:
            if " error: " in said or "\nerror: " in said:
                raise Failure(f"{name} succeeds, but says: {said}")
            return True, said
        left = {path.name for path in out.iterdir()} - before
        if left:
            raise Failure(f"{name} fails, but leaves {left}")
        errors = re.findall(r"(?:^|: )error: ", said, re.MULTILINE)
        lines = said.splitlines()
        # Mistakes in files of weights are listed.
        is_list = all("error: entry '" in line or re.search(r"error: \d+ more ", line)
                      for line in lines)
        if not errors or not is_text and (
                len(lines) != len(errors) or len(errors) != 1 and not is_list):
            raise Failure(f"{name} says not one sentence: {said[:2000]}")
        if len(said) > (10000 if is_list else 3000) and not is_text:
            raise Failure(f"{name} says {len(said)} characters: {said[:2000]}")
        if re.search(r"[\0-\x08\x0b-\x1f\x7f]", said):
            raise Failure(f"{name} says what cannot be printed: {said!r}")
        if done.stdout and name != "gnn-compile":
            raise Failure(f"{name} fails, but prints: {done.stdout[:500]}")
        return False, said

    def compare(self, model, library, graph, *options):
        """Runs a library and the interpreter, which must agree."""
        result = self.folder / "out" / "y.npz"
        runs, said = self.tool("gnn-run-library", library, "--graph", graph,
                               "--output", result, "--quiet", *options)
        check = ["--check", result, "--rtol", "1e-4", "--atol", "1e-5"] if runs else []
        try:
            agrees, other = self.tool("gnn-run", model, "--interpret", "--graph", graph,
                                      "--quiet", *check, *options)
        except Failure as failure:
            raise Failure(f"{failure} (the library runs: {runs})") from None
        if agrees != runs:
            raise Failure(f"the library {'runs' if runs else 'fails: ' + said}, and "
                          f"the interpreter says: {other}")


def graphs_of(arguments, folder):
    with zipfile.ZipFile(folder / "expected.npz") as archive:
        names = sorted({name.split("/")[0] for name in archive.namelist()})
    return [arguments.graphs / f"{name}.npz" for name in names]


def compile_options(chance):
    """Cheap ones mostly."""
    return chance.choice((["-O0"], ["-O0"], ["-O1", "--topology=sparse"],
                          ["-O1", "--topology=dense"]))


def check_description(case, folder, arguments):
    model, library = case.folder / "model", case.folder / "out" / "model.so"
    model.mkdir()
    shutil.copy(folder / "model.safetensors", model)
    text = (folder / "model.yaml").read_text(encoding="utf-8")
    text = break_text(case.chance, text, re.findall(r"[\w.+-]+", text))
    (model / "model.yaml").write_bytes(text.encode("latin-1", "replace")
                                       if "\xff" in text else text.encode())
    if case.tool("gnn-compile", model, "-o", library, "--emit=so",
                 *compile_options(case.chance))[0]:
        case.compare(model, library, case.chance.choice(graphs_of(arguments, folder)))


def is_moderate(data):
    """Whether float32 and the interpreter, which computes in float64 before it rounds,
    agree: sums stay in range, and scores are not larger than what they differ by."""
    (length,) = struct.unpack("<Q", data[:8])
    values = data[8 + length:]
    return all(abs(value) < 100 for (value,) in
               struct.iter_unpack("<f", values[:len(values) // 4 * 4]))


def check_weights(case, folder, arguments):
    model, library = case.folder / "model", case.folder / "out" / "model.so"
    model.mkdir()
    shutil.copy(folder / "model.yaml", model)
    weights = break_safetensors(case.chance,
                                (folder / "model.safetensors").read_bytes())
    (model / "model.safetensors").write_bytes(weights)
    compiles, _ = case.tool("gnn-compile", model, "-o", library,
                            *compile_options(case.chance))
    if compiles and is_moderate(weights):
        case.compare(model, library, case.chance.choice(graphs_of(arguments, folder)))


def library_of(arguments, folder):
    """The library of the folder's model as it is, which is compiled once."""
    library = arguments.scratch / f"{folder.name}.so"
    if not library.exists():
        subprocess.run([arguments.tools / "gnn-compile", folder, "-o", library, "-O1"],
                       check=True)
    return library


def check_graph(case, folder, arguments):
    graph = case.folder / "graph.npz"
    break_npz(case.chance, case.chance.choice(graphs_of(arguments, folder)), graph)
    options = case.chance.choice(([], [], [], ["--sample=2,2"], ["--clusters=3"],
                                  ["--sample=-1", "--batch-size=2"]))
    library = library_of(arguments, folder)
    if options:
        case.tool("gnn-run-library", library, "--graph", graph, "--quiet", *options)
    else:
        case.compare(folder, library, graph)


def check_text(case, folder, arguments):
    source = case.chance.choice(graphs_of(arguments, folder))
    graph = case.folder / f"graph.{case.chance.choice(('mtx', 'txt', 'csv', 'tsv'))}"
    if write_text_graph(case.chance, source, graph):
        case.tool("gnn-run-library", library_of(arguments, folder), "--graph", graph,
                  "--output", case.folder / "out" / "y.npz", "--quiet")
        case.tool("gnn-encode", graph, "-o", case.folder / "out" / "z.npz", "--degrees")


def check_encode(case, folder, arguments):
    source = case.chance.choice(graphs_of(arguments, folder))
    graph = case.folder / "graph.npz"
    if case.chance.randrange(2):
        break_npz(case.chance, source, graph)
    else:
        shutil.copy(source, graph)
    chosen = case.chance.sample(("--laplacian=", "--laplacian-pairs", "--random-walk=",
                                 "--degrees", "--shortest-paths=", "--virtual-nodes",
                                 "--paths=", "--path-features="),
                                case.chance.choice((1, 2, 3)))
    values = [*NUMBERS, "2", "3", "3", "3:a", "4:x", "x", "edge_attr", "edge_index", ":",
              "3:", ""]
    case.tool("gnn-encode", graph, "-o", case.folder / "out" / "z.npz",
              *(option + case.chance.choice(values) if option.endswith("=") else option
                for option in chosen))


def check_mlir(case, path, arguments):
    # What a test expects is for gnn-opt alone.
    blocks = [re.sub("//.*", "", block) for block in path.read_text(
        encoding="utf-8").split("// -----")]
    block = case.chance.choice(blocks)
    source = case.folder / "model.mlir"
    text = break_text(case.chance, block, re.findall(r"[\w.+-]+", block))
    if UNREADABLE.search(text):
        return
    source.write_bytes(text.encode())
    turn = case.chance.randrange(4)
    if turn == 0:
        case.tool("gnn-interpret", source, is_text=True)
    elif turn == 1:
        case.tool("gnn-opt", source, is_text=True)
    case.tool("gnn-compile", source, "-o", case.folder / "out" / "model.so", "-O0",
              is_text=True)


KINDS = {"description": check_description, "weights": check_weights,
         "graph": check_graph, "text": check_text, "encode": check_encode,
         "mlir": check_mlir}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("inputs", type=pathlib.Path, nargs="+")
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--graphs", type=pathlib.Path, required=True)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("--kinds", default=",".join(KINDS), metavar="KIND,...")
    parser.add_argument("--cases", type=int, default=10, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="N")
    parser.add_argument("--timeout", type=float, default=20, metavar="SECONDS")
    parser.add_argument("--memory", type=int, default=16 << 30, metavar="BYTES")
    arguments = parser.parse_args()

    arguments.scratch.mkdir(parents=True, exist_ok=True)
    failures = cases = 0
    for number in range(arguments.first, arguments.first + arguments.cases):
        for path in arguments.inputs:
            for kind in arguments.kinds.split(","):
                if (kind == "mlir") != path.is_file():
                    continue
                name = f"{path.stem} {kind} {number}"
                case = Case(arguments, name)
                cases += 1
                try:
                    KINDS[kind](case, path, arguments)
                    shutil.rmtree(case.folder)
                except Failure as failure:
                    failures += 1
                    print(f"{name}: {failure}", *case.commands, sep="\n  $ ",
                          flush=True)
    print(f"{failures} of {cases} cases failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

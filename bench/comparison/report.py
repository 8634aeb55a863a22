"""Writes what was measured: JSON, a Markdown table, plots."""

import collections
import datetime
import importlib.metadata
import json
import math
import platform
import re
import statistics
import subprocess

from .measure import OURS

PACKAGES = ["torch", "torch-geometric", "onnxruntime", "onnx", "openvino", "dgl",
            "numpy"]
SETTINGS = ("Peers run with the same number of threads, in inference mode, "
            "warmed up, on edges sorted by destination{inputs}. "
            "OpenMP threads of ours "
            "stop waiting actively after 1 ms (KMP_BLOCKTIME=1), so that they "
            "do not disturb the peers in the same process; before each side's "
            "turn is a pause of 10 ms for the same reason.")


def version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def machine():
    """The processor and its caches."""
    result = {"system": platform.system(), "machine": platform.machine()}
    text = subprocess.run(["lscpu"], capture_output=True, text=True,
                          env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if re.match(r"(Model name|CPU family|Model|CPU\(s\)|L1d|L2|L3)", key):
            result[key.strip()] = value.strip()
        if key == "Flags":
            result["vector units"] = [flag for flag in value.split()
                                      if re.match("avx|amx|fma$", flag)]
    return result


def commit(root):
    """Of these sources; a bundle has it in a file."""
    if (root / "commit").exists():
        return (root / "commit").read_text().strip()
    return subprocess.run(["git", "-C", root, "rev-parse", "--short", "HEAD"],
                          capture_output=True, text=True).stdout.strip()


def about(root):
    """What the numbers depend on."""
    return {"date": datetime.date.today().isoformat(), "commit": commit(root),
            "machine": machine(), "inputs": "begin with a cache line",
            "versions": {"python": platform.python_version(),
                         **{name: version(name) for name in PACKAGES}}}


# ------------------------------------------------------------------- the table


def number(value):
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def cell(spread):
    return (f"{number(spread['median'])} "
            f"({number(spread['q1'])}-{number(spread['q3'])})")


def best_peer(row):
    """The fastest peer, by the ratio to ours; a name with `gnn-mlir` in it is
    another variant of ours and no peer."""
    peers = {name: ratio for name, ratio in row["ratios"].items()
             if OURS not in name}
    if not peers:
        return None
    return min(peers, key=lambda name: peers[name]["median"])


def table(rows, family):
    """A row of the table for each row: ours, every other, the best ratio."""
    rows = [row for row in rows if row["family"] == family]
    names = []
    for row in rows:
        for name in [*row["times"], *row["absent"]]:
            if name not in names and name != OURS:
                names.append(name)
    has_bound = any("bound" in row for row in rows)
    unit = rows[0].get("unit", "ms")
    header = ["row", "threads", f"{OURS}, {unit}",
              *[f"{n}, {unit}" for n in names], "best peer / ours"]
    header += ["share of the bound"] * has_bound
    lines = ["| " + " | ".join(header) + " |",
             "|---|" + "--:|" * (len(header) - 1)]
    for row in rows:
        if "error" in row:
            lines.append(f"| {row['name']} | {row['threads']} | **"
                         f"{row['error']}** |" + " |" * (len(header) - 3))
            continue
        cells = [row["name"], str(row["threads"]), cell(row["times"][OURS])]
        for name in names:
            if name in row["times"]:
                cells.append(number(row["times"][name]["median"]))
            else:
                cells.append("—")
        best = best_peer(row)
        cells.append(cell(row["ratios"][best]) if best else "")
        if has_bound:
            cells.append(cell(row["bound"]) if "bound" in row else "")
        lines.append("| " + " | ".join(cells) + " |")
    reasons = sorted({f"{name}: {reason}" for row in rows
                      for name, reason in row["absent"].items()})
    return lines + ([""] + [f"* — is for {reason}" for reason in reasons]
                    if reasons else [])


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def summary(rows):
    """One line for each family and number of threads."""
    lines = ["| rows | threads | measured | lost | best peer / ours, geometric "
             "mean | PyG eager / ours | share of the bound, median | growth of "
             "that share from 1 thread |", "|---|" + "--:|" * 7]
    shares = {}
    for family, threads in dict.fromkeys((row["family"], row["threads"])
                                         for row in rows):
        some = [row for row in rows if row["family"] == family
                and row["threads"] == threads and "error" not in row]
        best = [row["ratios"][best_peer(row)]["median"] for row in some
                if best_peer(row)]
        eager = [row["ratios"]["PyG eager"]["median"] for row in some
                 if "PyG eager" in row["ratios"]]
        bounds = {row["name"]: row["bound"]["median"] for row in some
                  if "bound" in row}
        if threads == 1:
            shares[family] = bounds
        growth = [value / shares[family][name] for name, value in bounds.items()
                  if threads > 1 and name in shares.get(family, {})]
        lines.append("| " + " | ".join([
            family, str(threads), str(len(some)),
            str(sum(ratio < 1 for ratio in best)),
            number(geometric_mean(best)) if best else "",
            number(geometric_mean(eager)) if eager else "",
            number(statistics.median(bounds.values())) if bounds else "",
            number(statistics.median(growth)) if growth else ""]) + " |")
    return lines


def hubs(rows):
    """Our time on the graphs with hubs by that on the uniform one, which has as
    many edges."""
    times = {(row["family"], row["name"], row["threads"]):
             row["times"][OURS]["median"] for row in rows if "error" not in row}
    lines = []
    for (family, name, threads), value in times.items():
        uniform = re.sub(" (hub|star)", " uniform", name)
        other = times.get((family, uniform, threads))
        if uniform != name and other:
            lines.append(f"| {family} | {name} | {threads} | "
                         f"{number(value / other)} |")
    head = ["| rows | row | threads | by uniform |", "|---|---|--:|--:|"]
    return head + lines if lines else []


def rows_of_graphs():
    """How many rows a graph has in each family that runs on graphs."""
    from . import attention, models, spmm
    sums = collections.Counter(name for name, d in spmm.sampled(quick=False)
                               for _ in spmm.kinds(d))
    return {"spmm": sums,
            "attention": {name: len(attention.KERNELS) * len(attention.SIZES)
                          for name in attention.GRAPHS},
            "models": {name: len(models.KINDS) + (name in models.GPS_GRAPHS)
                       for name in models.GRAPHS}}


def coverage(rows, families):
    """What was measured on which graph, and of which families nothing was."""
    full = rows_of_graphs()
    names = list(dict.fromkeys(name for graphs in full.values()
                               for name in graphs))
    measured = collections.Counter(
        (row["family"], row["threads"], row["name"].split(", ")[1])
        for row in rows if row["family"] in full and "error" not in row)
    lines = []
    if measured:
        lines = ["Rows that were measured of those that `bench/compare.py` "
                 "makes for a graph; — is for none.", "",
                 "| rows | threads | " + " | ".join(names) + " |",
                 "|---|--:|" + "--:|" * len(names)]
    for family, threads in sorted(
            {key[:2] for key in measured},
            key=lambda key: (list(full).index(key[0]), key[1])):
        cells = [(f"{measured[family, threads, name]} of {full[family][name]}"
                  if measured[family, threads, name] else "—")
                 if name in full[family] else "" for name in names]
        lines.append(f"| {family} | {threads} | " + " | ".join(cells) + " |")
    missing = [family for family in families
               if not any(row["family"] == family for row in rows)]
    if missing:
        lines += [""] * bool(lines)
        lines += ["Not measured at all: " + ", ".join(missing) + "."]
    return lines


def picture(result, family):
    """The rows of a family that its plot shows."""
    return [row for row in result["rows"] if row["family"] == family
            and "error" not in row and best_peer(row)]


def markdown(result, families):
    versions = ", ".join(f"{k} {v}" for k, v in
                         result["about"]["versions"].items())
    cpu = result["about"]["machine"]
    inputs = result["about"].get("inputs")
    settings = SETTINGS.format(
        inputs=f", with inputs that {inputs}" if inputs else "")
    lines = ["# Comparison with other libraries", "",
             "Made by `bench/compare.py`, "
             f"{result['about']['date']}, commit {result['about']['commit']}. "
             "Times are medians of the rounds, ours with their quartiles; a "
             "ratio is a peer's time by ours in the same round, so that "
             "**below 1 we lose**. The bound is what the calibrators of "
             "`bench/Calibrators.h` would take for the same work, in the same "
             "round. " + settings, "",
             f"Processor: {cpu.get('Model name', '?')} (family "
             f"{cpu.get('CPU family', '?')}, model {cpu.get('Model', '?')}), "
             f"{cpu.get('CPU(s)', '?')} processors, caches " +
             ", ".join(f"{key.split()[0]} {value}" for key, value in cpu.items()
                       if re.match("L[123]", key)) +
             f". {versions}.", ""]
    if result["note"]:
        lines += [f"**{result['note']}**", ""]
    lines += ["## All rows", "",
              "The last column is 1 where a second thread brings us as much as "
              "it brings the calibrators.", "", *summary(result["rows"]), "",
              "## Coverage", "",
              *coverage(result["rows"], families), ""]
    for family in dict.fromkeys(row["family"] for row in result["rows"]):
        lines += [f"## {family}", ""]
        if picture(result, family):
            lines += [f"![Time of the best peer by ours, {family}]"
                      f"({family}.svg)", ""]
        lines += [*table(result["rows"], family), ""]
    table_of_hubs = hubs(result["rows"])
    if table_of_hubs:
        lines += ["## Hubs", "", *table_of_hubs, ""]
    return "\n".join(lines)


# ------------------------------------------------------------------- the plots


def plot(result, folder):
    """A picture for each family: the best peer's time by ours."""
    import matplotlib
    matplotlib.use("Agg")
    # The same file from the same numbers.
    matplotlib.rcParams["svg.hashsalt"] = "gnn-mlir"
    from matplotlib import pyplot
    for family in dict.fromkeys(row["family"] for row in result["rows"]):
        rows = picture(result, family)
        if not rows:
            continue
        figure, axes = pyplot.subplots(
            figsize=(8, 0.8 + 0.22 * len(rows)), layout="constrained")
        names = [f"{row['name']}, threads: {row['threads']}" for row in rows]
        ratios = [row["ratios"][best_peer(row)]["median"] for row in rows]
        axes.barh(names, ratios, color=["tab:blue" if r >= 1 else "tab:red"
                                        for r in ratios])
        axes.axvline(1, color="black", linewidth=1)
        axes.set_xscale("log")
        axes.invert_yaxis()
        axes.set_xlabel("time of the best peer / time of gnn-mlir")
        axes.tick_params(axis="y", labelsize=7)
        figure.savefig(folder / f"{family}.svg", metadata={"Date": None})
        pyplot.close(figure)


def write_results(result, folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(result, indent=1) + "\n")


def write(result, folder, families):
    write_results(result, folder)
    (folder / "README.md").write_text(markdown(result, families))
    plot(result, folder)

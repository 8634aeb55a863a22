"""Writes what was measured on a GPU: JSON and a Markdown page."""

import json
import pathlib
import re

from .measure import OURS
from .report import best_peer, cell, number

TITLES = {"gemm": "Products", "attention": "Attention over all pairs",
          "sparse": "Attention over listed edges", "spmm": "Aggregation",
          "rows": "Norms and softmax",
          "latency": "A layer of a small graph"}


def rate(row):
    """Work in a second, with its unit; empty where none is counted."""
    if not row.get("work") or OURS not in row["times"]:
        return ""
    unit = "TFLOP/s" if row["ceiling"].startswith("gemm") else "TB/s"
    seconds = row["times"][OURS]["median"] / 1e3
    return f"{number(row['work'] / seconds / 1e12)} {unit}"


def table(rows):
    """Ours, its rate and its share of the ceiling, then the others."""
    names = list(dict.fromkeys(
        name for row in rows for name in [*row["times"], *row["absent"]]
        if name != OURS))
    header = ["row", f"{OURS}, ms", "rate", "ceiling", "share of the ceiling",
              *[f"{name}, ms" for name in names], "best peer / ours"]
    lines = ["| " + " | ".join(header) + " |",
             "|---|" + "--:|" * (len(header) - 1)]
    for row in rows:
        if "error" in row or OURS not in row["times"]:
            reason = row.get("error") or row["absent"][OURS]
            lines.append(f"| {row['name']} | **{reason}** |" +
                         " |" * (len(header) - 2))
            continue
        best = best_peer(row)
        lines.append("| " + " | ".join([
            row["name"], cell(row["times"][OURS]), rate(row),
            row["ceiling"] if "bound" in row else "",
            cell(row["bound"]) if "bound" in row else "",
            *[number(row["times"][name]["median"]) if name in row["times"]
              else "—" for name in names],
            cell(row["ratios"][best]) if best else ""]) + " |")
    reasons = sorted({f"{name}: {reason}" for row in rows
                      for name, reason in row["absent"].items()
                      if name != OURS})
    return lines + ([""] + [f"* — is for {reason}" for reason in reasons]
                    if reasons else [])


def markdown(result):
    about = result["about"]
    versions = ", ".join(f"{name} {version}"
                         for name, version in about["versions"].items())
    lines = [f"# On {about['device']}", "",
             f"Made by `bench/gpu.py`, {about['date']}, commit "
             f"{about['commit']}; {versions}. Inputs and results stay on the "
             "device. Times are medians between events of the stream, ours with "
             "quartiles over the rounds, in each of which every side and the "
             "ceiling have a turn. The ceiling is what the vendor's library "
             "reaches: `gemm-bf16` and `gemm-f32` a product of 4096 cubed, "
             "`copy` bytes read and written, `gather` the same for rows at "
             "random places. A ratio is a peer's time by ours, so that **below 1 "
             "we lose**.", ""]
    if result.get("note"):
        lines += [f"**{result['note']}**", ""]
    for family in dict.fromkeys(row["family"] for row in result["rows"]):
        rows = [row for row in result["rows"] if row["family"] == family]
        lines += [f"## {TITLES.get(family, family)}", "", *table(rows), ""]
    return "\n".join(lines)


def file_name(device):
    """"NVIDIA H200" becomes "gpu-nvidia-h200"."""
    return "gpu-" + re.sub(r"[^a-z0-9]+", "-", device.lower()).strip("-")


def write(result, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    name = file_name(result["about"]["device"])
    (folder / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n")
    (folder / f"{name}.md").write_text(markdown(result))
    return folder / f"{name}.md"

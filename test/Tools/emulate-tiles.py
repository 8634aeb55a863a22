"""Replaces AMX in LLVM IR by calls of Inputs/emulate-tiles.c.

    emulate-tiles.py IN.ll OUT.ll

Tiles become vectors of their 1024 bytes. What the model says that it needs of
the processor no longer has AMX in it.
"""

import pathlib
import re
import sys

TILE = "<256 x i32>"
# Names, what they take besides tiles, and how many of these they take.
FUNCTIONS = {
    "tilezero": (["i16", "i16"], 0, True),
    "tileloadd64": (["i16", "i16", "ptr", "i64"], 0, True),
    "tileloaddt164": (["i16", "i16", "ptr", "i64"], 0, True),
    "tdpbf16ps": (["i16", "i16", "i16"], 3, True),
    "tilestored64": (["i16", "i16", "ptr", "i64"], 1, False),
}


def wrapper(name, types, tiles, has_result):
    """A function of tiles that calls one of their addresses."""
    numbers = [f"{type} %a{i}" for i, type in enumerate(types)]
    inputs = [f"{TILE} %t{i}" for i in range(tiles)]
    lines = [f"define internal {TILE if has_result else 'void'} "
             f"@emulate.{name}({', '.join(numbers + inputs)}) noinline {{"]
    pointers = []
    for i in range(tiles):
        lines += [f"  %p{i} = alloca {TILE}, align 64",
                  f"  store {TILE} %t{i}, ptr %p{i}, align 64"]
        pointers.append(f"ptr %p{i}")
    if has_result:
        lines.append(f"  %r = alloca {TILE}, align 64")
        pointers.append("ptr %r")
    lines.append(f"  call void @emulate_{name}({', '.join(numbers + pointers)})")
    if has_result:
        lines += [f"  %v = load {TILE}, ptr %r, align 64", f"  ret {TILE} %v"]
    else:
        lines.append("  ret void")
    types = types + ["ptr"] * len(pointers)
    return "\n".join([*lines, "}",
                      f"declare void @emulate_{name}({', '.join(types)})", ""])


def main():
    text = pathlib.Path(sys.argv[1]).read_text()
    used = [name for name in FUNCTIONS if f"@llvm.x86.{name}.internal" in text]
    if "tdpbf16ps" not in used:
        sys.exit(f"{sys.argv[1]} has no products of tiles")
    text = re.sub(r"^declare .*@llvm\.x86\.t\w+\.internal.*$", "", text,
                  flags=re.M)
    text = re.sub(r"@llvm\.x86\.(\w+)\.internal", r"@emulate.\1", text)
    text = text.replace("x86_amx", TILE)
    # The processor is llc's to say.
    text = re.sub(r' "target-cpu"="[^"]*"', "", text)
    # A feature with a minus in front is not asked for.
    for feature in ("amx-", "avx512fp16"):
        text = text.replace(f"+{feature}", f"-{feature}")
    text += "\n".join(wrapper(name, *FUNCTIONS[name]) for name in used)
    pathlib.Path(sys.argv[2]).write_text(text)


if __name__ == "__main__":
    main()

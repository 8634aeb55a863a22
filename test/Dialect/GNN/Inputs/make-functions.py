"""Makes a module of the examples in docs/Dialect.md.

    make-functions.py docs/Dialect.md

Each example of an op becomes the body of a function whose arguments are what the
example does not define. Pieces of regions, which begin with `^bb0` or cannot stand
outside of one, are left out.
"""

import pathlib
import re
import sys

# In most examples, and where an op's own say something else.
TYPES = {"%g": "!gnn.graph<csr>", "%rows": "tensor<?xi32>",
         "%columns": "tensor<?xi32>", "%n": "index", "%c0": "index",
         "%c8": "index", "%ones": "tensor<?xf32>", "%x": "tensor<?x64xf32>",
         "%q": "tensor<?x8x64xf32>", "%k": "tensor<?x8x64xf32>",
         "%v": "tensor<?x8x64xf32>", "%table": "tensor<9x8xf32>",
         "%t": "tensor<?x4xf32>", "%w": "!gnn.edges<4xf32>",
         "%score": "!gnn.edges<8xf32>"}
OWN = {"add_self_loops": {"%w": "!gnn.edges<f32>"},
       "aggregate": {"%m": "!gnn.edges<64xf32>"},
       "lookup": {"%table": "tensor<28x64xf32>", "%types": "tensor<?xi64>"},
       "position": {"%g": "!gnn.graph<block_diagonal>"},
       "reverse": {"%w": "!gnn.edges<f32>"},
       "spread_edges": {"%h": "!gnn.graph<complete>"},
       "to_csr": {"%g": "!gnn.graph<coo>"},
       "top_k_graph": {"%g": "!gnn.graph<block_diagonal>",
                       "%x": "tensor<?x3xf32>"},
       "update": {"%m": "tensor<?x64xf32>"}}


def main():
    text = pathlib.Path(sys.argv[1]).read_text()
    for section in re.split(r"\n### `gnn\.", text)[1:]:
        op = section.split("`")[0]
        types = {**TYPES, **OWN.get(op, {})}
        for i, body in enumerate(re.findall(r"```mlir\n(.*?)```", section,
                                            re.DOTALL)):
            if body.startswith("^bb0") or op == "index":
                continue
            regions = " ".join(re.findall(r"\^bb0\(.*\)", body))
            defined = set(re.findall(r"(%\w+):", regions))
            for line in re.findall(r"^\s*(%.*?) =", body, re.MULTILINE):
                defined |= set(re.findall(r"%\w+", line))
            used = dict.fromkeys(re.findall(r"%\w+", body))
            arguments = ", ".join(f"{name}: {types[name]}" for name in used
                                  if name not in defined)
            print(f"func.func @{op}_{i}({arguments}) {{\n{body}  return\n}}")


if __name__ == "__main__":
    main()

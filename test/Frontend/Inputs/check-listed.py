"""Checks that pages of the documentation name every type of layer.

    not gnn-compile MODEL-WITH-AN-UNKNOWN-LAYER 2>&1 | check-listed.py PAGE...

The message about an unknown type, on stdin, lists those that there are.
"""

import pathlib
import re
import sys

message = re.search(r"\(known are (.*)\)", sys.stdin.read())
types = message[1].split(", ") if message else []
if "GCNConv" not in types:
    sys.exit("no list of types to check")
failed = False
for page in sys.argv[1:]:
    text = pathlib.Path(page).read_text()
    for name in types:
        if f"`{name}`" not in text:
            print(f"{page} does not mention `{name}`")
            failed = True
sys.exit(failed)

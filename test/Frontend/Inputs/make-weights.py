"""Writes a safetensors file for the tests of the frontend.

    make-weights.py FILE [NAME=SHAPE[:DTYPE[+FIRST]]...] [--truncate=BYTES]
                    [--header-length=N] [--header=TEXT]

SHAPE is 5x6, or empty for a scalar; DTYPE is F32 (the default), F64, F16, BF16
or I64. Elements are FIRST (default 0), FIRST + 1, ..., divided by 8 if they are
floats. --truncate drops bytes at the end, --header-length announces another
length than the header has, --header replaces it.
"""

import json
import pathlib
import struct
import sys


def encode(dtype, number):
    if dtype == "I64":
        return struct.pack("<q", number)
    if dtype == "BF16":
        return struct.pack("<f", number / 8)[2:]
    return struct.pack({"F32": "<f", "F64": "<d", "F16": "<e"}[dtype],
                       number / 8)


def main():
    path = pathlib.Path(sys.argv[1])
    entries, options = {}, {}
    data = b""
    for argument in sys.argv[2:]:
        name, _, value = argument.partition("=")
        if name.startswith("--"):
            options[name[2:]] = value
            continue
        text, _, dtype = value.partition(":")
        dtype, _, first = dtype.partition("+")
        shape = [int(size) for size in text.split("x")] if text else []
        count = 1
        for size in shape:
            count *= size
        begin = len(data)
        data += b"".join(encode(dtype or "F32", int(first or 0) + i)
                         for i in range(count))
        entries[name] = {"dtype": dtype or "F32", "shape": shape,
                         "data_offsets": [begin, len(data)]}
    header = options.get("header", json.dumps(entries)).encode()
    length = int(options.get("header-length", len(header)))
    contents = struct.pack("<Q", length) + header + data
    path.write_bytes(contents[:len(contents) - int(options.get("truncate", 0))])


if __name__ == "__main__":
    main()

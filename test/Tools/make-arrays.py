"""Writes an .npz file of vectors, or of matrices of the rows between semicolons.

    make-arrays.py OUT.npz NAME=DTYPE:VALUE,VALUE,...[;VALUE,...] ...

DTYPE is NumPy's name, "<i8" for int64.
"""

import sys

import npz


def parse(text):
    name, _, rest = text.partition("=")
    dtype, _, values = rest.partition(":")
    number = float if dtype.startswith("<f") else int
    rows = [[number(value) for value in row.split(",") if value]
            for row in values.split(";")]
    shape = (len(rows[0]),) if len(rows) == 1 else (len(rows), len(rows[0]))
    return name, (dtype, shape, [value for row in rows for value in row])


npz.write(sys.argv[1], dict(map(parse, sys.argv[2:])))

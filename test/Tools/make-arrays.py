"""Writes an .npz file of vectors.

    make-arrays.py OUT.npz NAME=DTYPE:VALUE,VALUE,... ...

DTYPE is NumPy's name, "<i8" for int64.
"""

import sys

import npz


def parse(text):
    name, _, rest = text.partition("=")
    dtype, _, values = rest.partition(":")
    number = float if dtype.startswith("<f") else int
    values = [number(value) for value in values.split(",") if value]
    return name, (dtype, (len(values),), values)


npz.write(sys.argv[1], dict(map(parse, sys.argv[2:])))

"""Writes values.npz: float32 `x` over all magnitudes and around the places where
approximations change their form, and `zero`, as many float64 zeros; `rows` and
`zeros`, the same in rows of 16.

    python3 make-values.py values.npz
"""

import math
import struct
import sys
import zipfile


def npy(descr, shape, data):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %r, }" % (
        descr, shape)
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) +
            header.encode() + data)


def make_values():
    # Every exponent, a few mantissas, both signs.
    for exponent in range(-126, 128):
        for mantissa in (1.0, 1.1, 1.37, 1.6180339, 1.99):
            value = math.ldexp(mantissa, exponent)
            yield value
            yield -value
    # Where results neither under- nor overflow: densely.
    for i in range(-20000, 20001):
        yield i / 230.0
    yield from (0.0, math.inf, -math.inf, math.nan)


values = list(make_values())
# Infinities and NaN are the last ones.
rows = values[len(values) % 16:]
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for name, zeros, numbers, shape in (
        ("x", "zero", values, (len(values),)),
        ("rows", "zeros", rows, (len(rows) // 16, 16)),
    ):
        archive.writestr(
            name + ".npy",
            npy("<f4", shape, struct.pack("<%df" % len(numbers), *numbers)))
        archive.writestr(zeros + ".npy",
                         npy("<f8", shape, bytes(8 * len(numbers))))

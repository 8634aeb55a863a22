"""Writes values.npz: float32 `x` over all magnitudes and around the places where
approximations change their form, and `zero`, as many float64 zeros.

    python3 make-values.py values.npz
"""

import math
import struct
import sys
import zipfile


def npy(descr, count, data):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }" % (
        descr, count)
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
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    archive.writestr(
        "x.npy",
        npy("<f4", len(values), struct.pack("<%df" % len(values), *values)))
    archive.writestr("zero.npy", npy("<f8", len(values), bytes(8 * len(values))))

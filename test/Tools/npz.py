"""NumPy's .npz files with nothing but the standard library.

An array is (descr, shape, values): NumPy's name of the dtype ("<f4", "<i8",
...), a tuple, and the elements in row-major order.
"""

import array
import ast
import itertools
import operator
import struct
import zipfile

TYPE_CODES = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q", "|b1": "B"}


def header(descr, shape, fortran_order=False):
    """The bytes of an .npy file before its data."""
    text = (f"{{'descr': {descr!r}, 'fortran_order': {fortran_order}, "
            f"'shape': {tuple(shape)!r}, }}")
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def npy(descr, shape, values, fortran_order=False):
    """The bytes of an .npy file."""
    data = array.array(TYPE_CODES[descr], values).tobytes()
    return header(descr, shape, fortran_order) + data


def write_members(path, members, compression=zipfile.ZIP_DEFLATED):
    """Writes a zip archive of `members`, a dict from name to bytes."""
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in members.items():
            # The date is fixed, so that equal arrays give equal files.
            archive.writestr(zipfile.ZipInfo(name), data, compression)


def write(path, arrays, compression=zipfile.ZIP_DEFLATED):
    """Writes `arrays`, a dict from name to (descr, shape, values)."""
    write_members(path, {f"{name}.npy": npy(*contents)
                         for name, contents in arrays.items()}, compression)


def row_major(shape, values):
    """Elements whose first index changes fastest, in row-major order."""
    strides = list(itertools.accumulate((1, *shape[:-1]), operator.mul))
    return [values[sum(map(operator.mul, index, strides))]
            for index in itertools.product(*map(range, shape))]


def names(path):
    """The names of the arrays."""
    with zipfile.ZipFile(path) as archive:
        return [name.removesuffix(".npy") for name in archive.namelist()]


def read(path, name):
    """(descr, shape, values) of the array `name`."""
    with zipfile.ZipFile(path) as archive:
        data = archive.read(f"{name}.npy")
    (length,) = struct.unpack("<H", data[8:10])
    entries = ast.literal_eval(data[10:10 + length].decode())
    values = array.array(TYPE_CODES[entries["descr"]], data[10 + length:])
    shape = entries["shape"]
    if entries["fortran_order"]:
        return entries["descr"], shape, row_major(shape, values)
    return entries["descr"], shape, list(values)

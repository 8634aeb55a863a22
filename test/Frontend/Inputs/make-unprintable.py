"""Writes the weights and arrays of errors-names.test, whose names no one types.

    make-unprintable.py FOLDER
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tools"))
import npz  # noqa: E402


def write_weights(folder, header, data=b""):
    header = header.encode()
    (folder / "model.safetensors").write_bytes(
        len(header).to_bytes(8, "little") + header + data)


def entry(shape, begin, end):
    return {"dtype": "F32", "shape": shape, "data_offsets": [begin, end]}


folder = pathlib.Path(sys.argv[1])
write_weights(folder / "weights", json.dumps({
    "lin.weight": entry([5, 6], 0, 120), "lin.bias\n": entry([5], 120, 140),
    "\u00e9\x1b[31m\0 \u202e\"x\"": entry([], 140, 144),
    "long" * 1000: entry([], 144, 148)}), bytes(148))
write_weights(folder / "twice", r'{"a\nb": {}, "a\u000ab": {}}')

# libzip opens no archive with control characters of ASCII in names.
rows = {"x.npy": npz.npy("<f4", (2, 1), [1, 2])}
npz.write_members(folder / "names.npz", {
    **rows, "\u00e9\u009b31m.npy": npz.npy("<f4", (1,), [1])})
text = b"{'descr': '\xff\n', 'fortran_order': False, 'shape': (2, 1), }\n"
npz.write_members(folder / "descr.npz", {
    "x.npy": b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text})

"""Makes graph files that are wrong, each in one way.

    make-graphs.py FOLDER

The model they are for takes x [N, 6] and edge_weight [E]; `good.npz`, with 4
nodes and 3 edges, is right.
"""

import pathlib
import struct
import sys
import zipfile

TESTS = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TESTS / "Tools"))
import npz  # noqa: E402

GOOD = {
    "x": ("<f4", (4, 6), [0.5] * 24),
    "edge_index": ("<i8", (2, 3), [0, 1, 2, 1, 2, 3]),
    "edge_weight": ("<f4", (3,), [1, 2, 3]),
    "batch": ("<i8", (4,), [0, 0, 1, 1]),
}


def arrays(**changes):
    """The good arrays with some replaced, or left out where they are None."""
    return {name: contents for name, contents in {**GOOD, **changes}.items()
            if contents is not None}


# Archives that are fine, with arrays that are not.
WRONG_ARRAYS = {
    "good": {},
    "index-too-large": {"edge_index": ("<i8", (2, 3), [0, 1, 4, 1, 2, 3])},
    "index-huge": {"edge_index": ("<i8", (2, 3), [0, 1, 1 << 40, 1, 2, 3])},
    "index-negative": {"edge_index": ("<i8", (2, 3), [0, 1, 2, 1, -1, 3])},
    "index-float": {"edge_index": ("<f4", (2, 3), [0, 1, 2, 1, 2, 3])},
    "index-nan": {"edge_index": ("<f8", (2, 3), [0, 1, float("nan"), 1, 2, 3])},
    "index-bool": {"edge_index": ("|b1", (2, 3), [0, 1, 0, 1, 0, 1])},
    "index-flat": {"edge_index": ("<i8", (6,), [0, 1, 2, 1, 2, 3])},
    "index-transposed": {"edge_index": ("<i8", (3, 2), [0, 1, 1, 2, 2, 3])},
    "index-deep": {"edge_index": ("<i8", (2, 3, 1), [0, 1, 2, 1, 2, 3])},
    "index-missing": {"edge_index": None},
    "index-renamed": {
        "edge_index": None, "edges": ("<i8", (2, 3), [0, 1, 2, 1, 2, 3]),
        "edge_weight": ("<f4", (16,), [1] * 16)},
    "index-none": {
        "edge_index": None, "edge_weight": ("<f4", (16,), [1] * 16)},
    "no-x": {"x": None},
    "no-weight": {"edge_weight": None},
    "x-narrow": {"x": ("<f4", (4, 5), [0.5] * 20)},
    "x-flat": {"x": ("<f4", (24,), [0.5] * 24)},
    "x-deep": {"x": ("<f4", (4, 6, 1), [0.5] * 24)},
    "x-scalar": {"x": ("<f4", (), [0.5])},
    "x-nan": {"x": ("<f4", (4, 6), [float("nan")] * 24)},
    "x-too-large": {"x": ("<f8", (4, 6), [0.5] * 23 + [1e300])},
    "weight-short": {"edge_weight": ("<f4", (2,), [1, 2])},
    "weight-long": {"edge_weight": ("<f4", (4,), [1, 2, 3, 4])},
    "weight-column": {"edge_weight": ("<f4", (3, 1), [1, 2, 3])},
    "nodes-fewer": {"num_nodes": ("<i8", (), [3])},
    "nodes-more": {"num_nodes": ("<i8", (), [5])},
    "nodes-negative": {"num_nodes": ("<i8", (), [-4])},
    "nodes-float": {"num_nodes": ("<f4", (), [4])},
    "nodes-many": {"num_nodes": ("<i8", (2,), [4, 4])},
    "pointers-alone": {"edge_index": None, "indptr": ("<i8", (5,), [0] * 5)},
    "pointers-descending": {
        "edge_index": None, "indptr": ("<i8", (5,), [0, 2, 1, 3, 3]),
        "indices": ("<i8", (3,), [0, 1, 2])},
    "pointers-end": {
        "edge_index": None, "indptr": ("<i8", (5,), [0, 1, 2, 3, 4]),
        "indices": ("<i8", (3,), [0, 1, 2])},
    "pointers-start": {
        "edge_index": None, "indptr": ("<i8", (5,), [1, 1, 2, 3, 3]),
        "indices": ("<i8", (3,), [0, 1, 2])},
    "pointers-count": {
        "edge_index": None, "indptr": ("<i8", (4,), [0, 1, 2, 3]),
        "indices": ("<i8", (3,), [0, 1, 2])},
    "pointers-too": {
        "indptr": ("<i8", (5,), [0, 0, 1, 2, 3]),
        "indices": ("<i8", (3,), [0, 1, 2])},
    "columns-alone": {
        "edge_index": None, "indices": ("<i8", (3,), [0, 1, 2]),
        "edge_weight": ("<f4", (16,), [1] * 16)},
    "columns-too-large": {
        "edge_index": None, "indptr": ("<i8", (5,), [0, 1, 2, 3, 3]),
        "indices": ("<i8", (3,), [0, 1, 9])},
    "batch-short": {"batch": ("<i8", (3,), [0, 0, 1])},
    "batch-long": {"batch": ("<i8", (6,), [0, 0, 1, 1, 1, 1])},
    "batch-descending": {"batch": ("<i8", (4,), [0, 1, 0, 1])},
    "batch-negative": {"batch": ("<i8", (4,), [-1, 0, 1, 1])},
    "batch-float": {"batch": ("<f4", (4,), [0, 0, 1, 1])},
    "batch-flat": {"batch": ("<i8", (2, 2), [0, 0, 1, 1])},
    "batch-large": {"batch": ("<i8", (4,), [0, 0, 1, 4])},
    "batch-beyond": {"num_graphs": ("<i8", (), [1])},
    "cluster-good": {"cluster": ("<i8", (4,), [1, 0, 1, 3])},
    "cluster-short": {"cluster": ("<i8", (3,), [1, 0, 1])},
    "cluster-long": {"cluster": ("<i4", (5,), [1, 0, 1, 0, 0])},
    "cluster-negative": {"cluster": ("<i8", (4,), [1, 0, -2, 1])},
    "cluster-large": {"cluster": ("<i8", (4,), [1, 0, 4, 1])},
    "cluster-beyond": {"cluster": ("<i8", (4,), [1, 0, 2, 1]),
                       "num_clusters": ("<i8", (), [2])},
    "cluster-float": {"cluster": ("<f4", (4,), [1, 0, 1, 1])},
    "cluster-flat": {"cluster": ("<i8", (2, 2), [1, 0, 1, 1])},
    "ptr-good": {"batch": None, "ptr": ("<i8", (5,), [0, 1, 1, 4, 4])},
    "ptr-short": {"batch": None, "ptr": ("<i8", (3,), [0, 2, 3])},
    "ptr-descending": {"batch": None, "ptr": ("<i8", (4,), [0, 3, 1, 4])},
    "ptr-start": {"batch": None, "ptr": ("<i8", (3,), [1, 2, 4])},
    "ptr-float": {"batch": None, "ptr": ("<f4", (3,), [0, 2, 4])},
    "ptr-huge": {"batch": None, "ptr": ("<i8", (3,), [0, 1 << 40, 4])},
    "ptr-other": {"ptr": ("<i8", (3,), [0, 1, 4])},
    "ptr-count": {"ptr": ("<i8", (3,), [0, 2, 4]), "batch": None,
                  "num_graphs": ("<i8", (), [3])},
}


def member(descr, shape, data=b"", order=False):
    return npz.header(descr, shape, order) + data


def raw(text, version=b"\x01\x00"):
    """An .npy file with this text as its header."""
    size = "<H" if version[0] == 1 else "<I"
    return (b"\x93NUMPY" + version + struct.pack(size, len(text)) +
            text.encode())


# Archives whose array x is no array, or not the one it says it is.
WRONG_MEMBERS = {
    "magic": b"\x93NUMPI" + npz.npy(*GOOD["x"])[6:],
    "version": b"\x93NUMPY\x09\x00" + npz.npy(*GOOD["x"])[8:],
    "short": b"\x93NUM",
    "header-beyond": b"\x93NUMPY\x01\x00\xff\xff{'descr': ",
    "header-huge": b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + b" " * 64,
    "no-dict": raw("[1, 2]"),
    "no-shape": raw("{'descr': '<f4', 'fortran_order': False}"),
    "bad-key": raw("{'descr': '<f4', 'fortran_order': False, 'sheep': (1,)}"),
    "after-dict": raw("{'descr': '<f4', 'fortran_order': False, 'shape': ()} x"),
    "data-short": member("<f4", (4, 6), b"\0" * 92),
    "data-long": member("<f4", (4, 6), b"\0" * 100),
    "shape-negative": member("<f4", (-4, 6), b"\0" * 96),
    "shape-huge": member("<f4", (1 << 60, 1 << 60)),
    "shape-terabytes": member("<f4", (1 << 40, 6)),
    "shape-beyond": raw("{'descr': '<f4', 'fortran_order': False, "
                        "'shape': (99999999999999999999,)}"),
    "rank": member("<f4", (1,) * 9, b"\0" * 4),
    "half": member("<f2", (4, 6), b"\0" * 48),
    "complex": member("<c8", (4, 6), b"\0" * 192),
    "big-endian": member(">f4", (4, 6), b"\0" * 96),
    "objects": member("|O", (1,), b"\0" * 8),
    "uint8": member("|u1", (4, 6), b"\x07" * 24),
}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True)
    for name, changes in WRONG_ARRAYS.items():
        npz.write(folder / f"{name}.npz", arrays(**changes))

    good = {f"{name}.npy": npz.npy(*GOOD[name])
            for name in ("edge_index", "edge_weight")}
    for name, data in WRONG_MEMBERS.items():
        npz.write_members(folder / f"member-{name}.npz",
                          {**good, "x.npy": data})
    # 2^31 edges: told in the header, with the data that a small file can hold.
    npz.write_members(folder / "member-edges.npz", {
        **good, "x.npy": npz.npy(*GOOD["x"]),
        "edge_index.npy": member("<i4", (2, 1 << 31), b"\0" * 24)})

    data = (folder / "good.npz").read_bytes()
    for name, contents in {
            "truncated-half": data[:len(data) // 2],
            "truncated-end": data[:-5],
            "truncated-start": data[20:],
            "empty": b"",
            "text": b"0 1\n1 2\n",
            "zeros": bytes(1000),
    }.items():
        (folder / f"archive-{name}.npz").write_bytes(contents)
    # One bit of the first array's data turned, which its checksum tells.
    npz.write(folder / "stored.npz", arrays(), zipfile.ZIP_STORED)
    data = bytearray((folder / "stored.npz").read_bytes())
    data[data.index(struct.pack("<f", 0.5) * 24)] ^= 1
    (folder / "archive-checksum.npz").write_bytes(data)
    (folder / "stored.npz").unlink()
    # Two arrays of one name.
    with zipfile.ZipFile(folder / "archive-twice.npz", "w") as archive:
        for name in ("x.npy", "x.npz", "edge_index.npy", "edge_weight.npy"):
            archive.writestr(name, npz.npy(*GOOD[name[:-4]]))
    data = (folder / "archive-twice.npz").read_bytes()
    (folder / "archive-twice.npz").write_bytes(data.replace(b"x.npz", b"x.npy"))


if __name__ == "__main__":
    main()

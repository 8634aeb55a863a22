"""Makes graph files and sparse matrices that are wrong, each in one way.

    make-sparse.py FOLDER

The model they are for takes a sparse x [N, 50]; `good.npz`, with 3 nodes, is
right, and so are the matrix `csr.npz`, as SciPy writes it, and `dense.npy`,
which has the same elements.
"""

import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TESTS / "Tools"))
import npz  # noqa: E402

GRAPH = {"edge_index": ("<i8", (2, 3), [0, 1, 2, 1, 2, 2])}
MATRIX = {
    "indptr": ("<i4", (4,), [0, 2, 2, 4]),
    "indices": ("<i4", (4,), [7, 0, 49, 3]),
    "data": ("<f4", (4,), [1, -2, 0.5, 4]),
    "shape": ("<i8", (2,), [3, 50]),
}
DENSE = [0.0] * 150
for row, column, value in [(0, 7, 1), (0, 0, -2), (2, 49, 0.5), (2, 3, 4)]:
    DENSE[50 * row + column] = value

# What takes the place of arrays of the matrix; None leaves one out.
WRONG = {
    "good": {},
    "no-shape": {"shape": None},
    "column": {"indices": ("<i4", (4,), [7, 0, 50, 3])},
    "negative": {"indices": ("<i4", (4,), [7, 0, -1, 3])},
    "descends": {"indptr": ("<i4", (4,), [0, 3, 2, 4])},
    "begins": {"indptr": ("<i4", (4,), [1, 2, 2, 4])},
    "ends": {"indptr": ("<i4", (4,), [0, 2, 2, 3])},
    "float-indices": {"indices": ("<f4", (4,), [7, 0, 49, 3])},
    "short-data": {"data": ("<f4", (3,), [1, -2, 0.5])},
    "flat-data": {"data": ("<f4", (2, 2), [1, -2, 0.5, 4])},
    "big-data": {"data": ("<f8", (4,), [1, -2, 1e200, 4])},
    "no-data": {"data": None},
    "no-indices": {"indices": None},
    "columns": {"shape": ("<i8", (2,), [3, 49])},
    "rows": {"shape": ("<i8", (2,), [4, 50])},
    "odd-shape": {"shape": ("<i8", (3,), [3, 50, 1])},
    "more-rows": {"indptr": ("<i4", (5,), [0, 2, 2, 4, 4]), "shape": None},
}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True)
    for name, changes in WRONG.items():
        matrix = {f"x.{part}": contents
                  for part, contents in {**MATRIX, **changes}.items()
                  if contents is not None}
        npz.write(folder / f"{name}.npz", {
            **GRAPH, **matrix,
            # Else the rows of the matrix would say how many nodes there are.
            **({"num_nodes": ("<i8", (), [3])} if name == "more-rows" else {}),
        })
    dense = ("<f4", (3, 50), DENSE)
    npz.write(folder / "graph.npz", GRAPH)
    npz.write(folder / "dense.npz", {**GRAPH, "x": dense})
    npz.write(folder / "narrow.npz",
              {**GRAPH, "x": ("<f4", (3, 49), DENSE[:147])})
    npz.write(folder / "both.npz",
              {**GRAPH, "x": dense,
               **{f"x.{part}": value for part, value in MATRIX.items()}})
    # Enough of it to be worth a note.
    rows = 1400
    npz.write(folder / "many.npz",
              {**GRAPH, "x": ("<f4", (rows, 50),
                              (DENSE * rows)[:50 * rows])})
    (folder / "dense.npy").write_bytes(npz.npy(*dense))
    members = {f"{part}.npy": npz.npy(*value)
               for part, value in MATRIX.items()}
    for form in ("csr", "csc"):
        npz.write_members(
            folder / f"{form}.npz",
            {**members, "format.npy": npz.header("|S3", ()) + form.encode()})
    npz.write_members(folder / "no-format.npz", members)
    del members["shape.npy"]
    npz.write_members(
        folder / "csr-no-shape.npz",
        {**members, "format.npy": npz.header("|S3", ()) + b"csr"})


if __name__ == "__main__":
    main()

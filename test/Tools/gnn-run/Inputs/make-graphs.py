"""Writes the graph of graph-files.test in the formats that are not text.

    make-graphs.py FOLDER
"""

import pathlib
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import npz  # noqa: E402

SOURCES, DESTINATIONS = [1, 1, 3, 0, 2], [3, 0, 0, 1, 2]
WEIGHTS = [4, 3, 4, 0.5, 2]
NODES = ("<i8", (), [4])

folder = pathlib.Path(sys.argv[1])
for name, dtype, compression in (("g", "<i8", zipfile.ZIP_DEFLATED),
                                 ("stored", "<i8", zipfile.ZIP_STORED),
                                 ("int32", "<i4", zipfile.ZIP_DEFLATED)):
    npz.write(folder / f"{name}.npz", {
        "edge_index": (dtype, (2, 5), SOURCES + DESTINATIONS),
        "edge_weight": ("<f4", (5,), WEIGHTS),
        "num_nodes": NODES}, compression)
# Rows are destinations; float64 is converted.
npz.write(folder / "csr.npz", {
    "indptr": ("<i8", (5,), [0, 2, 3, 4, 5]),
    "indices": ("<i4", (5,), [1, 3, 0, 2, 1]),
    "edge_weight": ("<f8", (5,), [3, 4, 0.5, 2, 4])})
(folder / "g.tsv").write_text("".join(
    f"{source}\t{destination}\t{weight}\n"
    for source, destination, weight in zip(SOURCES, DESTINATIONS, WEIGHTS)))

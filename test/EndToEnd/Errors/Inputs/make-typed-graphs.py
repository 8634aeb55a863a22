"""Makes graph files with node types that are wrong, each in one way.

    make-typed-graphs.py FOLDER

The model they are for has authors, who write papers, which cite papers.
"""

import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TESTS / "Tools"))
import npz  # noqa: E402

WRITES = "edge_index/author__writes__paper"
CITES = "edge_index/paper__cites__paper"
GOOD = {
    "x/paper": ("<f4", (3, 2), [0.5] * 6),
    "x/author": ("<f4", (2, 2), [0.5] * 4),
    WRITES: ("<i8", (2, 3), [0, 1, 1, 0, 1, 2]),
    CITES: ("<i8", (2, 2), [0, 1, 2, 2]),
}
WRONG = {
    "good": {},
    "no-edges": {WRITES: ("<i8", (2, 0), []), CITES: ("<i8", (2, 0), [])},
    "rows-from-csr": {WRITES: None, "indptr/author__writes__paper":
                      ("<i8", (4,), [0, 1, 2, 3]),
                      "indices/author__writes__paper":
                      ("<i8", (3,), [0, 1, 1])},
    "missing-edges": {CITES: None},
    "missing-rows": {"x/author": None},
    "missing-indices": {CITES: None, "indptr/paper__cites__paper":
                        ("<i8", (4,), [0, 0, 0, 0])},
    "source-too-large": {WRITES: ("<i8", (2, 1), [2, 0])},
    "counts-differ": {"num_nodes/paper": ("<i8", (), [4])},
    "csr-differs": {CITES: None,
                    "indptr/paper__cites__paper": ("<i8", (3,), [0, 1, 1]),
                    "indices/paper__cites__paper": ("<i8", (1,), [0])},
}
# Two papers and an author, a paper and two authors, a paper. Each paper gets its
# own number and those of its graph's authors, or papers.
BATCHES = {
    "x/paper": ("<f4", (4, 1), [1, 2, 4, 8]),
    "x/author": ("<f4", (3, 1), [10, 20, 40]),
    "batch/paper": ("<i8", (4,), [0, 0, 1, 2]),
    "batch/author": ("<i8", (3,), [0, 1, 1]),
}
POINTERS = {"batch/paper": None, "batch/author": None,
            "ptr/paper": ("<i8", (4,), [0, 2, 3, 4]),
            "ptr/author": ("<i8", (4,), [0, 1, 3, 3])}
BLOCKS = {
    "blocks": {},
    "blocks-ptr": POINTERS,
    "blocks-one": {"batch/paper": None, "batch/author": None,
                   "batch": ("<i8", (4,), [0, 0, 1, 2])},
    "blocks-half": {"batch/author": None},
    "blocks-short": {"batch/paper": ("<i8", (3,), [0, 0, 1])},
    "blocks-differ": {**POINTERS, "ptr/author": ("<i8", (3,), [0, 1, 3])},
}
EXPECTED = {
    "blocks-expected": [11, 4, 12, 5, 64, 8, 8, 16],
    "blocks-one-expected": [71, 16, 72, 17, 74, 19, 78, 23],
}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True)
    for good, variants in ((GOOD, WRONG), (BATCHES, BLOCKS)):
        for name, changes in variants.items():
            arrays = {k: v for k, v in {**good, **changes}.items()
                      if v is not None}
            npz.write(folder / f"{name}.npz", arrays)
    for name, rows in EXPECTED.items():
        npz.write(folder / f"{name}.npz", {"y/paper": ("<f4", (4, 2), rows)})


if __name__ == "__main__":
    main()

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


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True)
    for name, changes in WRONG.items():
        arrays = {k: v for k, v in {**GOOD, **changes}.items()
                  if v is not None}
        npz.write(folder / f"{name}.npz", arrays)


if __name__ == "__main__":
    main()

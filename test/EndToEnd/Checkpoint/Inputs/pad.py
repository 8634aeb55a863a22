"""Pads the sentences of a graph file, as tokenizers of Transformers do.

    pad.py SENTENCES.npz FOLDER

writes into FOLDER

  rows.npz    a row per sentence, and an attention_mask of that shape
  flat.npz    the same rows one after the other, with `batch`
  bare.npz    ... without the mask, which is in mask.npy
  left.npz    rows with the padding in front
  *.npz       mistakes
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Tools"))
import npz  # noqa: E402

NAMES = ("input_ids", "token_type_ids")


def main():
    source, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    batch = list(npz.read(source, "batch")[2])
    sizes = [batch.count(number) for number in range(batch[-1] + 1)]
    width = max(sizes)
    shape = (len(sizes), width)

    def put(name, arrays):
        npz.write(folder / f"{name}.npz",
                  {key: ("<i8", dims, values)
                   for key, (dims, values) in arrays.items()})

    def pad(values, filler, front=False):
        rows, rest = [], list(values)
        for size in sizes:
            row, rest = rest[:size], rest[size:]
            padding = [filler] * (width - size)
            rows += padding + row if front else row + padding
        return rows

    def build(front=False):
        values = {name: pad(npz.read(source, name)[2], 1, front)
                  for name in NAMES}
        values["attention_mask"] = pad([1] * len(batch), 0, front)
        return values

    rows = {name: (shape, values) for name, values in build().items()}
    flat = {name: ((len(values),), values) for name, values in build().items()}
    flat["batch"] = (flat["input_ids"][0],
                     [i for i in range(len(sizes)) for _ in range(width)])
    put("rows", rows)
    put("flat", flat)
    mask = flat["attention_mask"]
    put("bare", {name: flat[name] for name in (*NAMES, "batch")})
    (folder / "mask.npy").write_bytes(npz.npy("<i8", *mask))
    put("left", {name: (shape, values)
                 for name, values in build(front=True).items()})
    put("both", {**rows, "ptr": ((2,), [0, 4])})
    put("narrow", {**rows, "input_ids": ((4,), [1, 2, 3, 4])})
    put("two", {**rows, "attention_mask": (shape, [2] * len(sizes) * width)})
    put("deep", {**rows, "attention_mask": ((*shape, 1),
                                            rows["attention_mask"][1])})
    put("short", {**flat, "attention_mask": ((3,), [1, 1, 0])})


main()

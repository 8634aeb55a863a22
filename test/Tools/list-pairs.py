"""Makes a graph of a batch with values per pair of nodes one that lists them.

    list-pairs.py IN.npz OUT.npz PAIRS [ARRAY...]

The edges of OUT are the pairs of nodes of one graph of the batch, last to first.
PAIRS, separated by commas, are arrays in the order of a block-diagonal graph:
each gets the order of the edges. ARRAYs are copied as they are.
"""

import sys

import npz


def main():
    source, result, ordered = sys.argv[1:4]
    batch = npz.read(source, "batch")[2]
    nodes = range(len(batch))
    pairs = [(j, i) for i in nodes for j in nodes if batch[i] == batch[j]]
    pairs.reverse()
    arrays = {name: npz.read(source, name) for name in sys.argv[4:]}
    for name in filter(None, ordered.split(",")):
        descr, shape, values = npz.read(source, name)
        width = len(values) // shape[0]
        rows = [values[i * width:(i + 1) * width] for i in range(shape[0])]
        arrays[name] = (descr, shape, [v for row in rows[::-1] for v in row])
    arrays["edge_index"] = ("<i8", (2, len(pairs)),
                            [p[side] for side in range(2) for p in pairs])
    npz.write(result, arrays)


if __name__ == "__main__":
    main()

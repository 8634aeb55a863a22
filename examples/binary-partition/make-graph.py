"""Writes the graph of hierarchical sparse attention over a sequence.

    make-graph.py TOKENS.npy -o GRAPH.npz [--neighbours K]

Nodes are the tokens (rows of TOKENS.npy) and, after them, the spans of a binary
partition of the sequence: spans of level l hold 2^l tokens, the last one what
is left, up to the one that holds all. A span's row is the mean of its tokens.

* A token reads itself, the K tokens beside it to either side, beyond these K
  spans of level 1, beyond these K of level 2, and so on to the ends of the
  sequence: all of it, the farther away the coarser.
* A span reads itself and the tokens it holds.

That is what BP-Transformer (Ye et al. 2019) attends to, O(K n log n) edges for n
tokens. Any attention layer on `graph: csr` runs on it; nothing else is needed.
"""

import argparse

import numpy as np


def levels(tokens):
    """How many spans each level has, level 0 being the tokens."""
    counts = [tokens]
    while counts[-1] > 1:
        counts.append((counts[-1] + 1) // 2)
    return counts


def edges(tokens, neighbours):
    """[2, E] (sources, destinations) and the (start, end) of every span."""
    counts = levels(tokens)
    first = np.concatenate([[0], np.cumsum(counts)])  # node of each level
    spans = [(i << level, min((i + 1) << level, tokens))
             for level, count in enumerate(counts) for i in range(count)]
    pairs = []
    for node, (start, end) in enumerate(spans):
        pairs.append((node, node))
        if node >= tokens:
            pairs += [(token, node) for token in range(start, end)]
            continue
        left, right = node, node + 1  # what is not yet read
        for level, count in enumerate(counts):
            pairs += [(first[level] + i, node)
                      for i in range(max(left - neighbours, 0), left)]
            pairs += [(first[level] + i, node)
                      for i in range(right, min(right + neighbours, count))]
            # The level above goes on where this one ended, or half a span
            # before: none is left out because half of it is read.
            left = (max(left - neighbours, 0) + 1) // 2
            end = min(right + neighbours, count)
            right = (count + 1) // 2 if end == count else end // 2
    return np.array(pairs, np.int64).reshape(-1, 2).T.copy(), spans


def make_graph(rows, neighbours):
    """The arrays of the graph's file for tokens with these rows."""
    edge_index, spans = edges(len(rows), neighbours)
    means = [rows[start:end].mean(0) for start, end in spans[len(rows):]]
    x = np.concatenate([rows, np.reshape(means, (-1, rows.shape[1]))])
    return {"x": x.astype(np.float32), "edge_index": edge_index}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tokens", metavar="TOKENS.npy")
    parser.add_argument("-o", "--output", required=True, metavar="GRAPH.npz")
    parser.add_argument("--neighbours", type=int, default=2, metavar="K")
    arguments = parser.parse_args()
    arrays = make_graph(np.load(arguments.tokens), arguments.neighbours)
    np.savez_compressed(arguments.output, **arrays)
    tokens = len(np.load(arguments.tokens))
    print(f"{tokens} tokens, {len(arrays['x']) - tokens} spans, "
          f"{arrays['edge_index'].shape[1]} edges")


if __name__ == "__main__":
    main()

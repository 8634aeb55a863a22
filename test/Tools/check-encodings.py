"""Checks the encodings that gnn-encode wrote into a graph file.

    check-encodings.py make KIND OUT.npz   make a graph with known eigenvalues
    check-encodings.py check FILE.npz      check the arrays gnn-encode added

KIND is cycle:N, path:N, star:N, complete:N, torus:AxB or cycles:AxN (A cycles of
N nodes, one graph).

Every array NAME is compared with expected_NAME where the file has it. Laplacian
eigenvectors, which have no sign or order of their own, are checked for what
they are: unit length, orthogonal, signed as documented, and L v = lambda v. The
edges of path_edges must lead from source to destination, as many as
shortest_path says.
"""

import argparse
import math
import sys

import npz

PE = "laplacian_eigenvector_pe"


def make(kind, path):
    name, _, size = kind.partition(":")
    sizes = [int(s) for s in size.split("x")]
    n = math.prod(sizes)
    wave = [1 - math.cos(2 * math.pi * k / sizes[-1]) for k in range(sizes[-1])]
    if name in ("cycle", "cycles"):
        length = sizes[-1]
        pairs = [(i, i - i % length + (i + 1) % length) for i in range(n)]
        values = wave * (n // length)
    elif name == "torus":
        rows, columns = sizes
        pairs = [(i, i - i % columns + (i + 1) % columns) for i in range(n)]
        pairs += [(i, (i + columns) % n) for i in range(n)]
        values = [(1 - math.cos(2 * math.pi * k / rows) + other) / 2
                  for k in range(rows) for other in wave]
    elif name == "path":
        pairs = [(i, i + 1) for i in range(n - 1)]
        values = [1 - math.cos(math.pi * k / (n - 1)) for k in range(n)]
    elif name == "star":
        pairs = [(0, i) for i in range(1, n)]
        values = [0] + [1] * (n - 2) + [2]
    elif name == "complete":
        pairs = [(i, j) for i in range(n) for j in range(i)]
        values = [0] + [1 + 1 / (n - 1)] * (n - 1)
    else:
        raise ValueError(f"unknown kind of graph '{name}'")
    pairs += [(b, a) for a, b in pairs]
    values = sorted(values)[1:7]
    npz.write(path, {
        "edge_index": ("<i8", (2, len(pairs)), [p[side] for side in range(2)
                                                for p in pairs]),
        f"expected_{PE}_values": ("<f4", (1, len(values)), values)})


class File:
    def __init__(self, path):
        self.path = path
        self.names = set(npz.names(path))

    def get(self, name):
        return npz.read(self.path, name)[1:] if name in self.names else None


class Checker:
    def __init__(self, path):
        self.file = File(path)
        shape, index = self.file.get("edge_index")
        self.edges = list(zip(index[:shape[1]], index[shape[1]:]))
        weights = self.file.get("edge_weight")
        self.weights = weights[1] if weights else [1] * len(self.edges)
        batch = self.file.get("batch")
        n = len(batch[1]) if batch else max(index) + 1
        self.batch = batch[1] if batch else [0] * n
        self.graphs = [[] for _ in range(max(self.batch) + 1)]
        for node, number in enumerate(self.batch):
            self.graphs[number].append(node)
        self.faults = []

    def want(self, holds, what):
        if not holds:
            self.faults.append(what)

    def compare(self):
        for name in sorted(self.file.names):
            wanted = name.removeprefix("expected_")
            if wanted == name or wanted not in self.file.names:
                continue
            shape, expected = self.file.get(name)
            got_shape, got = self.file.get(wanted)
            self.want(got_shape == shape,
                      f"{wanted} has shape {got_shape}, expected {shape}")
            worst = max(map(lambda a, b: abs(a - b), got, expected))
            print(f"{wanted}: largest difference {worst:.1e}")
            self.want(worst <= 1e-5, f"{wanted} differs by {worst}")

    def check_vectors(self):
        if PE not in self.file.names:
            return
        (n, count), vectors = self.file.get(PE)
        values = self.file.get(f"{PE}_values")[1]
        degree = [0.0] * n
        for (a, b), weight in zip(self.edges, self.weights):
            degree[b] += weight if a != b else 0
        scale = [d ** -0.5 if d > 0 else 0 for d in degree]
        worst = 0
        for v in range(count):
            x = vectors[v::count]
            y = list(x)
            for (a, b), weight in zip(self.edges, self.weights):
                if a != b:
                    y[b] -= scale[a] * weight * scale[b] * x[a]
            for g, nodes in enumerate(self.graphs):
                value = values[g * count + v]
                worst = max([worst] + [abs(y[i] - value * x[i])
                                       for i in nodes])
                if v + 1 < len(nodes):
                    self.check_sign([x[i] for i in nodes], g, v)
                else:
                    self.want(not any(x[i] for i in nodes) and value == 0,
                              f"graph {g} has a vector {v}")
        print(f"eigenvectors: largest residual {worst:.1e}")
        self.want(worst <= 1e-5, f"L v - lambda v is {worst}")
        self.check_orthogonal(vectors, count)

    def check_sign(self, x, g, v):
        # In float32 several components may have become the largest.
        self.want(max(x) >= (1 - 3e-6) * max(map(abs, x)),
                  f"vector {v} of graph {g} has the wrong sign")

    def check_orthogonal(self, vectors, count):
        for g, nodes in enumerate(self.graphs):
            rows = [vectors[i * count:(i + 1) * count] for i in nodes]
            for a in range(min(count, len(nodes) - 1)):
                for b in range(a + 1):
                    dot = sum(row[a] * row[b] for row in rows)
                    self.want(abs(dot - (a == b)) <= 1e-5,
                              f"vectors {a} and {b} of graph {g}: {dot}")

    def check_paths(self):
        found = self.file.get("path_edges")
        if not found:
            return
        (count, length), paths = found
        distances = self.file.get("shortest_path")[1]
        farthest = max(distances) - 1
        pairs = [(i, j) for nodes in self.graphs for i in nodes for j in nodes]
        self.want(len(pairs) == count, f"{count} paths, not {len(pairs)}")
        for place, (destination, source) in enumerate(pairs):
            path = [e for e in paths[place * length:(place + 1) * length]
                    if e >= 0]
            node = destination
            for e in path:
                self.want(self.edges[e][1] == node, f"path {place} is broken")
                node = self.edges[e][0]
            hops = distances[place] if distances[place] <= farthest else 0
            self.want(len(path) == min(hops, length),
                      f"path {place} has {len(path)} edges, not {hops}")
            if hops <= length:
                self.want(hops == 0 or node == source,
                          f"path {place} ends at {node}, not {source}")
        print(f"paths: {count}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=("make", "check"))
    parser.add_argument("arguments", nargs="+")
    options = parser.parse_args()
    if options.action == "make":
        return make(*options.arguments)
    checker = Checker(*options.arguments)
    checker.compare()
    checker.check_vectors()
    checker.check_paths()
    return "\n".join(checker.faults) or None


if __name__ == "__main__":
    sys.exit(main())

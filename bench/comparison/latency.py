"""One tiny graph, as a service that answers one request at a time has it."""

import numpy as np
import torch

from .measure import OURS, Candidate, attempt
from .networks import Network

NODES, EDGES, WIDTH = 30, 64, 16


def candidates(library, kind, with_compiler):
    generator = np.random.default_rng(0)
    edge_index = generator.integers(0, NODES, (2, EDGES))
    edge_index = edge_index[:, np.argsort(edge_index[1], kind="stable")].copy()
    graph = library.from_edges(NODES, edge_index)
    x = generator.standard_normal((NODES, WIDTH), np.float32)
    torch.manual_seed(0)
    network = Network(kind, WIDTH).eval()
    tensor, edges = torch.from_numpy(x), torch.from_numpy(edge_index)
    model = library.model(network.description(f"{kind}-tiny"),
                          network.state_dict())
    time, compute = model.bind([graph], [x])

    def compiled():
        torch._dynamo.reset()
        run = torch.compile(network)
        return Candidate(lambda: run(tensor, edges))

    def on_dgl():
        run = network.on_dgl(graph)
        return Candidate(lambda: run(tensor))

    return {
        # Called from C: Python would take a good part of the time.
        OURS: Candidate(time, compute, seconds=model.timer([graph], [x])),
        "gnn-mlir, from Python": Candidate(time, compute),
        "PyG eager": Candidate(lambda: network(tensor, edges)),
        "DGL": attempt(on_dgl),
        **({"PyG, torch.compile": attempt(compiled)} if with_compiler else {}),
    }


@torch.inference_mode()
def rows(measurement, quick):
    for kind in ("GCN", "GAT"):
        yield measurement.row(
            "latency", f"{kind}, 2 layers, {NODES} nodes, {EDGES} edges",
            lambda: candidates(measurement.library, kind, not quick))

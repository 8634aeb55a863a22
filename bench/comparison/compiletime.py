"""How long it takes to compile: to a shared library, and what PyTorch's compiler
needs for the first result, each in a process of its own. Both compile on all
processors (gnn-compile -j, and processes of torch.compile's); the number of threads is
that of the model that runs in the end.

    python bench/compare.py --rows compile --threads 1
"""

import os
import pathlib
import subprocess
import sys
import tempfile

from .encoder import Encoder, description
from .measure import OURS, Candidate
from .networks import Network

FIRST_CALL = """\
import sys, time, torch
sys.path.insert(0, sys.argv[1])
from comparison import encoder, networks
torch.set_num_threads(int(sys.argv[3]))
if sys.argv[2] == "encoder":
    network = encoder.Plain(encoder.Encoder().eval())
    inputs = torch.randn(1, 128, encoder.WIDTH), torch.zeros(1, 1, 1, 128)
else:
    network = networks.Network("GAT", 1433).eval()
    inputs = torch.randn(2708, 1433), torch.randint(2708, (2, 10556))
with torch.inference_mode():
    start = time.perf_counter()
    torch.compile(network)(*inputs)
    print(time.perf_counter() - start)
"""


def first_call(what, threads):
    """Seconds of torch.compile's first call, with an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        process = subprocess.run(
            [sys.executable, "-c", FIRST_CALL,
             str(pathlib.Path(__file__).parent.parent), what, str(threads)],
            env={**os.environ, "TORCHINDUCTOR_CACHE_DIR": cache},
            capture_output=True, text=True, check=True)
    return [float(process.stdout.split()[-1])]


def candidates(library, what, threads, quick):
    if what == "encoder":
        network = Encoder()
        text = description("encoder-compiled", "complete")
    else:
        network = Network("GAT", 1433)
        text = network.description("gat-compiled")
    library.model(text, network.state_dict())
    folder = library.scratch / text["name"]

    def compile_it():
        library.compile(folder)
        return []

    result = {OURS: Candidate(compile_it)}
    if not quick:
        result["torch.compile, first call"] = Candidate(
            lambda: [], seconds=lambda count: first_call(what, threads))
    return result


def rows(measurement, quick):
    if measurement.threads != 1:
        return
    for what, name in (("gat", "GAT, 2 layers"), ("encoder",
                                                  "encoder, 6 layers")):
        yield measurement.row(
            "compile", name,
            lambda: candidates(measurement.library, what, measurement.threads,
                               quick))

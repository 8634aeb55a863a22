"""Times functions in turns, after their results were compared."""

import dataclasses
import functools
import re
import statistics
import time
import typing

import numpy as np

try:
    import torch
except ImportError:  # kernels on emulated GPUs have no peers
    torch = None

OURS = "gnn-mlir"
TOLERANCE = 1e-4
# Runs that take less than this are counted by more than one of them.
FEW_SECONDS = 0.01
# Runs of a turn.
MOST_RUNS = 10000


@dataclasses.dataclass
class Candidate:
    """One way to compute what a row is about."""

    run: typing.Callable  # what is timed
    # Its result as arrays in the layout of ours (default: what `run` returns).
    result: typing.Callable = None
    # Why it is not there, instead of `run`.
    absent: str = None
    # Seconds of each of so many runs, where `run` is not to be timed here.
    seconds: typing.Callable = None

    def time(self, count):
        return (self.seconds or functools.partial(seconds, self.run))(count)


def aligned(values):
    """The array in memory that begins with a cache line, as that of PyTorch and
    others does. A large one of NumPy's begins 16 bytes behind one, so that all its
    rows lie across one line more."""
    return torch.from_numpy(np.ascontiguousarray(values)).clone().numpy()


def absent(reason):
    """The first line of the reason, with files by their names alone."""
    line = str(reason).strip().splitlines()[0]
    return Candidate(None, absent=re.sub(r"/\S*/", "", line)[:200])


def attempt(make):
    """The candidate, or why there is none: peers do not run everything."""
    try:
        return make()
    except Exception as error:  # whatever a peer raises
        return absent(f"{type(error).__name__}: {error}")


class Mismatch(Exception):
    pass


def arrays(values):
    if not isinstance(values, (list, tuple)):
        values = [values]
    return [np.asarray(v.detach().cpu()
                       if torch and isinstance(v, torch.Tensor) else v)
            for v in values]


def check(name, expected, actual, tolerance):
    for one, other in zip(expected, actual, strict=True):
        other = other.reshape(one.shape)
        if not np.isfinite(one).all():
            raise Mismatch(f"{OURS} yields infinities or NaN")
        difference = np.abs(one - other).max(initial=0)
        scale = max(np.abs(other).max(initial=0), 1e-30)
        if not difference <= tolerance * scale:
            raise Mismatch(f"{name} and {OURS} differ by "
                           f"{difference / scale:.2g} of the largest number")


def seconds(run, count):
    """Seconds of each of `count` runs, without the first, which wakes
    threads up."""
    run()
    result = []
    for _ in range(count):
        start = time.perf_counter()
        run()
        result.append(time.perf_counter() - start)
    return result


def spread(samples):
    ordered = sorted(samples)
    last = len(ordered) - 1
    return {"median": statistics.median(ordered),
            "q1": ordered[round(last / 4)], "q3": ordered[round(3 * last / 4)]}


class Measurement:
    """Makes rows, for one number of threads."""

    def __init__(self, library, threads, rounds, sample_seconds, only="",
                 without=""):
        self.library, self.threads = library, threads
        self.rounds, self.sample_seconds = rounds, sample_seconds
        self.only = re.compile(only)
        self.without = [f"--{switch}=false" for switch in without.split(",")
                        if switch]

    def prepare(self):
        self.library.set_threads(self.threads)
        if torch:
            torch.set_num_threads(self.threads)

    def row(self, family, name, candidates, bound=None, tolerance=TOLERANCE):
        """A row, or None where it is not asked for. `candidates` makes them;
        their results are as close as `tolerance`, of the largest number.
        Times are in ms, with quartiles of the rounds; `ratio` of a
        peer is its time by ours, round by round, and `bound` the share of
        the calibrators in our time."""
        if not self.only.search(name):
            return None
        self.prepare()
        candidates = dict(candidates())
        row = {"family": family, "name": name, "threads": self.threads,
               "times": {}, "ratios": {}, "absent": {}}
        ours = candidates[OURS]
        expected = arrays((ours.result or ours.run)())
        for key in list(candidates):
            candidate = candidates[key]
            if not candidate.absent and key != OURS:
                try:
                    actual = arrays((candidate.result or candidate.run)())
                except Exception as error:  # whatever a peer raises
                    candidate = absent(f"{type(error).__name__}: {error}")
                else:
                    try:
                        check(key, expected, actual, tolerance)
                    except Mismatch as error:
                        row["error"] = str(error)
                        return row
            if candidate.absent:
                row["absent"][key] = candidate.absent
                del candidates[key]

        counts, rounds = {}, self.rounds
        for key, candidate in candidates.items():
            estimate = min(candidate.time(1))
            if estimate < FEW_SECONDS:
                # A thread that was just woken up may share a processor with
                # the one that woke it for some milliseconds.
                estimate = min(candidate.time(10))
            counts[key] = max(1, min(MOST_RUNS, round(self.sample_seconds /
                                                      max(estimate, 1e-7))))
            if estimate > 0.5:
                rounds = min(rounds, 3)
        times = {key: [] for key in candidates}
        bounds = []
        order = list(candidates)
        for index in range(rounds):
            if bound:
                bounds.append(bound(self.threads))
            first = index % len(order)
            for key in order[first:] + order[:first]:
                # The other side's threads may be waiting actively.
                time.sleep(0.01)
                times[key].append(statistics.median(
                    candidates[key].time(counts[key])))
        for key, samples in times.items():
            row["times"][key] = {name: 1e3 * value for name, value
                                 in spread(samples).items()}
            if key != OURS:
                row["ratios"][key] = spread(
                    [theirs / mine for theirs, mine
                     in zip(samples, times[OURS])])
        if bounds:
            row["bound"] = spread([limit / mine for limit, mine
                                   in zip(bounds, times[OURS])])
        return row

    def number(self, family, name, unit, values):
        """A row of numbers that are no times, and vary little."""
        if not self.only.search(name):
            return None
        return {"family": family, "name": name, "threads": self.threads,
                "unit": unit, "absent": {}, "ratios": {},
                "times": {key: spread([value])
                          for key, value in values.items()}}

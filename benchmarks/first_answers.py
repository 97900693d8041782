"""Measures how soon large problems have a first schedule: `python -m benchmarks.first_answers [--time SECONDS]`.

Prints when the first schedule was there, when the search was over, and by how much it overran its limit.
"""

from __future__ import annotations

import argparse
import sys
import time

from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.parallel.progress import Progress
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve

MOST_OVERRUN = 2.0
"""Seconds."""


def cluster(num_nodes: int, gpus: int, lanes: int) -> Network:
    """Return nodes of GPUs: a switch in each with `lanes` links to every GPU, and a rail switch for each GPU number."""
    switch, rail = num_nodes * gpus, num_nodes * gpus + num_nodes
    ends = [(node, gpu) for node in range(num_nodes) for gpu in range(gpus)]
    links = [(node * gpus + gpu, switch + node) for node, gpu in ends for _ in range(lanes)]
    links += [(node * gpus + gpu, rail + gpu) for node, gpu in ends]
    channels = [way for a, b in links for way in ((a, b), (b, a))]
    return Network(f"cluster of {num_nodes}x{gpus} GPUs", rail + gpus, channels, range(num_nodes * gpus))


CASES = (
    (cluster(8, 8, 9), "AAB", 10.0),
    ("random-regular:1000,4,1", "AAS", 5.0),
    ("random-regular:1000,6,1", "AAS", 10.0),
    ("random-regular:1024,4,1", "AAB", 10.0),
    ("torus:32x32", "AAS", 10.0),
    ("ring:500", "AAS", 10.0),
    ("ring:2000", "AAS", 5.0),
    ("ring:7000", "AAS", 5.0),
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_answers")
    parser.add_argument("--time", type=float, default=None, help="one limit for all cases")
    options = parser.parse_args()
    print("| case | limit | first schedule | over | bound | steps | note |\n|---|---|---|---|---|---|---|")
    missed = 0
    for made, kind, usual in CASES:
        missed += not line(made, kind, options.time or usual)
    return 1 if missed else 0


def line(made: str | Network, kind: str, limit: float) -> bool:
    """Run a case, print its line, and say whether it had an answer or a reason in time."""
    started = time.monotonic()
    first: list[float] = []

    def note(now: Progress) -> None:
        if now.best is not None and not first:
            first.append(time.monotonic() - started)

    on = network(made) if isinstance(made, str) else made
    problem = Problem(on, named(kind, on))
    left = max(0.01, limit - (time.monotonic() - started))
    result = solve(problem, SearchOptions(seconds=left, on_progress=note))
    seconds = time.monotonic() - started
    bound, steps = result.bound.figure if result.bound else 0, result.num_steps
    when = f"{first[0]:.1f} s" if first else "-"
    notes = "; ".join(result.notes)
    times = f"{limit:.0f} s | {when} | {seconds:.1f} s"
    print(f"| {on.name}, {kind} | {times} | {bound} | {steps or '-'} | {notes} |", flush=True)
    return seconds <= limit + MOST_OVERRUN and (steps is not None or bool(notes))


if __name__ == "__main__":
    sys.exit(main())

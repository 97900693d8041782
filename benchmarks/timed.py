"""Measures start times beside published ones: `python -m benchmarks.timed [GROUP ...]`.

Groups: tacos, ndv2, dgx2, copying, random, rails, curves, retiming. Each line is one problem: the end of the schedule
in microseconds, the bound, and what others have published. Curves choose the number of pieces for each size, and
compare with the bound for very many. Retiming compares schedules of steps, without barriers, with the same with them.
The tables are in benchmarks/results/timed.md; groups that are named are measured again, and the others stay.

Published figures, not measured here:
- tacos: allgathers of TACOS (Won et al., MICRO 2024, its repository), where a latency holds the link.
- ndv2, dgx2: TE-CCL's output files (Liu et al., SIGCOMM 2024), one chunk a GPU. Its NDv2 files leave out a GPU, and its
  allgathers from 16 MB on leave latencies out. Its switches copy; those of dgx2 do not, and those of copying do.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pavane.bounds import lower_bounds
from pavane.judge.timed_case import finish_time
from pavane.model.collectives import named
from pavane.model.links import Links
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.options import SearchOptions
from pavane.search.pieces import cut_into, sweep_pieces
from pavane.search.synthesis import solve
from pavane.solvers.timed.retiming import barrier_time, retime

RESULTS = Path(__file__).parent / "results" / "timed.md"
SECONDS = 10.0
"""The time limit of a search."""
SECONDS_OF_LARGE = 60.0
"""The time limit on more than 64 processors."""
STORED = Rules(switching="store-and-forward")
PASSING = Rules(switching="store-and-forward", switches="pass")
COPYING = Rules(switching="store-and-forward", switches="copy")
GIB, MIB = 2**30, 2**20
SIZES = {
    f"{number} {unit}B": number * 1000**power for power, unit in enumerate("kMG", 1) for number in (1, 4, 16, 64, 256)
}


class Case(NamedTuple):
    """One line."""

    name: str
    problem: Problem
    published: float | None = None
    """Microseconds."""


TACOS = (
    ("mesh:5x5", (50, 50), 0.5, 1, 1024, 9606.0),
    ("mesh:10x10", (100, 100), 1, 2, 1024, 5049.0),
    ("mesh:7x12", (100, 100), 1, 3, 4096, 19966.27),
    ("mesh:3x3x3", (50, 50, 50), 0.5, 1, 1024, 6671.17),
    ("mesh:3x4x5", (50, 50, 50), 0.5, 2, 2048, 13353.33),
    ("mesh:4x2x3", (50, 50, 50), 0.5, 3, 3072, 19178.17),
    ("torus:3x3x3", (50, 50, 50), 0.5, 1, 1024, 3706.20),
    ("torus:3x4x5", (50, 50, 50), 0.5, 2, 2048, 6676.67),
    ("torus:4x2x3", (50, 50, 50), 0.5, 3, 3072, 11673.67),
    ("mesh:5x5", (50, 75), 0.5, 1, 1024, 8005.0),
    ("mesh:8x5", (80, 35), 1, 2, 1024, 8595.43),
    ("mesh:7x10", (16, 73), 1.5, 3, 4096, 44612.47),
)
"""Network, GiB/s along each axis, microseconds that a link is held besides, pieces, MiB in all, microseconds."""

NDV2_ALLGATHER = (4.135, 4.185, 4.440, 6.080, 14.72, 48.75, 190.0, 700.0, 2800.0, 11200.0, 43750.0)
NDV2_ALLTOALL = (4.239, 4.600, 7.940, 21.68, 77.12, 290.0, 1155.0, 4540.0, 18160.0, 72640.0, 283750.0)
DGX2_ALLGATHER = (4.006, None, 4.084, 4.320, 5.376, 10.75, 33.0, 124.0, 496.0, None, 7750.0)
DGX2_ALLTOALL = (4.060, None, 4.704, 8.464, 24.0, 84.25, 327.0, 1292.0, 5168.0, None, 80500.0)
"""TE-CCL's microseconds for 1 kB, 4 kB, ..., 1 GB of a GPU in all."""


def _problem(net: Network, kind: str, rules: Rules, pieces: int) -> Problem:
    return Problem(net, named(kind, net, pieces=pieces), rules)


def tacos() -> Iterator[Case]:
    """Yield TACOS' cases, with its number of pieces and with eight times as many."""
    for spec, rates, overhead, pieces, mebibytes, published in TACOS:
        net = network(spec)
        assert net.grid is not None
        places = np.stack(np.unravel_index(np.arange(net.num_routers), net.grid.sizes), axis=1)
        axes = (places[net.tails] != places[net.heads]).argmax(axis=1)
        held = np.full(net.num_channels, round(overhead * 10**6), dtype=np.int64)
        links = Links(np.zeros(net.num_channels, dtype=np.int64), held, np.array(rates)[axes] * GIB)
        size = mebibytes * MIB // (net.num_routers * pieces) * pieces
        for count in (pieces, 8 * pieces) if net.num_routers <= 60 else (pieces,):
            name = f"{spec} allgather, {'/'.join(map(str, rates))} GiB/s, {count} pieces"
            yield Case(name, replace(_problem(net, "AAB", STORED, count), links=links, num_bytes=size), published)


def _cluster(
    spec: str, times: tuple[float, float], published: tuple[object, ...], kind: str, most_pieces: int = 1
) -> Iterator[Case]:
    """Yield the sizes of a cluster of two boxes; latencies in microseconds, inside a box and across; 12.5 GB/s."""
    inside, across = times
    net = network(spec)
    per_box = net.num_processors // 2
    homes = np.full(net.num_routers, -1)
    homes[net.router_of] = np.arange(net.num_processors) // per_box
    crosses = (homes[net.tails] >= 0) & (homes[net.heads] >= 0) & (homes[net.tails] != homes[net.heads])
    latencies = np.where(crosses, round(across * 10**6), round(inside * 10**6)).astype(np.int64)
    links = Links(latencies, np.zeros(len(latencies), dtype=np.int64), net.capacity.astype(np.int64) * 12_500_000_000)
    rules = PASSING if (np.bincount(net.router_of, minlength=net.num_routers) == 0).any() else STORED
    for (text, size), figure in zip(list(SIZES.items())[:11], published, strict=True):
        for pieces in sorted({1, most_pieces}):
            per_message = size // net.num_processors
            if per_message < pieces:
                continue
            problem = replace(_problem(net, kind, rules, pieces), links=links, num_bytes=per_message)
            yield Case(f"{spec} {kind} {text}, {pieces} pieces", problem, figure)  # type: ignore[arg-type]


def ndv2() -> Iterator[Case]:
    """Yield two NDv2 boxes, with TE-CCL's latencies and bandwidths."""
    yield from _cluster("ndv2:2", (0.7, 1.3), NDV2_ALLGATHER, "AAB", 8)
    yield from _cluster("ndv2:2", (0.7, 1.3), NDV2_ALLTOALL, "AAS")


def dgx2() -> Iterator[Case]:
    """Yield two DGX-2 boxes, with TE-CCL's latencies and bandwidths; switches pass."""
    yield from _cluster("dgx-2:2", (0.35, 2.6), DGX2_ALLGATHER, "AAB", 16)
    yield from _cluster("dgx-2:2", (0.35, 2.6), DGX2_ALLTOALL, "AAS")


def copying() -> Iterator[Case]:
    """Yield the allgathers of two DGX-2 boxes in one piece, with switches that copy and with such that pass."""
    for case in _cluster("dgx-2:2", (0.35, 2.6), DGX2_ALLGATHER, "AAB"):
        for rules in (COPYING, PASSING):
            problem = replace(case.problem, rules=rules)
            yield Case(f"{case.name}, switches {rules.switches}", problem, case.published)


def random() -> Iterator[Case]:
    """Yield networks with random latencies (0.2 to 2 us) and bandwidths (12 to 100 GB/s)."""
    for number, spec in enumerate(
        ("ring:8", "mesh:4x4", "torus:4x4", "hypercube:4", "dgx-1", "kautz:3,2", "octagon", "rails:4,4")
    ):
        net, rng = network(spec), np.random.default_rng(number)
        latencies = rng.integers(200_000, 2_000_000, net.num_channels)
        rates = rng.choice([12, 25, 50, 100], net.num_channels) * 10**9 * net.capacity
        links = Links(latencies, np.zeros(net.num_channels, dtype=np.int64), rates.astype(np.int64))
        rules = PASSING if spec.startswith("rails") else STORED
        for size in (4096, 2**20, 2**24):
            for kind in ("AAB", "AAS", "ALLREDUCE"):
                name = f"{spec} {kind} {size:,} B"
                yield Case(name, replace(_problem(net, kind, rules, 1), links=links, num_bytes=size))


def rails() -> Iterator[Case]:
    """Yield boxes of 8 GPUs with rails: 450 GB/s and 0.35 us inside, 50 GB/s and 1.3 us on a rail; up to 256 GPUs."""
    for spec, texts in (
        ("rails:4,8,9,1", ("1 kB", "64 kB", "1 MB", "16 MB", "256 MB")),
        ("rails:8,8,9,1", ("1 kB", "64 kB", "1 MB", "16 MB", "256 MB")),
        ("rails:32,8,9,1", ("1 MB",)),
    ):
        net = network(spec)
        latencies = np.where(net.capacity > 1, 350_000, 1_300_000).astype(np.int64)
        rates = net.capacity.astype(np.int64) * 50 * 10**9
        links = Links(latencies, np.zeros(len(rates), dtype=np.int64), rates)
        for text in texts:
            for kind, pieces in (("AAB", 8 if net.num_processors <= 64 else 1), ("AAS", 1)):
                problem = replace(_problem(net, kind, PASSING, pieces), links=links, num_bytes=SIZES[text])
                yield Case(f"{spec} {kind} {text}, {pieces} pieces", problem)


CURVES = {"1 KiB": 2**10, "32 KiB": 2**15, "512 KiB": 2**19, "16 MiB": 2**24, "1 GiB": 2**30}
MANY_PIECES = {"AAB": 256, "AAS": 64}
"""Pieces that are nearly any number: a schedule in fewer, of which these are a multiple, is one in so many."""


def curves() -> Iterator[str]:
    """Yield the lines of networks and sizes, with 0.7 us and 25 GB/s, and 1.3 us and 12.5 GB/s between boxes."""
    yield "| case | bound us, many pieces | end us | end / bound | pieces | by | seconds |\n|" + "---|" * 7
    for spec in ("torus:4x4", "dgx-1", "ndv2:2"):
        net = network(spec)
        per_box = net.num_processors if spec != "ndv2:2" else net.num_processors // 2
        crosses = net.tails // per_box != net.heads // per_box
        latencies = np.where(crosses, 1_300_000, 700_000).astype(np.int64)
        rates = np.where(crosses, 12_500_000_000, 25_000_000_000) * net.capacity.astype(np.int64)
        links = Links(latencies, np.zeros(len(rates), dtype=np.int64), rates)
        for kind, pieces in MANY_PIECES.items():
            for text, size in CURVES.items():
                begun = time.perf_counter()
                whole = replace(_problem(net, kind, STORED, 1), links=links, num_bytes=size)
                best = sweep_pieces(whole, "auto", SearchOptions(seconds=SECONDS)).best()
                seconds = time.perf_counter() - begun
                low = max(bound.figure for bound in lower_bounds(cut_into(whole, pieces)))
                assert best.finish is not None
                yield (
                    f"| {spec} {kind} {text} | {low / 1e6:,.3f} | {best.finish / 1e6:,.3f} | {best.finish / low:.3f} "
                    f"| {best.problem.collective.pieces} | {best.provenance.solver} | {seconds:.1f} |"
                )


RETIMED = (
    *("ring:8", "mesh:4x4", "torus:4x4", "hypercube:4", "dgx-1"),
    *("ndv2:2", "rails:4,8", "kautz:3,2", "dgx-2:2", "octagon"),
)


def retiming() -> Iterator[str]:
    """Yield networks with 0.7 us and 25 GB/s: how schedules of steps end with barriers, and without."""
    yield "| case | barriers us | re-timed us | re-timed / barriers |\n|---|---|---|---|"
    ratios = []
    for spec in RETIMED:
        net = network(spec)
        rules = PASSING if (np.bincount(net.router_of, minlength=net.num_routers) == 0).any() else STORED
        links = Links.uniform(net, latency_ps=700_000, bytes_per_second=25 * 10**9)
        for kind in ("AAB", "AAS", "ALLREDUCE"):
            problem = _problem(net, kind, rules, 1)
            schedule = solve(problem, SearchOptions(seconds=2.0)).schedule
            assert schedule is not None
            for size in (4096, 2**20, 2**26):
                problem = replace(problem, links=links, num_bytes=size)
                before, after = barrier_time(problem, schedule), finish_time(problem, retime(problem, schedule))
                ratios.append(after / before)
                yield f"| {spec} {kind} {size:,} B | {before / 1e6:,.3f} | {after / 1e6:,.3f} | {ratios[-1]:.3f} |"
    slower = sum(ratio > 1 for ratio in ratios)
    yield f"\n{len(ratios)} lines, {slower} slower than barriers, the worst {max(ratios):.3f} of them."


def searched(cases: Callable[[], Iterator[Case]]) -> Callable[[], Iterator[str]]:
    """Return the lines of cases that are searched."""

    def lines() -> Iterator[str]:
        yield HEADER
        yield from map(measured, cases())

    return lines


GROUPS: dict[str, Callable[[], Iterator[str]]] = {
    **{cases.__name__: searched(cases) for cases in (tacos, ndv2, dgx2, copying, random, rails)},
    "curves": curves,
    "retiming": retiming,
}
HEADER = (
    "| case | bound us | end us | end / bound | status | by | seconds | published us |\n"
    "|---|---|---|---|---|---|---|---|"
)


def measured(case: Case) -> str:
    """Return the line of a case."""
    begun = time.perf_counter()
    is_large = case.problem.network.num_processors > 64
    result = solve(case.problem, SearchOptions(seconds=SECONDS_OF_LARGE if is_large else SECONDS))
    seconds = time.perf_counter() - begun
    bound, finish = result.bound, result.finish or 0
    low = "–" if bound is None else f"{bound.figure / 1e6:,.3f}"
    ratio = "–" if bound is None else f"{finish / bound.figure:.3f}"
    theirs = "–" if case.published is None else f"{case.published:,}"
    return (
        f"| {case.name} | {low} | {finish / 1e6:,.3f} | {ratio} | {result.status} | {result.provenance.solver} "
        f"| {seconds:.1f} | {theirs} |"
    )


def main() -> None:
    """Measure the groups that are named, or all."""
    chosen = sys.argv[1:] or list(GROUPS)
    text = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    kept = dict(part.partition("\n")[::2] for part in text.split("## ")[1:])
    for group in chosen:
        lines = []
        for line in GROUPS[group]():
            lines.append(line)
            print(line, flush=True)
        kept[group] = "\n" + "\n".join(lines) + "\n"
        ordered = [f"## {name}\n{kept[name].rstrip()}\n" for name in GROUPS if name in kept]
        RESULTS.write_text("\n".join(ordered), encoding="utf-8")


if __name__ == "__main__":
    main()

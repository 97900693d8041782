"""Measures all-to-all scatter on large networks: `python -m benchmarks.scale [NAMES] [--seeds 5] [--plot FOLDER]`.

Prints median and worst ratio to the best bound, and writes benchmarks/results/scale.json with the trace of every run:
when, in seconds, how many steps were reached. CPU seconds stand beside seconds, for machines that are shared.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pavane.bounds import lower_bounds
from pavane.model.collectives import alltoall
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.progress import Progress
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.symmetry.orbits import groups_for_filling
from pavane.ui.plot.figures import COLOURS, MUTED, label_ends, new_figure, plain_log_ticks, styled, write_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEADER = (
    "| case | target | bound | median ratio | worst ratio | runs | CPU seconds | seconds | reached |\n"
    "|---|---|---|---|---|---|---|---|---|"
)

RESULTS = Path(__file__).parent / "results" / "scale.json"


@dataclass(frozen=True)
class Measured:
    """A network, and its target ratio to the best bound."""

    name: str
    spec: str
    ratio: float | None
    seconds: float = 60.0
    rules: Rules = field(default_factory=Rules)
    method: str = "auto"
    cut_links: int = 0
    """Links taken away, spread evenly over the list."""

    def problem(self, seed: int) -> Problem:
        """Make the problem; random networks have the seed of the run."""
        made = network(self.spec.format(seed=seed))
        if self.cut_links:
            made = _without_links(made, self.cut_links)
        return Problem(made, alltoall(made), self.rules)


def _without_links(made: Network, how_many: int) -> Network:
    """Take links away, both directions, spread evenly over the network."""
    ends = list(zip(made.tails.tolist(), made.heads.tolist(), strict=True))
    links = [pair for pair in ends if pair[0] < pair[1]]
    gone = {links[number * len(links) // how_many] for number in range(how_many)}
    remaining = [pair for pair in ends if (min(pair), max(pair)) not in gone]
    return Network(f"{made.name} less {how_many} links", made.num_routers, remaining)


CASES = (
    Measured("random-256", "random-regular:256,4,{seed}", 1.017),
    Measured("random-512", "random-regular:512,4,{seed}", 1.027),
    Measured("random-1024", "random-regular:1024,4,{seed}", 1.045),
    Measured("dragonfly-114", "dragonfly:6,3", 1.0),
    Measured("dragonfly-264", "dragonfly:8,4", 1.08),
    Measured("torus-256", "torus:16x16", 1.02),
    Measured("torus-256-less-5", "torus:16x16", 1.02, cut_links=5),
    Measured("torus-1024", "torus:32x32", 1.08, 120),
    Measured("mesh-256", "mesh:16x16", 1.02),
    Measured("hypercube-256-unknown", "hypercube:8", 1.005, method="packing"),
    Measured("fat-tree-128-one-port", "fat-tree:8", 1.0, rules=Rules(ports=1)),
    Measured("torus-256-unknown", "torus:16x16", 1.015, method="packing"),
    Measured("torus-512", "torus:8x8x8", None),
    Measured("slim-fly-98", "slim-fly:7", None),
    Measured("hyperx-64", "hyperx:8x8", None),
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(case.name for case in CASES))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--plot", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    for name in set(options.names) - {case.name for case in CASES}:
        parser.error(f"no case {name!r}; choose {', '.join(case.name for case in CASES)}")
    known = stored_rows()
    for text in ("random-regular:80,4,1", "torus:9x9"):  # compiles all that is compiled
        made = network(text)
        solve(Problem(made, alltoall(made), Rules()), SearchOptions(seconds=10.0), method="packing")
    print(HEADER)
    missed = 0
    for case in CASES:
        if not options.names or case.name in options.names:
            runs = [measured(case, seed, options.workers) for seed in range(1, options.seeds + 1)]
            known[case.name] = {"asked": case.ratio, "limit": case.seconds, "workers": options.workers, "runs": runs}
            print(line(case.name, known[case.name]), flush=True)
            missed += case.ratio is not None and not reached(known[case.name])
            RESULTS.parent.mkdir(exist_ok=True)
            partial = RESULTS.with_suffix(".partial")
            partial.write_text(json.dumps(known, indent=1) + "\n")
            os.replace(partial, RESULTS)
    if options.plot is not None:
        plot(known, options.plot)
    return 1 if missed else 0


def measured(case: Measured, seed: int, workers: int) -> dict[str, Any]:
    """Run a case once."""
    problem = case.problem(seed)
    groups_for_filling.cache_clear()  # no run finds the symmetries that an earlier one has looked for
    trace: list[tuple[float, int]] = []

    def note(progress: Progress) -> None:
        if progress.best is not None and (not trace or progress.best < trace[-1][1]):
            trace.append((round(progress.seconds, 2), progress.best))

    started, cpu_started = time.monotonic(), time.process_time()
    result = solve(
        problem, SearchOptions(seed=seed, seconds=case.seconds, workers=workers, on_progress=note), method=case.method
    )
    seconds, cpu = time.monotonic() - started, time.process_time() - cpu_started
    bounds = result.bounds if case.method == "auto" else lower_bounds(problem)
    return {
        "seed": seed,
        "routers": problem.network.num_routers,
        "messages": problem.num_messages,
        "bound": max(bound.figure for bound in bounds),
        "steps": result.num_steps,
        "seconds": round(seconds, 1),
        "cpu": round(cpu, 1),
        "trace": trace,
    }


def ratios(entry: dict[str, Any]) -> list[float]:
    """Return steps over bound of every run; infinite where there was no schedule."""
    return [run["steps"] / run["bound"] if run["steps"] else float("inf") for run in entry["runs"]]


def reached(entry: dict[str, Any]) -> bool:
    """Return whether the median run met its target."""
    return entry["asked"] is None or statistics.median(ratios(entry)) <= entry["asked"]


def line(name: str, entry: dict[str, Any]) -> str:
    """Return the line of a case in the table."""
    found, runs = ratios(entry), entry["runs"]
    bounds = sorted({run["bound"] for run in runs})
    shown = str(bounds[0]) if len(bounds) == 1 else f"{bounds[0]}-{bounds[-1]}"
    target = "-" if entry["asked"] is None else f"{entry['asked']:.3f}"
    cpu, seconds = (statistics.median(run[key] for run in runs) for key in ("cpu", "seconds"))
    verdict = "reported" if entry["asked"] is None else "yes" if reached(entry) else "no"
    return (
        f"| {name} | {target} | {shown} | {statistics.median(found):.3f} | {max(found):.3f} | {len(runs)} "
        f"| {cpu:.0f} | {seconds:.0f} | {verdict} |"
    )


def stored_rows() -> dict[str, Any]:
    """Return the results of earlier runs, by case."""
    found: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    return found


def table() -> str:
    """Return the stored results as a table, for the documentation."""
    known = stored_rows()
    return "\n".join([HEADER, *(line(case.name, known[case.name]) for case in CASES if case.name in known)])


def plot(known: dict[str, Any], folder: Path) -> None:
    """Draw ratio against time, and ratio and seconds against size."""
    folder.mkdir(parents=True, exist_ok=True)
    write_figure(folder / "ratio-against-time.svg", ratio_against_time(known))
    write_figure(folder / "ratio-against-size.svg", ratio_against_size(known))


@styled
def ratio_against_time(known: dict[str, Any]) -> Figure:
    """Draw how the first run of every case came down to the bound."""
    figure = new_figure(7, 4.4)
    axes = figure.add_subplot()
    ends: dict[str, tuple[float, float, str, str]] = {}
    for case in (case for case in CASES if case.name in known):
        run = known[case.name]["runs"][0]
        points = [(when, steps / run["bound"]) for when, steps in run["trace"]]
        if points:
            points.append((max(run["seconds"], points[-1][0]), points[-1][1]))
            colour = _colour(case.name, known)
            axes.step(*zip(*points, strict=True), where="post", color=colour, alpha=0.8)
            family = _family(case.name)
            ends[family] = max(ends.get(family, (0.0, 0.0, "", "")), (*points[-1], family, colour))
    axes.axhline(1.0, color=MUTED, linewidth=0.8)
    axes.set(xlabel="seconds", ylabel="steps / bound", xscale="log", title="One line per network, coloured by family")
    plain_log_ticks(axes.xaxis)
    label_ends(axes, list(ends.values()))
    return figure


def _family(name: str) -> str:
    """Return the family of the network of a case."""
    return name.partition("-")[0]


def _colour(name: str, known: dict[str, Any]) -> str:
    """Return the colour of a case's family."""
    families = list(dict.fromkeys(_family(case.name) for case in CASES if case.name in known))
    return COLOURS[families.index(_family(name)) % len(COLOURS)]


@styled
def ratio_against_size(known: dict[str, Any]) -> Figure:
    """Draw the median ratio of every case, and how long the median run kept improving."""
    figure = new_figure(8, 3.6)
    left, right = figure.subplots(1, 2)
    named: set[str] = set()
    for case in (case for case in CASES if case.name in known):
        runs, family = known[case.name]["runs"], _family(case.name)
        size, look = runs[0]["routers"], {"color": _colour(case.name, known), "alpha": 0.7}
        label = None if family in named else family
        named.add(family)
        left.plot(size, statistics.median(ratios(known[case.name])), "o", label=label, **look)
        right.plot(size, statistics.median(run["trace"][-1][0] for run in runs if run["trace"]), "o", **look)
    left.set(xlabel="routers", ylabel="steps / bound", xscale="log")
    right.set(xlabel="routers", ylabel="seconds until the last improvement", xscale="log")
    for axes in (left, right):
        plain_log_ticks(axes.xaxis)
    figure.legend(loc="outside right upper")
    return figure


if __name__ == "__main__":
    sys.exit(main())

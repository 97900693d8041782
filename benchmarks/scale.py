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
from typing import Any

from pavane.bounds import best_bounds
from pavane.collectives import alltoall
from pavane.network import Network
from pavane.networks import network
from pavane.problem import Problem, Rules
from pavane.synthesize import Progress, synthesize

HEADER = (
    "| case | asked | bound | median ratio | worst ratio | runs | CPU seconds | seconds | reached |\n"
    "|---|---|---|---|---|---|---|---|---|"
)

RESULTS = Path(__file__).parent / "results" / "scale.json"


@dataclass(frozen=True)
class Case:
    """A network, and the ratio to the best bound that is asked for."""

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
    kept = [pair for pair in ends if (min(pair), max(pair)) not in gone]
    return Network(f"{made.name} less {how_many} links", made.num_routers, kept)


CASES = (
    Case("random-256", "random-regular:256,4,{seed}", 1.08),
    Case("random-512", "random-regular:512,4,{seed}", 1.10),
    Case("random-1024", "random-regular:1024,4,{seed}", 1.14, 120),
    Case("dragonfly-114", "dragonfly:6,3", 1.0),
    Case("dragonfly-264", "dragonfly:8,4", 1.08),
    Case("torus-256", "torus:16x16", 1.02),
    Case("torus-256-less-5", "torus:16x16", 1.05, cut_links=5),
    Case("torus-1024", "torus:32x32", 1.08, 120),
    Case("mesh-256", "mesh:16x16", 1.02),
    Case("hypercube-256-unknown", "hypercube:8", 1.01, method="packing"),
    Case("fat-tree-128-one-port", "fat-tree:8", 1.0, rules=Rules(ports=1)),
    Case("slim-fly-98", "slim-fly:7", None),
    Case("hyperx-64", "hyperx:8x8", None),
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
    kept: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    print(HEADER)
    missed = 0
    for case in CASES:
        if not options.names or case.name in options.names:
            runs = [measured(case, seed, options.workers) for seed in range(1, options.seeds + 1)]
            kept[case.name] = {"asked": case.ratio, "limit": case.seconds, "workers": options.workers, "runs": runs}
            print(line(case.name, kept[case.name]), flush=True)
            missed += case.ratio is not None and not reached(kept[case.name])
            RESULTS.parent.mkdir(exist_ok=True)
            partial = RESULTS.with_suffix(".partial")
            partial.write_text(json.dumps(kept, indent=1) + "\n")
            os.replace(partial, RESULTS)
    if options.plot is not None:
        plot(kept, options.plot)
    return 1 if missed else 0


def measured(case: Case, seed: int, workers: int) -> dict[str, Any]:
    """Run a case once."""
    problem = case.problem(seed)
    trace: list[tuple[float, int]] = []

    def note(progress: Progress) -> None:
        if progress.best is not None and (not trace or progress.best < trace[-1][1]):
            trace.append((round(progress.seconds, 2), progress.best))

    started, cpu_started = time.monotonic(), time.process_time()
    result = synthesize(problem, method=case.method, seed=seed, seconds=case.seconds, workers=workers, progress=note)
    seconds, cpu = time.monotonic() - started, time.process_time() - cpu_started
    bounds = result.bounds if case.method == "auto" else best_bounds(problem)
    return {
        "seed": seed,
        "routers": problem.network.num_routers,
        "messages": problem.num_messages,
        "bound": max(bound.steps for bound in bounds),
        "steps": result.num_steps,
        "seconds": round(seconds, 1),
        "cpu": round(cpu, 1),
        "trace": trace,
    }


def ratios(entry: dict[str, Any]) -> list[float]:
    """Return steps over bound of every run; infinite where there was no schedule."""
    return [run["steps"] / run["bound"] if run["steps"] else float("inf") for run in entry["runs"]]


def reached(entry: dict[str, Any]) -> bool:
    """Say whether the median run is as good as was asked."""
    return entry["asked"] is None or statistics.median(ratios(entry)) <= entry["asked"]


def line(name: str, entry: dict[str, Any]) -> str:
    """Return the line of a case in the table."""
    found, runs = ratios(entry), entry["runs"]
    bounds = sorted({run["bound"] for run in runs})
    shown = str(bounds[0]) if len(bounds) == 1 else f"{bounds[0]}-{bounds[-1]}"
    asked = "-" if entry["asked"] is None else f"{entry['asked']:.2f}"
    cpu, seconds = (statistics.median(run[key] for run in runs) for key in ("cpu", "seconds"))
    verdict = "reported" if entry["asked"] is None else "yes" if reached(entry) else "no"
    return (
        f"| {name} | {asked} | {shown} | {statistics.median(found):.3f} | {max(found):.3f} | {len(runs)} "
        f"| {cpu:.0f} | {seconds:.0f} | {verdict} |"
    )


def table() -> str:
    """Return the kept results as a table, for the documentation."""
    kept: dict[str, Any] = json.loads(RESULTS.read_text())
    return "\n".join([HEADER, *(line(case.name, kept[case.name]) for case in CASES if case.name in kept)])


def plot(kept: dict[str, Any], folder: Path) -> None:
    """Draw ratio against time, and ratio and seconds against size."""
    from matplotlib.figure import Figure

    folder.mkdir(parents=True, exist_ok=True)
    over_time, over_size = Figure(figsize=(8, 5)), Figure(figsize=(8, 5))
    axes = over_time.subplots()
    for name, entry in kept.items():
        run = entry["runs"][0]
        points = [(when, steps / run["bound"]) for when, steps in run["trace"]]
        if points:
            points.append((run["seconds"], points[-1][1]))
            axes.step(*zip(*points, strict=True), where="post", label=name)
    axes.set(xlabel="seconds", ylabel="steps / bound", xscale="log")
    axes.legend(fontsize=6)
    left, right = over_size.subplots(1, 2)
    for name, entry in kept.items():
        size = entry["runs"][0]["routers"]
        left.plot(size, statistics.median(ratios(entry)), "o", label=name)
        right.plot(size, statistics.median(run["seconds"] for run in entry["runs"]), "o")
    left.set(xlabel="routers", ylabel="steps / bound")
    right.set(xlabel="routers", ylabel="seconds")
    left.legend(fontsize=5)
    over_time.savefig(folder / "ratio-against-time.svg")
    over_size.savefig(folder / "ratio-against-size.svg")


if __name__ == "__main__":
    sys.exit(main())

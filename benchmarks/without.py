"""Rows that are worse without parts of the program: `python -m benchmarks.without NAME... [--random N] [--time S]`.

NAME is a solver, an argument for bounds (`ejection` is both), or a stage of `auto` like "greedy: as few as it can".
Rows with more steps (with start times: a later end) or without their proof are printed; time limits leave some chance.
"""

from __future__ import annotations

import argparse
import random
from contextlib import ExitStack
from itertools import chain
from typing import Any
from unittest.mock import patch

from benchmarks import combining, copying, slots, stored, timed
from benchmarks.cases import ONE_PORT, TABLES, Case
from pavane.bounds import steps
from pavane.bounds.registry import ARGUMENT_OF
from pavane.model.problem import Rules
from pavane.search import phases, portfolio, stages
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.search.timed import solve_timed
from pavane.solvers import SOLVERS

CASES = [*chain(*TABLES.values()), *(Case(one.spec, one.kind, rules=one.rules) for one in combining.CASES)]
CASES += [Case(one.spec, one.kind, rules=one.rules) for one in copying.CASES]
CASES += [Case(one.spec, "AAS", rules=one.rules) for one in slots.CASES if " " not in one.spec]
CASES += [Case(spec, "AAS", rules=part.rules) for part in stored.PARTS.values() for spec in part.targets]
ROWS: dict[str, Any] = {one.label: one for one in CASES} | {one.name: one for one in timed.random()}
NETWORKS = [f"{grid}:{sides}" for grid in ("mesh", "torus") for sides in ("3x3", "4x4", "5x6", "3x4x5", "8x8", "16x16")]
NETWORKS += [*(f"ring:{n}" for n in (8, 13, 24, 64)), *(f"hypercube:{n}" for n in range(3, 9)), "fat-tree:4"]
NETWORKS += [f"random-regular:{n},{degree},{seed}" for n in (8, 20, 64, 256) for degree in (3, 4) for seed in range(3)]
KINDS = ("OAB", "OAS", "AAB", "AAS", "AOG", "AAR", "ALLREDUCE")
RULES = [Rules(), ONE_PORT, *(part.rules for part in stored.PARTS.values())]
NAMES = {f"{stage.solver}: {stage.steps}" for stage in chain(*stages.TABLES.values())}.union(SOLVERS, ARGUMENT_OF)


def figures(row: Any, options: SearchOptions, off: set[str]) -> tuple[float, bool]:
    """Return the steps or the end of the best schedule without some parts, and whether it is proven to be optimal."""

    def run_stages(search: Any, table: Any, *walks: Any, run: Any = portfolio.run_stages) -> Any:
        return run(search, [one for one in table if off.isdisjoint((one.solver, f"{one.solver}: {one.steps}"))], *walks)

    steps.counted_bounds.cache_clear()
    steps._found_once.cache_clear()
    with ExitStack() as stack:
        for table in ("ARGUMENTS", "ARGUMENTS_OF_SUMS", "ARGUMENTS_OF_SLOTS"):
            kept = [argument for argument in getattr(steps, table) if argument.name not in off]
            stack.enter_context(patch.object(steps, table, kept))
        for name in off & SOLVERS.keys():
            stack.enter_context(patch.object(type(SOLVERS[name]), "supports", lambda *_: False))
        for module in (portfolio, phases):
            stack.enter_context(patch.object(module, "run_stages", run_stages))
        found: Any = solve(row.problem(), options) if isinstance(row, Case) else solve_timed(row.timed, options)
    return (found.num_steps if isinstance(row, Case) else found.finish) or float("inf"), found.status == "optimal"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.without")
    parser.add_argument("names", nargs="+", metavar="NAME")
    parser.add_argument("--rows", default="", help="only rows of the tables whose labels contain this")
    parser.add_argument("--random", type=int, default=0, help="the number of random problems besides")
    parser.add_argument("--time", type=float, default=5.0, help="seconds for each problem; 0: counted effort")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    for name in set(options.names) - NAMES:
        parser.exit(2, f"no solver, argument or stage {name!r}; choose {'; '.join(sorted(NAMES))}\n")
    limits, draw = SearchOptions(options.seed, options.time or None), random.Random(options.seed).choice
    drawn = [Case(draw(NETWORKS), draw(KINDS), rules=draw(RULES)) for _ in range(options.random)]
    rows = {label: ROWS[label] for label in ROWS if options.rows in label} | {one.label: one for one in drawn}
    for label, row in rows.items():
        (best, proof), (other, other_proof) = (figures(row, limits, off) for off in (set(), set(options.names)))
        if other > best or proof > other_proof:
            print(f"{label}: {best}{' (optimal)' * proof}, without {other}{' (optimal)' * other_proof}", flush=True)


if __name__ == "__main__":
    main()

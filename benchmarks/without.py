"""Rows that are worse without parts of the program: `python -m benchmarks.without [NAME...] [--random N] [--time S]`.

NAME is a solver, an argument for bounds (`ejection` is both), or a stage of `auto` like "greedy: as few as it can".
Rows with more steps (with start times: a later end) or without their proof are printed; time limits leave some chance.
Without a NAME the solver of each row, and the argument of its bound if it is the only one, are switched off in turn.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from contextlib import ExitStack
from itertools import chain
from typing import Any
from unittest.mock import patch

from benchmarks.cases import Case
from benchmarks.rows import ROWS, ordinary
from pavane.bounds import steps
from pavane.bounds.registry import ARGUMENT_OF
from pavane.search import phases, portfolio, stages
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.solvers import SOLVERS, Supports

NAMES = {f"{stage.solver}: {stage.steps}" for stage in chain(*stages.TABLES.values())}.union(SOLVERS, ARGUMENT_OF)


def figures(row: Any, options: SearchOptions, off: set[str]) -> tuple[float, bool, set[str]]:
    """Return the best steps or end without some parts, whether it is proven, and the parts that decided it."""

    def run_stages(search: Any, table: Any, *walks: Any, run: Any = portfolio.run_stages) -> Any:
        return run(search, [one for one in table if off.isdisjoint((one.solver, f"{one.solver}: {one.steps}"))], *walks)

    steps.counted_bounds.cache_clear()
    steps._found_once.cache_clear()
    with ExitStack() as stack:
        for table in ("ARGUMENTS", "ARGUMENTS_OF_SUMS", "ARGUMENTS_OF_SLOTS"):
            kept = [argument for argument in getattr(steps, table) if argument.name not in off]
            stack.enter_context(patch.object(steps, table, kept))
        for name in off & SOLVERS.keys():
            stack.enter_context(patch.object(type(SOLVERS[name]), "supports", Supports(patterns=())))
        for module in (portfolio, phases):
            stack.enter_context(patch.object(module, "run_stages", run_stages))
        found = solve(row.problem() if isinstance(row, Case) else row.problem, options)
    is_proven, steps_or_end = found.status == "optimal", found.figure
    best = None if found.bound is None else found.bound.figure
    tight = {one.argument for one in found.bounds if one.figure == best}
    decided = tight if len(tight) == 1 else set()
    decided |= set(re.findall("[a-z][a-z-]+", found.provenance.solver if found.provenance else ""))
    return steps_or_end or float("inf"), is_proven, decided & NAMES


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.without")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--random", type=int, default=0, help="the number of random problems besides the tables")
    parser.add_argument("--time", type=float, default=5.0, help="seconds for each problem; 0: counted effort")
    options, decided_by = parser.parse_args(arguments), Counter[str]()
    for name in set(options.names) - NAMES:
        parser.exit(2, f"no solver, argument or stage {name!r}; choose {'; '.join(sorted(NAMES))}\n")
    limits = SearchOptions(seconds=options.time or None)
    for label, row in (ROWS | ordinary(options.random)).items():
        best, proof, decided = figures(row, limits, set())
        decided_by.update(decided)
        for off in [set(options.names)] if options.names else [{name} for name in sorted(decided)]:
            other, other_proof, _ = figures(row, limits, off)
            if other > best or proof > other_proof:
                figure = f"{best}{' (optimal)' * proof}, without {other}{' (optimal)' * other_proof}"
                print(label, *([] if options.names else off), figure, sep=": ", flush=True)
    if not options.names:
        print("rows decided by each:", ", ".join(f"{name} {count}" for name, count in decided_by.most_common()))


if __name__ == "__main__":
    main()

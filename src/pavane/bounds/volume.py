"""The bound by volume: every message of a broadcast must enter every router where a receiver is."""

from __future__ import annotations

from collections.abc import Iterator

from pavane.bounds.cut_loads import entering
from pavane.bounds.phrases import Unit, carried
from pavane.model.bound import Bound
from pavane.model.problem import Problem

NAME = "volume"


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the channel uses that a broadcast cannot do without, over the channels."""
    if problem.pattern == "broadcast" and not problem.rules.combining:
        cut = entering(problem)
        if cut.num_messages:
            yield cut.bound(NAME, {})


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State how often messages must enter routers."""
    cut = entering(problem)
    room = f"{cut.per_step:,} channels" if problem.network.capacities is None else f"room for {cut.per_step:,}"
    return f"{carried(problem)}s must enter routers {cut.num_messages:,} times in all, and {unit.subject} has {room}"

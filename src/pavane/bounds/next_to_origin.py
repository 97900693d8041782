"""The bound of a broadcast in pieces by a receiver next to the origin, where every path is shortest.

The receiver's only shortest paths from the origin are the channels between them. In the first step only the origin has
pieces, so that few come to the receiver. In the last step a piece that has not left the origin before must come to the
receiver over these channels, so that few are left until then.
"""

from __future__ import annotations

from collections.abc import Iterator

from pavane.bounds.phrases import Unit
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "next-to-origin"


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the bound of the best receiver, for the pieces of one origin where routers copy."""
    if not problem.has_trees or problem.rules.routing != "minimal" or len(set(problem.ends[:, 0].tolist())) > 1:
        return
    best: tuple[int, int] | None = None
    for receiver in problem.collective.receivers:
        steps = _steps(problem, receiver)
        if steps and (best is None or steps > best[0]):
            best = steps, receiver
    if best is not None:
        yield Bound(best[0], NAME, {"receiver": best[1]})


def _figures(problem: Problem, receiver: int) -> tuple[int, int]:
    """Return what the channels from the origin to a receiver carry in a step, and what the origin or it does."""
    network, origin = problem.network, int(problem.ends[0, 0])
    here, there = network.router_of[[origin, receiver]]
    direct = int(network.capacity[(network.tails == here) & (network.heads == there)].sum()) if here != there else 0
    return direct, min(int(problem.injection[origin]), int(problem.ejection[receiver]))


def _steps(problem: Problem, receiver: int) -> int:
    direct, per_step = _figures(problem, receiver)
    later = problem.num_messages - direct
    return 1 - (-later // per_step) if direct and later > 0 else 0


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State what comes to the receiver directly, and what later."""
    receiver = bound.certificate["receiver"]
    direct, per_step = _figures(problem, receiver)
    pieces = counted(problem.num_messages, "message")
    ways = f"{direct} of {pieces} can come to processor {receiver} from the origin in one step"
    return f"{ways}, the others {per_step} {unit.each}"

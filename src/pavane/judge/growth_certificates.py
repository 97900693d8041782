"""Checks certificates that say how soon a message can be where it must: by growth, and by distance."""

from __future__ import annotations

from pavane.errors import InputError
from pavane.judge.facts import (
    carried_in,
    carried_out,
    holders,
    hops,
    is_passed,
    is_stored,
    leaps,
    origins_of,
    ports,
    targets_of,
    wiring,
)
from pavane.model.problem import Problem


def by_growth(problem: Problem, origin: int, *, backwards: bool) -> int:
    """Return the steps until a processor has informed enough others; backwards, until it has received from enough.

    Every informed processor informs as many others as it has ports, and those with the most ports come first.
    """
    if not problem.rules.combining and (backwards or problem.pattern == "private"):
        raise InputError("without combining growth bounds broadcasts only, and from their origins")
    wanted = len(origins_of(problem, origin) if backwards else targets_of(problem, origin))
    if not wanted:
        raise ValueError(f"processor {origin} has no message")
    sending, receiving = ports(problem)
    uninformed = receiving if backwards else sending
    fan_out = uninformed.pop(origin)
    carried = carried_in(problem) if backwards else carried_out(problem)
    uninformed += [carried[switch] for switch in holders(problem)]
    uninformed.sort()
    num_informed, steps = 0, 0
    while num_informed < wanted:
        newly = [uninformed.pop() for _ in range(min(fan_out, len(uninformed)))]
        if not newly:
            raise ValueError(f"processor {origin} cannot reach all")
        num_informed += len(newly)
        fan_out += sum(newly)
        steps += 1
    return steps


def by_distance(problem: Problem, source: int, target: int) -> int:
    """Return the steps that one message takes for its way, a channel a step."""
    if not is_stored(problem):
        raise InputError("distance bounds store-and-forward only; a wormhole runs any path in one step")
    if target not in targets_of(problem, source):
        raise ValueError(f"no message goes from {source} to {target}")
    homes = problem.network.router_of.tolist()
    away = leaps(problem, homes[source]) if is_passed(problem) else hops(wiring(problem), homes[source])
    return max(1, away[homes[target]])

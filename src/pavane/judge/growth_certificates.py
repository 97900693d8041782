"""Checks certificates that say how soon a message can be where it must: by growth, and by distance."""

from __future__ import annotations

from pavane.errors import InputError
from pavane.judge.checkers import TRANSFERS, checks
from pavane.judge.facts import carried, holders, is_stored, partners, ports, steps_from, whole
from pavane.model.bound import Bound
from pavane.model.problem import Problem


@checks("growth", TRANSFERS, "growth", "gathering", bounds=("steps", "start-ups"), of_contributions=True)
def by_growth(problem: Problem, bound: Bound) -> int:
    """Return the steps until a processor has informed enough others; backwards, until it has received from enough.

    Every informed processor informs as many others as it has ports, and those with the most ports come first.
    """
    origin, backwards = whole(bound.certificate["origin"]), bound.argument == "gathering"
    if not problem.rules.combining and (backwards or problem.pattern == "private"):
        raise InputError("without combining growth bounds broadcasts only, and from their origins")
    wanted = len(partners(problem, origin, backwards=backwards))
    if not wanted:
        raise ValueError(f"processor {origin} has no message")
    sending, receiving = ports(problem)
    uninformed = receiving if backwards else sending
    fan_out = uninformed.pop(origin)
    by_channels = carried(problem, backwards=backwards)
    uninformed += [by_channels[switch] for switch in holders(problem)]
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


@checks("distances", TRANSFERS, "distance", bounds=("steps", "start-ups"), holds_for_trees=True, of_contributions=True)
def by_distance(problem: Problem, bound: Bound) -> int:
    """Return the steps that one message takes for its way, a channel a step."""
    if not is_stored(problem):
        raise InputError("distance bounds store-and-forward only; a wormhole runs any path in one step")
    source, target = whole(bound.certificate["from"]), whole(bound.certificate["to"])
    if target not in partners(problem, source):
        raise ValueError(f"no message goes from {source} to {target}")
    homes = problem.network.router_of.tolist()
    return max(1, steps_from(problem, homes[source])[homes[target]])

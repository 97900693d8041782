"""The bound of an allreduce of two or three steps, by how many transfers of a piece each step must have.

Let p routers have members, and a_1, ..., a_T be the transfers of one piece between routers in each of T steps. Routers
whose sums together have all contributions after some steps are called a cover.

* Every transfer joins two routers at most, so a cover after s transfers has p - s routers or more. With k ports a sum
  has at most (k + 1)^t contributions after t steps, so a cover has p / (k + 1)^t routers or more.
* A router that receives nothing in the last step has the complete sum before. In the last step but one it receives
  from all but one of a cover. At least p less the transfers of the last step are such routers.
* One router with the complete sum sends it to k others. Each of the rest that receives n sums last forms a cover with
  their n senders. Where no router has the complete sum, at least 2p less the transfers of the last step receive one
  sum; if more than k + 1 do, two of them and their senders are four routers.
* Read backwards, the same holds for routers that send, and for the first step.
* All steps together have 2 (p - 1) transfers or more, as for `partition`.

So few transfers in the first and the last step take many in the middle, and with few ports two roots at least must
exchange sums. Prices on the transfers of each step, by a linear program over all profiles, show that N pieces do not
fit into T steps of c transfers each: machines of one switch with 2/3 to 4/5 of p ports are an example.
"""

from __future__ import annotations

import numpy as np

from pavane.bounds.partition import room_between, single_classes
from pavane.bounds.phrases import Unit
from pavane.model.arrays import Longs, Reals
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "step-profile"

FEWEST_STEPS, MOST_STEPS = 2, 3
"""The numbers of steps that it may show to be too few. With more, transfers of a piece can be moved freely."""

MOST_MEMBERS = 128
"""Above this the judge takes longer than a second."""

HIGHEST_PRICE = 1_000
"""Prices are whole numbers up to this."""


def best_profile(problem: Problem, lowest: int, deadline: float | None = None) -> Bound | None:
    """Return a bound above `lowest`; None where there is none, as where one step can complete a sum."""
    if problem.rules.combining or _num_members(problem) > MOST_MEMBERS:
        return None
    best: Bound | None = None
    for num_steps in range(max(lowest, FEWEST_STEPS), MOST_STEPS + 1):
        prices = _prices(problem, num_steps)
        if prices is None:
            break
        best = Bound(num_steps + 1, NAME, {"prices": prices})
    return best


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State what the transfers of all pieces cost at the prices, and what the steps have room for, always in steps."""
    prices = bound.certificate["prices"]
    num_steps = len(prices)
    fewest = int((_profiles(problem, num_steps) @ np.array(prices)).min())
    each = ", ".join(map(str, prices))
    return (
        f"at prices of {each} for a transfer in steps 1 to {num_steps}, each of {counted(problem.num_messages, 'sum')} "
        f"takes {fewest:,} or more, {problem.num_messages * fewest:,} in all, and {num_steps} steps have room for "
        f"{_room(problem) * sum(prices):,}"
    )


def _num_members(problem: Problem) -> int:
    return len(set(problem.network.router_of[list(problem.collective.senders)].tolist()))


def _room(problem: Problem) -> int:
    """Return how many transfers between routers a step has room for."""
    classes = single_classes(problem)
    return min(room_between(problem, classes, entering) for entering in (False, True))


def _prices(problem: Problem, num_steps: int) -> list[int] | None:
    """Return prices of steps that show that there are too few; None where no prices do."""
    if max(_most_ports(problem)) >= _num_members(problem) - 1:
        return None
    profiles, room = _profiles(problem, num_steps), _room(problem)
    if not len(profiles):
        return None
    prices = np.full(num_steps, HIGHEST_PRICE)
    cheapest: list[int] = []
    while True:
        costs = profiles @ prices
        if problem.num_messages * int(costs.min()) > room * int(prices.sum()):
            return [int(price) for price in prices // np.gcd.reduce(prices)]
        if int(costs.argmin()) in cheapest:
            return None
        cheapest.append(int(costs.argmin()))
        best = _dearest(profiles[cheapest])
        if best is None:
            return None
        prices = np.round(best / best.max() * HIGHEST_PRICE).astype(np.int64)


def _dearest(profiles: Longs) -> Reals | None:
    """Return prices of steps, 1 in all, at which the cheapest of some profiles costs the most: a linear program."""
    from scipy.optimize import linprog

    num_steps = profiles.shape[1]
    solution = linprog(
        [*np.zeros(num_steps), -1],
        A_ub=np.hstack((-profiles, np.ones((len(profiles), 1)))),
        b_ub=np.zeros(len(profiles)),
        A_eq=[[*np.ones(num_steps), 0]],
        b_eq=[1],
    )
    return None if solution.x is None else solution.x[:num_steps]


def _most_ports(problem: Problem) -> tuple[int, int]:
    """Return how many sums a router can receive in a step, and send."""
    classes = single_classes(problem)
    into, out = (max(room_between(problem, [one], entering) for one in classes) for entering in (True, False))
    return into, out


def _cover(members: int, ports: int, num_steps: int) -> int:
    """Return how few routers can have all contributions after some steps; backwards, can send to all in as many."""
    reached: int = (1 + ports) ** num_steps
    return -(-members // reached)


def _profiles(problem: Problem, num_steps: int) -> Longs:
    """Return the transfers of a piece in each step, of profiles such that any other has no fewer in every step.

    `before`, `during` and `after` are about the last step but one; of two steps there is none before.
    """
    members = _num_members(problem)
    # Beyond twice the members only whole multiples of them allow fewer transfers in another step.
    counts = np.unique([*range(2 * members + 1), *range(0, members * members, members)])
    before, after = np.meshgrid(counts if num_steps == MOST_STEPS else [0], counts, indexing="ij")
    unsent, unserved = np.maximum(members - before, 0), np.maximum(members - after, 0)
    into, out = _most_ports(problem)
    gathered = np.maximum(unsent, _cover(members, into, num_steps - 2))
    spread = np.maximum(unserved, _cover(members, out, 1))
    backwards = _before_last(members, spread, before, into) if num_steps == MOST_STEPS else members * (spread - 1)
    during = np.maximum.reduce(
        [_before_last(members, gathered, after, out), backwards, 2 * (members - 1) - before - after]
    )
    is_possible = after >= members * (_cover(members, into, num_steps - 1) - 1)
    if num_steps == MOST_STEPS:
        is_possible &= before >= members * (_cover(members, out, num_steps - 1) - 1)
    columns = (before, during, after) if num_steps == MOST_STEPS else (during, after)
    return np.stack([column[is_possible] for column in columns], axis=1).astype(np.int64)


def _before_last(members: int, cover: Longs, last: Longs, ports: int) -> Longs:
    """Return how many transfers the step before the last has, by its covers and by the transfers of the last step."""
    each = cover - 1
    of_idle: Longs = np.maximum(members - last, 0) * each
    if ports >= members - 1:
        return of_idle
    most_sums = 1 + (last - members + 1) // (members - 1 - ports)
    with_one = each + np.maximum(each - most_sums, 0)
    are_two_apart = 2 * members - last >= max(ports + 2, 4)
    with_none = np.where(are_two_apart, 2 * (each - 1), each - last // members)
    complete = np.minimum(np.where(last < members, with_one, np.minimum(with_one, with_none)), 2 * each)
    return np.where(last < members - 1, of_idle, np.maximum(complete, 0))

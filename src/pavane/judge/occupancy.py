"""Checks the certificates of bounds on occupancy and start-ups, in plain Python and from the problem alone.

Nothing here is shared with `occupancy`, which makes the bounds: figures are counted again one by one, cheapest routes
are found with a heap, and numbers are Python's own, so none can wrap round.
"""

from __future__ import annotations

from collections import Counter, deque
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any

from pavane.errors import InputError
from pavane.model.bound import Bound, OccupancyBound
from pavane.model.collectives import dual
from pavane.model.problem import Problem

Wiring = list[list[tuple[int, int]]]
"""For each router the channels out of it (or into it), each with the router at its other end."""


def check(problem: Problem, bound: OccupancyBound) -> int:
    """Return the occupancy that the certificate of a bound proves; InputError where it proves nothing."""
    if not problem.rules.combining:
        raise InputError("bounds on the occupancy are about combining")
    if problem.pattern == "reduction":
        return check(dual(problem), bound)
    certificate = bound.certificate
    try:
        if bound.argument == "start-ups":
            if bound.num_steps is not None:
                return bound.num_steps
            inner = certificate["start-ups"]
            return check_start_ups(problem, Bound(inner["steps"], inner["argument"], inner["certificate"]))
        if bound.argument == "moves":
            if bound.num_steps is None:
                raise ValueError("moves are counted for a number of start-ups")
            return _by_moves(problem, bound.num_steps, certificate["side"] == "targets")
        if "channels" in certificate:
            return _by_prices(problem, certificate)
        if problem.pattern == "private":
            raise ValueError("private messages are bounded by prices")
        if bound.argument == "volume":
            return _by_volume(problem)
        if "processor" in certificate:
            return _by_arrivals(problem, int(certificate["processor"]))
        if "routers" in certificate:
            return _by_cut(problem, {int(router) for router in certificate["routers"]})
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise InputError(f"the certificate of bound {bound.argument!r} cannot be read: {error}") from None
    raise InputError(f"bound {bound.argument!r} is of no known kind, so it cannot be checked")


def check_start_ups(problem: Problem, bound: Bound) -> int:
    """Return the start-ups that the certificate of a bound proves; InputError where it proves nothing."""
    if not problem.rules.combining:
        raise InputError("bounds on start-ups are about combining")
    if problem.pattern == "reduction":
        return check_start_ups(dual(problem), bound)
    certificate = bound.certificate
    try:
        if bound.argument == "crossing":
            return _by_crossing(problem, {int(router) for router in certificate["routers"]})
        if bound.argument in ("growth", "gathering"):
            return _by_growth(problem, int(certificate["origin"]), bound.argument == "gathering")
        if bound.argument == "distance":
            return _by_distance(problem, int(certificate["from"]), int(certificate["to"]))
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise InputError(f"the certificate of bound {bound.argument!r} cannot be read: {error}") from None
    raise InputError(f"bound {bound.argument!r} is of no known kind, so it cannot be checked")


# -- the problem, in plain Python


def _asked(problem: Problem) -> set[tuple[int, int]]:
    """Return every pair of a processor that has something to say and one that must hear it."""
    if problem.pattern == "private":
        return {(origin, target) for origin, target in problem.labels.tolist()}
    return {(o, r) for (o,) in problem.labels.tolist() for r in problem.collective.receivers if r != o}


def _ports(problem: Problem) -> tuple[list[int], list[int]]:
    """Return how many transfers each processor sends, and receives, in a step at most."""
    network = problem.network
    homes = network.router_of.tolist()
    if problem.rules.ports != "all":
        return [problem.rules.ports] * len(homes), [problem.rules.ports] * len(homes)
    out = Counter(tail for tail, _ in network.channels.tolist())
    into = Counter(head for _, head in network.channels.tolist())
    return [out[home] for home in homes], [into[home] for home in homes]


def _units(problem: Problem) -> list[int]:
    """Return the lower channel of each link under half duplex, and each channel itself else."""
    units = list(range(problem.network.num_channels))
    if problem.rules.duplex == "half":
        units = [min(c, back) if back >= 0 else c for c, back in enumerate(problem.network.opposite.tolist())]
    return units


def _wiring(problem: Problem, backwards: bool = False) -> Wiring:
    wiring: Wiring = [[] for _ in range(problem.network.num_routers)]
    for channel, (tail, head) in enumerate(problem.network.channels.tolist()):
        wiring[head if backwards else tail].append((channel, tail if backwards else head))
    return wiring


def _hops(wiring: Wiring, start: int) -> dict[int, int]:
    away, queue = {start: 0}, deque([start])
    while queue:
        here = queue.popleft()
        for _, there in wiring[here]:
            if there not in away:
                away[there] = away[here] + 1
                queue.append(there)
    return away


def _is_stored(problem: Problem) -> bool:
    return problem.rules.switching == "store-and-forward"


def _switches(problem: Problem) -> set[int]:
    return set(range(problem.network.num_routers)) - set(problem.network.router_of.tolist())


def _inside(problem: Problem, routers: set[int]) -> set[int]:
    if not routers <= set(range(problem.network.num_routers)):
        raise ValueError("it names routers that do not exist")
    return {p for p, home in enumerate(problem.network.router_of.tolist()) if home in routers}


def _shared(amount: int, per_unit: int) -> int:
    if per_unit < 1:
        raise ValueError("nothing can carry what it counts")
    return (amount + per_unit - 1) // per_unit


# -- occupancy


def _by_arrivals(problem: Problem, processor: int) -> int:
    wanted = sum(target == processor for _, target in _asked(problem))
    return _shared(wanted, _ports(problem)[1][processor])


def _by_cut(problem: Problem, routers: set[int]) -> int:
    members = _inside(problem, routers)
    leaving = {o for o, r in _asked(problem) if o in members and r not in members}
    entering = {o for o, r in _asked(problem) if o not in members and r in members}
    units = _units(problem)
    out, back = set(), set()
    for channel, (tail, head) in enumerate(problem.network.channels.tolist()):
        if tail in routers and head not in routers:
            out.add(units[channel])
        if head in routers and tail not in routers:
            back.add(units[channel])
    if problem.rules.duplex == "half":
        return _shared(len(leaving) + len(entering), len(out | back))
    return _shared(len(leaving), len(out))


def _by_volume(problem: Problem) -> int:
    homes = problem.network.router_of.tolist()
    uses = {(o, homes[r]) for o, r in _asked(problem) if homes[o] != homes[r]}
    return _shared(len(uses), len(set(_units(problem))))


def _by_prices(problem: Problem, certificate: dict[str, Any]) -> int:
    if problem.pattern != "private":
        raise ValueError("prices bound private messages")
    network = problem.network
    channel_price = _price_of(certificate["channels"], network.num_channels)
    injection = _price_of(certificate["injection"], network.num_processors)
    ejection = _price_of(certificate["ejection"], network.num_processors)
    dearest: dict[int, int] = {}
    for channel, unit in enumerate(_units(problem)):
        dearest[unit] = max(dearest.get(unit, 0), channel_price[channel])
    out, into = _ports(problem)
    sold = sum(dearest.values())
    sold += sum(k * price for k, price in zip(out, injection, strict=True))
    sold += sum(k * price for k, price in zip(into, ejection, strict=True))
    homes = network.router_of.tolist()
    stop: dict[int, int] = {}
    if _is_stored(problem):
        for processor, home in enumerate(homes):
            rest = injection[processor] + ejection[processor]
            stop[home] = min(stop.get(home, rest), rest)
    wiring = _wiring(problem)
    bought = 0
    by_home: dict[int, list[tuple[int, int]]] = {}
    for origin, target in _asked(problem):
        by_home.setdefault(homes[origin], []).append((origin, target))
    for home, messages in by_home.items():
        costs = _cheapest(wiring, home, channel_price, stop) if any(channel_price) or stop else {}
        for origin, target in messages:
            way = costs.get(homes[target], 0)
            bought += injection[origin] + ejection[target] + way
    return _shared(bought, sold)


def _cheapest(wiring: Wiring, start: int, price: list[int], stop: dict[int, int]) -> dict[int, int]:
    """Return what the cheapest route to every router costs, with the stops on the way but not the last."""
    arrived: dict[int, int] = {}
    heap = [(0, start)]
    while heap:
        cost, here = heappop(heap)
        if here in arrived:
            continue
        arrived[here] = cost
        onward = cost + (stop.get(here, 0) if here != start else 0)
        for channel, there in wiring[here]:
            if there not in arrived:
                heappush(heap, (onward + price[channel], there))
    return arrived


def _price_of(groups: list[list[int]], size: int) -> list[int]:
    prices = [0] * size
    for price, *members in groups:
        for member in members:
            if type(price) is not int or price < 0 or not 0 <= member < size:
                raise ValueError("a price is no whole number, or of something that does not exist")
            prices[member] = price
    return prices


def _by_moves(problem: Problem, num_steps: int, by_target: bool) -> int:
    network = problem.network
    stored = _is_stored(problem)
    if problem.pattern != "private" or (stored and _switches(problem)):
        raise ValueError("moves are counted for private messages between processors")
    out, into = _ports(problem)
    ports = into if by_target else out
    homes = network.router_of.tolist()
    wiring = _wiring(problem, backwards=by_target)
    # Pascal's triangle, row by row.
    ways = [1]
    for _ in range(num_steps):
        ways = [1, *(a + b for a, b in pairwise(ways)), 1]
    others: dict[int, list[int]] = {}
    for origin, target in _asked(problem):
        others.setdefault(target if by_target else origin, []).append(origin if by_target else target)
    moves = 0
    for member, those in others.items():
        away = _hops(wiring, homes[member])
        least = sorted(max(1, away[homes[other]]) if stored else 1 for other in those)
        room = [count * ports[member] * max(ports) ** (j - 1) if j else 0 for j, count in enumerate(ways)]
        # The nearest first, each as directly as there is room.
        at = 0
        for need in least:
            at = max(at, need)
            while at <= num_steps and room[at] == 0:
                at += 1
            if at > num_steps:
                raise ValueError(f"{num_steps} start-ups are too few for any schedule")
            room[at] -= 1
            moves += at
    most = min(sum(out), sum(into))
    if len(set(homes)) == len(homes):
        most = min(most, len(set(_units(problem))))
    return _shared(moves, most)


# -- start-ups


def _by_distance(problem: Problem, source: int, target: int) -> int:
    if not _is_stored(problem) or (source, target) not in _asked(problem):
        raise ValueError("distance counts under store-and-forward, from an origin to its target")
    homes = problem.network.router_of.tolist()
    return max(1, _hops(_wiring(problem), homes[source])[homes[target]])


def _by_growth(problem: Problem, origin: int, backwards: bool) -> int:
    """Let everyone who knows inform as many as it has ports, the ones with the most ports first."""
    wanted = sum(pair[1 if backwards else 0] == origin for pair in _asked(problem))
    if not wanted:
        raise ValueError(f"processor {origin} has nobody to reach")
    fans = list(_ports(problem)[1 if backwards else 0])
    knowing = [fans.pop(origin)]
    if _is_stored(problem):
        wiring = _wiring(problem, backwards)
        fans += [len(wiring[switch]) for switch in _switches(problem)]
    fans.sort()
    steps = 0
    while len(knowing) <= wanted:
        reach = min(sum(knowing), len(fans))
        if not reach:
            raise ValueError(f"processor {origin} cannot reach all")
        knowing += [fans.pop() for _ in range(reach)]
        steps += 1
    return steps


def _by_crossing(problem: Problem, routers: set[int]) -> int:
    members = _inside(problem, routers)
    across = [(o, r) for o, r in _asked(problem) if o in members and r not in members]
    if not across:
        raise ValueError("nothing must cross this cut")
    out, into = _ports(problem)
    crossings = sum(t in routers and h not in routers for t, h in problem.network.channels.tolist())
    widest_in, widest_out = max(into), max(out)
    if _is_stored(problem):
        widest_in = max(widest_in, *(len(into_it) for into_it in _wiring(problem, backwards=True)))
        widest_out = max(widest_out, *(len(out_of_it) for out_of_it in _wiring(problem)))
    if not (_is_stored(problem) and _switches(problem)):
        crossings = min(
            crossings,
            sum(out[p] for p in members),
            sum(k for p, k in enumerate(into) if p not in members),
        )
    if not crossings:
        raise ValueError("nothing can cross this cut")
    tellers, hearers = len({o for o, _ in across}), len({r for _, r in across})
    steps = 0
    while True:
        steps += 1
        served = 0
        for step in range(1, steps + 1):
            known = min((widest_in + 1) ** (step - 1), tellers)
            reached = min((widest_out + 1) ** (steps - step), hearers)
            served += crossings * known * reached
        if served >= len(across):
            return steps

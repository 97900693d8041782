"""Checks the certificates of lower bounds on the end of timed schedules, against the problem alone.

**Timed cut.** Sources lie outside a set S of routers, and a target inside. Every piece of the sources that the target
wants enters S over some channel, and holds it. Take a transfer that runs over channel c: its message is usable where it
starts no earlier than `lead` after time 0, the least time from a source to there; and after it ends, its latencies and
the least time on to the target pass, `rest`. So all that is held of channel c lies in a window of end - lead - rest,
with the least lead and the least rest of all transfers that may run over c, and at most as many pieces as fit into the
window go over c. The bound is the least end with which all of them fit.

Under store-and-forward leads and rests are the least times over hops, each with its hold and its latencies. Where a
transfer may run over several channels, by wormhole or over switches that pass, it holds all of them from its start on.
Then only latencies are counted, the lead is that of the earliest processor where a transfer over c may start, and the
rest has the least latency from such a processor on. The private message of a wormhole starts at its origin, at time 0.
"""

from __future__ import annotations

import heapq
from typing import Any

from pavane.errors import InputError
from pavane.judge.facts import whole
from pavane.model.bound import FinishBound
from pavane.model.duals import dual
from pavane.model.links import PICOSECONDS
from pavane.model.timed import TimedProblem

FAR = 2**62


def proven_finish(timed: TimedProblem, bound: FinishBound) -> int:
    """Return the end that the certificate of a bound proves, in picoseconds; InputError where it proves nothing."""
    if timed.problem.pattern == "reduction":
        return proven_finish(TimedProblem(dual(timed.problem), timed.links, timed.num_bytes), bound)
    if bound.argument != "timed-cut" or timed.problem.pattern == "allreduce":
        raise InputError(f"bound {bound.argument!r} is of no known kind, so it cannot be checked")
    try:
        return _by_cut(timed, bound.certificate)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise InputError(f"the certificate of bound {bound.argument!r} cannot be read: {error}") from None


def _by_cut(timed: TimedProblem, certificate: dict[str, Any]) -> int:
    """Return the least end with which all pieces that must enter a set of routers fit into the windows of channels."""
    problem, network = timed.problem, timed.problem.network
    inside = {whole(router) for router in certificate["routers"]}
    sources = {whole(processor) for processor in certificate["sources"]}
    homes = network.router_of.tolist()
    if not inside <= set(range(network.num_routers)) or not sources <= set(range(network.num_processors)):
        raise ValueError("it names routers or processors that do not exist")
    if any(homes[source] in inside for source in sources):
        raise ValueError("a source lies inside the cut")
    if problem.pattern == "private":
        ends = {whole(processor) for processor in certificate["targets"]}
        if not all(homes[end] in inside for end in ends):
            raise ValueError("a target lies outside the cut")
        pairs = enumerate(problem.ends.tolist())
        wanted = [message for message, (origin, target) in pairs if origin in sources and target in ends]
        targets = {homes[end] for end in ends}
    else:
        target = whole(certificate["target"])
        if target not in problem.collective.receivers or homes[target] not in inside:
            raise ValueError("the target receives nothing, or lies outside the cut")
        wanted = [message for message, (origin,) in enumerate(problem.ends.tolist()) if origin in sources]
        targets = {homes[target]}
    if not wanted:
        raise ValueError("nothing has to cross the cut")
    size = int(timed.message_bytes[wanted].min())
    lead, rest = _windows(timed, size, {homes[source] for source in sources}, targets)
    crossing = []
    for channel, (tail, head) in enumerate(network.channels.tolist()):
        if tail not in inside and head in inside and lead[channel] < FAR and rest[channel] < FAR:
            busy = int(timed.links.overheads[channel]) + -(-size * PICOSECONDS // int(timed.links.bandwidths[channel]))
            crossing.append((lead[channel] + rest[channel], busy))
    if not crossing:
        raise ValueError("no channel leads into the cut")
    return _least_end(crossing, len(wanted))


def _least_end(crossing: list[tuple[int, int]], need: int) -> int:
    """Return the least end with which windows have room for so many pieces."""

    def room(end: int) -> int:
        return sum(max(0, end - lost) // busy if busy else need for lost, busy in crossing)

    low, high = 0, 1
    while room(high) < need:
        low, high = high, 2 * high
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if room(middle) >= need else (middle, high)
    return high if room(0) < need else 0


def _windows(timed: TimedProblem, size: int, sources: set[int], targets: set[int]) -> tuple[list[int], list[int]]:
    """Return for each channel the least time before a transfer over it may start, and the least after it ends."""
    problem, network = timed.problem, timed.problem.network
    tails, heads = network.tails.tolist(), network.heads.tolist()
    latencies = timed.links.latencies.tolist()
    is_stored = problem.rules.switching == "store-and-forward"
    if is_stored and not problem.passes_switches:
        rates = zip(timed.links.overheads.tolist(), timed.links.bandwidths.tolist(), latencies, strict=True)
        costs = [over + -(-size * PICOSECONDS // rate) + latency for over, rate, latency in rates]
        before, after = _least(costs, tails, heads, sources), _least(costs, heads, tails, targets)
        return [before[tail] for tail in tails], [latencies[c] + after[head] for c, head in enumerate(heads)]
    before, after = _least(latencies, tails, heads, sources), _least(latencies, heads, tails, targets)
    if not is_stored and problem.pattern == "private":
        # One transfer runs from the origin to the target.
        lead = [0 if before[tail] < FAR else FAR for tail in tails]
        up = [before[tail] for tail in tails]
    else:
        lead, up = _starting_points(timed, before)
    rest = [min(FAR, up[c] + latencies[c] + after[head]) for c, head in enumerate(heads)]
    return lead, rest


def _starting_points(timed: TimedProblem, before: list[int]) -> tuple[list[int], list[int]]:
    """Return for each channel the least time of a location where a transfer over it may start, and the least latency.

    The transfer may start at any processor from which it can run to the channel: by wormhole through any router, over
    switches that pass through these. The two least values may be those of different processors.
    """
    network = timed.problem.network
    tails, heads = network.tails.tolist(), network.heads.tolist()
    has_processors = set(network.router_of.tolist())
    is_stored = timed.problem.rules.switching == "store-and-forward"
    lead = [before[router] if router in has_processors else FAR for router in range(network.num_routers)]
    up = [0 if router in has_processors else FAR for router in range(network.num_routers)]
    is_changed = True
    while is_changed:
        is_changed = False
        for channel, (tail, head) in enumerate(zip(tails, heads, strict=True)):
            if is_stored and head in has_processors:
                continue  # no transfer runs through it
            further = min(FAR, up[tail] + int(timed.links.latencies[channel]))
            if lead[tail] < lead[head] or further < up[head]:
                lead[head], up[head] = min(lead[head], lead[tail]), min(up[head], further)
                is_changed = True
    return [lead[tail] for tail in tails], [up[tail] for tail in tails]


def _least(costs: list[int], tails: list[int], heads: list[int], starts: set[int]) -> list[int]:
    """Return the least cost from any of some routers to every router, FAR where there is no way."""
    leaving: dict[int, list[int]] = {}
    for channel, tail in enumerate(tails):
        leaving.setdefault(tail, []).append(channel)
    least = [FAR] * (max([*tails, *heads, *starts]) + 1)
    queue = [(0, router) for router in sorted(starts)]
    for _, router in queue:
        least[router] = 0
    while queue:
        cost, router = heapq.heappop(queue)
        if cost > least[router]:
            continue
        for channel in leaving.get(router, []):
            further = cost + costs[channel]
            if further < least[heads[channel]]:
                least[heads[channel]] = further
                heapq.heappush(queue, (further, heads[channel]))
    return least

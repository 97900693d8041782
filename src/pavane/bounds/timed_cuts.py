"""Lower bounds on the end of timed schedules: what must enter a set of routers, over channels that are held in windows.

**Cut.** Every piece that some sources send to a target enters a set S of routers around the target. A channel c into S
can be held from `lead` on, the least time from a source to its tail, until `rest` before the end, the least time on to
the target. With the time `hold` for which a piece holds it, floor((end - lead - rest) / hold) pieces go over c. The
least end with which the pieces fit is the bound. It contains the bounds by distance (one source), by what a router
receives (S is the router alone) and by cuts. Of a sum, the contribution of one source must enter.

**Tail.** A piece must reach every receiver in S. What enters late informs only those that are near, and only as many as
its holders have channels or ports for; so it is worth that part of an entry.

**Ports.** What the processors of a router receive, or send, goes through their ports one after the other.

Sets are balls around routers, what is left without them, and what is left in one piece without the slowest channels.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from pavane.bounds.cut_loads import least_enough
from pavane.bounds.timed_ways import TransferTimes
from pavane.model.arrays import Flags, Longs, Reals
from pavane.model.bound import Bound
from pavane.model.problem import Problem

CUT, TAIL, PORTS = "timed-cut", "timed-tail", "timed-ports"

MOST_SETS = 400
"""Sets of routers that are tried: more take longer than a second on 64 routers and rarely prove more."""

MOST_REPACKED = 6
"""Of the best cuts so many are counted again with pieces of two sizes."""

MOST_PACKED = 64
"""Of more shorter pieces than these, all pieces are counted as short ones: packing them takes long."""

MOST_TAIL_WINDOWS = 4_000
"""Windows of a tail, one a channel and receiver: more take long, and such sets lie within few others."""


def best_cuts(problem: Problem) -> Iterator[Bound]:
    """Yield the best bounds by cuts, tails and ports."""
    if not problem.num_messages:
        return
    cuts = TimedCuts(problem)
    yield from cuts.best()
    yield from cuts.ports()


def least_end(lost: Reals, holds: Longs, need: int, lowest: int = 0) -> int | None:
    """Return the least end with which so many transfers fit into windows; None where that is not above `lowest`."""
    known = np.isfinite(lost)
    if not known.any() or _have_room(lost, holds, need, lowest):
        return None
    lost, holds = lost[known].astype(np.int64), holds[known]
    return least_enough(lambda end: _have_room(lost, holds, need, end), lowest)


def _have_room(lost: Reals | Longs, holds: Longs, need: int, end: int) -> bool:
    """Return whether so many transfers fit into windows."""
    return bool((np.maximum(end - lost, 0) // holds).sum() >= need)


def least_packed_end(lost: Reals, holds: tuple[Longs, Longs], large: int, small: int) -> int | None:
    """Return the least end with which so many pieces of two sizes fit."""
    if not small or small > MOST_PACKED:
        return least_end(lost, holds[1] if small else holds[0], large + small)
    known = np.isfinite(lost)
    windows = list(zip(lost[known].astype(np.int64).tolist(), *(one[known].tolist() for one in holds), strict=True))
    if not windows:
        return None

    def fits(end: int) -> bool:
        # For each number of small pieces, the most large ones beside them.
        most = [0] + [-(2**62)] * small
        for away, long, short in windows:
            room = max(0, end - away)
            beside = [(room - number * short) // long for number in range(min(small, room // short) + 1)]
            most = [
                max(most[total - number] + more for number, more in enumerate(beside[: total + 1]))
                for total in range(small + 1)
            ]
        return most[small] >= large

    return least_enough(fits)


class EntryCut(NamedTuple):
    """What must enter a set of routers."""

    inside: Flags
    sources: Longs
    """Processors."""
    targets: Longs
    messages: Longs

    @property
    def certificate(self) -> dict[str, Any]:
        """What the judge needs."""
        return {
            "sources": self.sources.tolist(),
            "routers": np.flatnonzero(self.inside).tolist(),
            "targets": self.targets.tolist(),
        }


class TimedCuts:
    """The cuts of one problem, with the least times between routers."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.network = problem, problem.network
        self.sizes = np.unique(problem.message_bytes).tolist()
        self.ways = TransferTimes(problem, self.sizes[0])
        self.homes = self.network.router_of.astype(np.int64)

    @cached_property
    def large_ways(self) -> TransferTimes:
        """The times of the largest pieces."""
        return TransferTimes(self.problem, self.sizes[-1])

    def best(self) -> Iterator[Bound]:
        """Yield the best cut, counted with the sizes of its pieces, and the best tail above it."""
        found: list[tuple[int, int, EntryCut]] = []
        lowest, tail = 0, None
        for inside in self._sets():
            crossing = np.flatnonzero(~inside[self.ways.tails] & inside[self.ways.heads])
            for cut in self._cuts(inside, crossing) if len(crossing) else ():
                finish = self._finish(self.ways, cut, crossing, lowest if len(self.sizes) == 1 else 0)
                if finish is not None:
                    found.append((finish, -len(found), cut))
                    lowest = max(lowest, finish)
        for finish, _, cut in heapq.nlargest(MOST_REPACKED if len(self.sizes) > 1 else 1, found):
            for bound in (
                self._packed(cut) if len(self.sizes) > 1 else (Bound(finish, CUT, cut.certificate, objective="finish"),)
            ):
                lowest = max(lowest, bound.figure)
                yield bound
        if self.problem.pattern == "broadcast" and not self.problem.has_trees:
            for inside in self._sets():
                tail = self._tail(inside, lowest)
                if tail is not None:
                    lowest = tail.figure
                    yield tail

    def _finish(self, ways: TransferTimes, cut: EntryCut, crossing: Longs, lowest: int) -> int | None:
        """Return the least end of a cut, if that is above `lowest`."""
        sources, targets = np.unique(self.homes[cut.sources]), np.unique(self.homes[cut.targets])
        # Times along single channels are no shorter, and quicker to see.
        before = ways.distances[sources][:, ways.tails[crossing]].min(axis=0)
        after = ways.distances[ways.heads[crossing]][:, targets].min(axis=1)
        if _have_room(before + ways.latencies[crossing] + after, ways.holds[crossing], len(cut.messages), lowest):
            return None
        lead, rest = ways.windows(sources, targets)
        return least_end((lead + rest)[crossing], ways.holds[crossing], len(cut.messages), lowest)

    def _packed(self, cut: EntryCut) -> Iterator[Bound]:
        """Yield the bounds of a cut by pieces of two sizes, and by the large ones alone."""
        crossing = np.flatnonzero(~cut.inside[self.ways.tails] & cut.inside[self.ways.heads])
        sizes = self.problem.message_bytes[cut.messages]
        some = np.unique(sizes).tolist()
        ways = self.ways if some[0] == self.sizes[0] else self.large_ways
        lead, rest = ways.windows(np.unique(self.homes[cut.sources]), np.unique(self.homes[cut.targets]))
        holds = ways.holds_of(some[-1])[crossing], ways.holds[crossing]
        num_small = int((sizes == some[0]).sum()) if len(some) > 1 else 0
        finish = least_packed_end((lead + rest)[crossing], holds, len(sizes) - num_small, num_small)
        if finish is not None:
            yield Bound(finish, CUT, cut.certificate, objective="finish")
        if num_small:
            large = cut._replace(messages=cut.messages[sizes > some[0]])
            finish = self._finish(self.large_ways, large, crossing, 0)
            if finish is not None:
                yield Bound(finish, CUT, {**cut.certificate, "bytes": some[-1]}, objective="finish")

    # -- sets of routers

    def _sets(self) -> Iterator[Flags]:
        """Yield sets of routers: single ones, balls, what is outside of them, and parts without slow channels."""
        seen: set[bytes] = set()
        for inside in self._all_sets():
            if inside.any() and not inside.all() and inside.tobytes() not in seen:
                seen.add(inside.tobytes())
                yield inside
                if len(seen) >= MOST_SETS:
                    return

    def _all_sets(self) -> Iterator[Flags]:
        routers = np.unique(self.homes)
        everything = np.arange(self.network.num_routers)
        # Boxes of a cluster come before its processors, of which there may be too many.
        for labels, count in fast_parts(self.ways):
            for label in range(min(count, len(everything) // 2)):
                yield labels == label
                yield labels != label
        for router in routers.tolist():
            yield everything == router
            yield everything != router
        for router in routers.tolist():
            reach = self.ways.distances[:, router]
            for radius in np.unique(reach[np.isfinite(reach)])[1:-1].tolist():
                yield reach <= radius
                yield reach > radius

    # -- what must enter

    def _cuts(self, inside: Flags, crossing: Longs) -> Iterator[EntryCut]:
        """Yield what must enter a set: from all sources and from farther ones, to all targets or to farther ones."""
        pattern, ends = self.problem.pattern, self.problem.ends
        is_inside = inside[self.homes]
        sides = self._sides()
        sources, targets = sides[0][~is_inside[sides[0]]], sides[1][is_inside[sides[1]]]
        if not len(sources) or not len(targets):
            return
        before = self.ways.distances[self.homes[sources]][:, self.ways.tails[crossing]].min(axis=1)
        after = self.ways.distances[self.ways.heads[crossing]][:, self.homes[targets]].min(axis=0)
        if pattern in ("reduction", "allreduce"):
            sources, before = _farthest(sources, before)
        if pattern in ("broadcast", "allreduce"):
            targets, after = _farthest(targets, after)
        for lead in _levels(before):
            for rest in _levels(after):
                some, others = sources[before >= lead], targets[after >= rest]
                is_chosen = np.zeros((2, len(self.homes)), dtype=bool)
                is_chosen[0, some] = is_chosen[1, others] = True
                wanted = np.ones(len(ends), dtype=bool)
                if pattern == "private":
                    wanted = is_chosen[0, ends[:, 0]] & is_chosen[1, ends[:, 1]]
                elif pattern != "allreduce":
                    wanted = is_chosen[int(pattern == "reduction"), ends[:, 0]]
                if wanted.any():
                    yield EntryCut(inside, some, others, np.flatnonzero(wanted))

    def _sides(self) -> tuple[Longs, Longs]:
        """Return the processors that something comes from, and those that it must get to."""
        ends, collective = self.problem.ends.astype(np.int64), self.problem.collective
        senders, receivers = (np.array(side, dtype=np.int64) for side in (collective.senders, collective.receivers))
        match self.problem.pattern:
            case "private":
                return np.unique(ends[:, 0]), np.unique(ends[:, 1])
            case "broadcast":
                return np.unique(ends[:, 0]), receivers
            case "reduction":
                return senders, np.unique(ends[:, 0])
            case _:
                return senders, senders

    # -- tails

    def _tail(self, inside: Flags, lowest: int) -> Bound | None:
        """Return the bound by what has the time to spread in a set, if that is above `lowest`."""
        ways, origins = self.ways, self.problem.ends[:, 0].astype(np.int64)
        receivers = np.unique(self.homes[list(self.problem.collective.receivers)])
        receivers = receivers[inside[receivers]]
        wanted = ~inside[self.homes[origins]]
        crossing = np.flatnonzero(~inside[ways.tails] & inside[ways.heads])
        resting = np.flatnonzero(inside & ways.rests)
        if len(receivers) < 2 or not wanted.any() or not len(crossing):
            return None
        if len(receivers) * len(crossing) > MOST_TAIL_WINDOWS:
            return None
        sources = np.unique(origins[wanted])
        lead, rest = ways.windows(np.unique(self.homes[sources]), resting)
        growth = self._growth(inside, len(receivers))
        waits = np.stack([np.maximum(self._near(head, resting, receivers), growth) for head in ways.heads[crossing]])
        lost = (lead + rest)[crossing][:, None] + waits
        holds = np.repeat(ways.holds[crossing], len(receivers))
        finish = least_end(lost.reshape(-1), holds, int(wanted.sum()) * len(receivers), lowest)
        if finish is None:
            return None
        return Bound(
            finish, TAIL, {"sources": sources.tolist(), "routers": np.flatnonzero(inside).tolist()}, objective="finish"
        )

    def _near(self, head: int, resting: Longs, receivers: Longs) -> Reals:
        """Return the least times after which the first, second, ... receiver can know what enters at `head`."""
        ways = self.ways
        ends = [head] if ways.rests[head] else []
        if ways.passes[head]:
            first = np.full(ways.num_routers, np.inf)
            first[head] = 0.0
            reached = np.isfinite(ways.along(first, np.zeros(len(ways.tails))))
            ends = np.union1d(ends, np.intersect1d(ways.heads[reached[ways.tails]], resting)).astype(np.int64).tolist()
        if not ends:
            return np.full(len(receivers), np.inf)
        return np.sort(ways.times[ends].min(axis=0)[receivers])

    def _growth(self, inside: Flags, most: int) -> Reals:
        """Return the least times after which one holder and those that it informs inside are 1, 2, ... routers."""
        ways, ports = self.ways, self.problem.rules.ports
        onward = np.flatnonzero(inside[ways.tails] & inside[ways.heads] & ways.rests[ways.tails])
        times = np.full(most, np.inf)
        times[0] = 0.0
        if not len(onward):
            return times
        ends = ways.along(np.where(ways.rests, 0.0, np.inf), ways.latencies, backwards=True)
        hold = int(ways.holds[onward].min())
        way = (ways.latencies[onward] + ends[ways.heads[onward]]).min()
        fans = np.bincount(ways.tails[onward], minlength=ways.num_routers)
        if ports != "all":
            count = np.bincount(self.homes, minlength=ways.num_routers)
            fans = np.where(count > 0, np.minimum(fans, int(ports) * count), fans)
        hop, fan = hold + way, int(fans.max())
        queue = [hop] * fan
        for number in range(1, most):
            times[number] = heapq.heappop(queue)
            for later in (times[number] + hold, *[times[number] + hop] * fan):
                heapq.heappush(queue, later)
        return times

    # -- ports

    def ports(self) -> Iterator[Bound]:
        """Yield the best bound by what the processors of a router receive, or send."""
        if self.problem.rules.ports == "all":
            return
        best = None
        for router in np.unique(self.homes).tolist():
            for side in ("receive", "send"):
                finish = self._port_end(router, is_receiving=side == "receive")
                if finish is not None and (best is None or finish > best.figure):
                    best = Bound(finish, PORTS, {"router": router, "side": side}, objective="finish")
        if best is not None:
            yield best

    def _port_end(self, router: int, *, is_receiving: bool) -> int | None:
        here = self.homes == router
        messages, others = self._passing(here, is_receiving=is_receiving)
        if not len(messages) or not len(others):
            return None
        sizes = self.problem.message_bytes[messages]
        some = np.unique(sizes).tolist()
        ways = self.ways if some[0] == self.sizes[0] else self.large_ways
        away, own = np.unique(self.homes[others]), np.array([router])
        lead, rest = ways.windows(*((away, own) if is_receiving else (own, away)))
        used = np.flatnonzero(((ways.heads if is_receiving else ways.tails) == router) & np.isfinite(lead + rest))
        if not len(used):
            return None
        num_ports = int(self.problem.rules.ports) * int(here.sum())
        lost = np.full(num_ports, lead[used].min() + rest[used].min())
        holds = tuple(np.full(num_ports, ways.holds_of(size)[used].min()) for size in (some[-1], some[0]))
        num_small = int((sizes == some[0]).sum()) if len(some) > 1 else 0
        return least_packed_end(lost, (holds[0], holds[1]), len(sizes) - num_small, num_small)

    def _passing(self, here: Flags, *, is_receiving: bool) -> tuple[Longs, Longs]:
        """Return the messages that must come to some processors from others, or go to these, and the others."""
        ends, (senders, receivers) = self.problem.ends.astype(np.int64), self._sides()
        mine, theirs = (receivers, senders) if is_receiving else (senders, receivers)
        others = theirs[~here[theirs]]
        if not here[mine].any():
            return others[:0], others
        match self.problem.pattern:
            case "private":
                sides = (ends[:, 1], ends[:, 0]) if is_receiving else (ends[:, 0], ends[:, 1])
                chosen = here[sides[0]] & ~here[sides[1]]
                return np.flatnonzero(chosen), np.unique(sides[1][chosen])
            case "allreduce":
                return np.arange(len(ends)), others
            case pattern:
                at_end = (pattern == "reduction") == is_receiving
                return np.flatnonzero(here[ends[:, 0]] == at_end), others


def fast_parts(ways: TransferTimes) -> Iterator[tuple[Longs, int]]:
    """Yield the parts in which the network is left without its slowest channels, as labels of routers."""
    for limit in np.unique(ways.busy)[1:].tolist():
        fast = ways.busy < limit
        ends = (ways.tails[fast], ways.heads[fast])
        graph = csr_array((np.ones(fast.sum()), ends), shape=(ways.num_routers,) * 2)
        count, labels = connected_components(graph, directed=False)
        yield labels.astype(np.int64), count


def _farthest(processors: Longs, times: Reals) -> tuple[Longs, Reals]:
    """Return the one that is farthest away."""
    at = [int(np.argmax(np.where(np.isfinite(times), times, -1)))]
    return processors[at], times[at]


def _levels(times: Reals) -> list[float]:
    """Return a few of the different times, the least and the largest among them."""
    levels = np.unique(times[np.isfinite(times)])
    return sorted({*levels[:: max(1, len(levels) // 3)].tolist(), *levels[-1:].tolist()})

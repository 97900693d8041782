"""A second judge of start times, written from the model: plain Python that looks at every pair of transfers."""

from __future__ import annotations

from itertools import combinations

from pavane.model.schedule import Transfer
from pavane.model.timed import TimedProblem, TimedSchedule, TimedTransfer
from tests.checker import parcels, transfer_faults


def hold(timed: TimedProblem, transfer: TimedTransfer) -> int:
    """Return for how long a transfer holds its channels."""
    size = piece_bytes(timed, transfer.messages[0])
    rates = [(int(timed.links.overheads[c]), int(timed.links.bandwidths[c])) for c in transfer.path]
    return max((over + (size * 10**12 + rate - 1) // rate for over, rate in rates), default=0)


def piece_bytes(timed: TimedProblem, message: int) -> int:
    """Return the bytes of a piece: equal ones, and the rest in the last."""
    pieces = timed.problem.collective.pieces
    most = (timed.num_bytes + pieces - 1) // pieces
    last = pieces > 1 and int(timed.problem.labels[message, -1]) % pieces == pieces - 1
    return timed.num_bytes - most * (pieces - 1) if last else most


def usable(timed: TimedProblem, transfer: TimedTransfer) -> int:
    """Return when the data of a transfer are there."""
    return transfer.start + hold(timed, transfer) + sum(int(timed.links.latencies[c]) for c in transfer.path)


def is_valid(timed: TimedProblem, schedule: TimedSchedule) -> bool:
    """Return whether a schedule breaks no rule."""
    problem, transfers = timed.problem, list(schedule)
    num_messages = len(parcels(problem.collective))
    for one in transfers:
        if one.start < 0 or not 0 <= one.messages[0] < num_messages:
            return False
        if transfer_faults(problem, Transfer(0, one.sender, one.receiver, one.path, one.messages)):
            return False
    if _share_channels(timed, transfers) or _exceed_ports(timed, transfers):
        return False
    follow = _sums_arrive if problem.pattern in ("reduction", "allreduce") else _copies_arrive
    return follow(timed, transfers)


def _meet(timed: TimedProblem, one: TimedTransfer, other: TimedTransfer) -> bool:
    """Return whether two transfers hold something at the same time."""
    return one.start < other.start + hold(timed, other) and other.start < one.start + hold(timed, one)


def _share_channels(timed: TimedProblem, transfers: list[TimedTransfer]) -> bool:
    network, is_half = timed.problem.network, timed.problem.rules.duplex == "half"
    for one, other in combinations(transfers, 2):
        both = set(other.path) | ({int(network.opposite[c]) for c in other.path} - {-1} if is_half else set())
        if both & set(one.path) and _meet(timed, one, other):
            return True
    return False


def _exceed_ports(timed: TimedProblem, transfers: list[TimedTransfer]) -> bool:
    ports = timed.problem.rules.ports
    if ports == "all":
        return False
    for end in ("sender", "receiver"):
        for one in transfers:
            here = getattr(one, end)
            # The most at a time are there when one of them starts.
            held = [
                other
                for other in transfers
                if getattr(other, end) == here and other.start <= one.start < other.start + hold(timed, other)
            ]
            if here >= 0 and hold(timed, one) and len(held) > int(ports):
                return True
    return False


def _copies_arrive(timed: TimedProblem, transfers: list[TimedTransfer]) -> bool:
    problem = timed.problem
    for message, parcel in enumerate(parcels(problem.collective)):
        mine = [one for one in transfers if one.messages[0] == message]
        (origin,) = parcel.starts
        ends = [one.receiver for one in mine]
        if len(set(ends)) < len(ends) or origin in ends or not parcel.targets - {origin} <= set(ends):
            return False
        arrival = {one.receiver: usable(timed, one) for one in mine} | {origin: 0}
        if any(one.sender not in arrival or arrival[one.sender] > one.start for one in mine):
            return False
        # Between processors of one router no time passes: chains are followed as well.
        source = {one.receiver: one.sender for one in mine}
        for end in source:
            for _ in range(len(mine) + 1):
                end = source.get(end, end)
            if end != origin:
                return False
        if problem.pattern == "private":
            senders = [one.sender for one in mine]
            if len(set(senders)) < len(senders) or set(senders) & parcel.targets:
                return False
            if problem.rules.switching == "wormhole" and len(mine) > 1:
                return False
    return True


def _sums_arrive(timed: TimedProblem, transfers: list[TimedTransfer]) -> bool:
    problem = timed.problem
    members = set(problem.collective.senders)
    content: dict[int, set[int]] = {}
    sent: set[tuple[int, int]] = set()
    for number in _inputs_before(transfers):
        one = transfers[number]
        inside: set[int] = set()
        for source in one.inputs:
            other = transfers[source]
            if (other.receiver, other.messages) != (one.sender, one.messages) or usable(timed, other) > one.start:
                return False
            if source not in content or inside & content[source]:
                return False
            inside |= content[source]
        key = one.sender, one.messages[0]
        if one.sender in members and (problem.pattern == "allreduce" or key not in sent):
            inside |= {one.sender}
        sent.add(key)
        if not inside:
            return False
        content[number] = inside
    if len(content) < len(transfers):
        return False
    for message, (target,) in enumerate(problem.ends.tolist()):
        for place in members if problem.pattern == "allreduce" else {target}:
            here = [
                content[n] for n, one in enumerate(transfers) if (one.receiver, one.messages[0]) == (place, message)
            ]
            if problem.pattern == "allreduce":
                distinct = {frozenset(each) for each in here}
                here = [set(each) for each in distinct if not any(each < other for other in distinct)]
            parts = [*here, {place} & members]
            if problem.pattern == "allreduce" and any(place in content for content in here):
                parts = here  # the sum that came has it
            if sum(map(len, parts)) != len(members) or set().union(*parts) != members:
                return False
    return True


def _inputs_before(transfers: list[TimedTransfer]) -> list[int]:
    """Return the numbers of transfers by their starts, those that wait for no other first; no circles."""
    depth = dict.fromkeys(range(len(transfers)), 0)
    for _ in transfers:
        for number, one in enumerate(transfers):
            depth[number] = max([depth[number], *(depth[source] + 1 for source in one.inputs)])
    if max(depth.values(), default=0) > len(transfers):
        return []
    return sorted(depth, key=lambda number: (transfers[number].start, depth[number], number))

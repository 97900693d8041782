"""A second judge of start times, written from the model: plain Python that looks at every pair of transfers."""

from __future__ import annotations

from itertools import combinations

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from tests.checker import branches_well, copies, parcels, sharing, transfer_faults

Tree = tuple[Transfer, ...]


def hold(problem: Problem, transfer: Transfer) -> int:
    """Return for how long a transfer holds its channels."""
    size = piece_bytes(problem, transfer.messages[0])
    rates = [(int(problem.timing.links.overheads[c]), int(problem.timing.links.bandwidths[c])) for c in transfer.path]
    return max((over + (size * 10**12 + rate - 1) // rate for over, rate in rates), default=0)


def piece_bytes(problem: Problem, message: int) -> int:
    """Return the bytes of a piece: equal ones, and the rest in the last."""
    pieces = problem.collective.pieces
    most = (problem.timing.num_bytes + pieces - 1) // pieces
    last = pieces > 1 and int(problem.labels[message, -1]) % pieces == pieces - 1
    return problem.timing.num_bytes - most * (pieces - 1) if last else most


def usable(problem: Problem, transfer: Transfer, tree: Tree | None = None) -> int:
    """Return when the data of a transfer are there, alone or in a tree."""
    held = hold(problem, transfer) if tree is None else max(hold(problem, one) for one in tree)
    return transfer.start + held + sum(int(problem.timing.links.latencies[c]) for c in transfer.path)


def trees_of(problem: Problem, transfers: list[Transfer]) -> list[Tree]:
    """Return for each transfer those that it shares a stream of data with: its tree, or itself alone."""
    trees: list[Tree] = [(one,) for one in transfers]
    if not problem.has_trees:
        return trees
    as_steps = [Transfer(one.start, one.sender, one.receiver, one.path, one.messages) for one in transfers]
    number_of = {id(one): number for number, one in enumerate(as_steps)}
    for group in sharing(as_steps):
        if branches_well(problem, group):
            numbers = [number_of[id(one)] for one in group]
            for number in numbers:
                trees[number] = tuple(transfers[other] for other in numbers)
    return trees


def is_valid(problem: Problem, schedule: Schedule) -> bool:
    """Return whether a schedule breaks no rule."""
    problem, transfers = problem, list(schedule)
    num_messages = len(parcels(problem.collective))
    for one in transfers:
        if one.start < 0 or not 0 <= one.messages[0] < num_messages:
            return False
        if transfer_faults(problem, Transfer(0, one.sender, one.receiver, one.path, one.messages)):
            return False
    trees = trees_of(problem, transfers)
    if _share_channels(problem, transfers, trees) or _exceed_ports(problem, transfers, trees):
        return False
    follow = _sums_arrive if problem.pattern in ("reduction", "allreduce") else _copies_arrive
    return follow(problem, transfers, trees)


def _share_channels(problem: Problem, transfers: list[Transfer], trees: list[Tree]) -> bool:
    network, is_half = problem.network, problem.rules.duplex == "half"
    ends = [one.start + max(hold(problem, each) for each in tree) for one, tree in zip(transfers, trees, strict=True)]
    paths = [set(one.path) for one in transfers]
    back = [{int(network.opposite[c]) for c in path} if is_half else set() for path in paths]
    for (i, one), (j, other) in combinations(enumerate(transfers), 2):
        if one.start >= ends[j] or other.start >= ends[i]:
            continue
        is_one_stream = any(other is each for each in trees[i])
        if (not is_one_stream and paths[i] & paths[j]) or paths[i] & back[j]:
            return True
    return False


def _exceed_ports(problem: Problem, transfers: list[Transfer], trees: list[Tree]) -> bool:
    if problem.rules.ports == "all":
        return False
    for end, joins in (("sender", problem.pattern != "reduction"), ("receiver", problem.pattern != "broadcast")):
        for place in range(problem.network.num_processors):
            streams: dict[object, list[int]] = {}
            """By stream when it starts and ends at this side."""
            for number, (one, tree) in enumerate(zip(transfers, trees, strict=True)):
                if getattr(one, end) != place:
                    continue
                key: object = number
                if problem.has_trees and joins:
                    is_one = copies(problem, int(problem.network.router_of[place]))
                    key = (one.start, one.messages) if is_one else id(tree[0])
                until = one.start + max(hold(problem, each) for each in tree)
                streams[key] = [one.start, max(until, *streams.get(key, [0]))]
            for start, until in streams.values():
                # The most at a time are there when one of them starts.
                held = [1 for other, later in streams.values() if other <= start < later]
                if until > start and len(held) > int(problem.rules.ports):
                    return True
    return False


def _copies_arrive(problem: Problem, transfers: list[Transfer], trees: list[Tree]) -> bool:
    there = {id(one): usable(problem, one, tree) for one, tree in zip(transfers, trees, strict=True)}
    for message, parcel in enumerate(parcels(problem.collective)):
        mine = [one for one in transfers if one.messages[0] == message]
        (origin,) = parcel.starts
        ends = [one.receiver for one in mine]
        if len(set(ends)) < len(ends) or origin in ends or not parcel.targets - {origin} <= set(ends):
            return False
        arrival = {one.receiver: there[id(one)] for one in mine} | {origin: 0}
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


def _sums_arrive(problem: Problem, transfers: list[Transfer], trees: list[Tree]) -> bool:
    members = set(problem.collective.senders)
    content: dict[int, set[int]] = {}
    sent: set[tuple[int, int]] = set()
    for number in _inputs_before(transfers):
        one = transfers[number]
        inside: set[int] = set()
        for source in one.inputs:
            other = transfers[source]
            if (other.receiver, other.messages) != (one.sender, one.messages) or (
                usable(problem, other, trees[source]) > one.start
            ):
                return False
            if source not in content or inside & content[source]:
                return False
            inside |= content[source]
            # A router has added what comes to one place by one tree.
            beside = [n for n, each in enumerate(transfers) if each.receiver == one.sender and each in trees[source]]
            if not set(beside) <= set(one.inputs):
                return False
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
            sums: dict[int, list[set[int]]] = {}
            for n, one in enumerate(transfers):
                if (one.receiver, one.messages[0]) == (place, message):
                    sums.setdefault(id(trees[n][0]), []).append(content[n])
            if any(len(set().union(*parts)) != sum(map(len, parts)) for parts in sums.values()):
                return False
            here = [set().union(*parts) for parts in sums.values()]
            if problem.pattern == "allreduce":
                distinct = {frozenset(each) for each in here}
                here = [set(each) for each in distinct if not any(each < other for other in distinct)]
            parts = [*here, {place} & members]
            if problem.pattern == "allreduce" and any(place in content for content in here):
                parts = here  # the sum that came has it
            if sum(map(len, parts)) != len(members) or set().union(*parts) != members:
                return False
    return True


def _inputs_before(transfers: list[Transfer]) -> list[int]:
    """Return the numbers of transfers by their starts, those that wait for no other first; no circles."""
    depth = dict.fromkeys(range(len(transfers)), 0)
    for _ in transfers:
        before = dict(depth)
        for number, one in enumerate(transfers):
            depth[number] = max([depth[number], *(depth[source] + 1 for source in one.inputs)])
        if depth == before:
            break
    if max(depth.values(), default=0) > len(transfers):
        return []
    return sorted(depth, key=lambda number: (transfers[number].start, depth[number], number))

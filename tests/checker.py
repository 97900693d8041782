"""A second judge, written from the model and unlike the first: plain Python that replays a schedule step by step.

It is slow and meant to be read. What it adds to the list of rules is only how faults that meet are told apart:

* the path of a transfer has one fault, the first of broken-path, wrong-ends, not-simple, not-minimal, forbidden-turn;
* messages are followed by the ends of a transfer, whatever its path; a transfer with an end where nothing can rest
  moves nothing;
* what a sender did not hold arrives all the same, so one missing transfer is one fault and not a whole subtree;
* of two copies of a message the one that arrives later is one too many;
* of two sendings of one partial result in a step the first takes it;
* of sums that arrive together, and contain what is there, the first takes its place;
* a packet that is longer than a period that repeats is one fault, and fills every slot once;
* what happens after the last slot of a period that does not repeat is one fault of the packet, and loads nothing.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, product
from typing import NamedTuple

from pavane.judge.rules import Violation
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer

MESSAGE_RULES = {"unknown-message", "not-held", "delivered-twice", "never-delivered", "copied", "past-target"}
CHANNEL_RULES = {"channel-capacity", "half-duplex"}


class Finding(NamedTuple):
    """A broken rule, its step, and the message or channel where the rule is about one."""

    rule: str
    step: int | None = None
    about: int | None = None


class Parcel(NamedTuple):
    """A message as the model has it: where it starts, and where it must get to."""

    starts: frozenset[int]
    targets: frozenset[int]


def judge(problem: Problem, schedule: Schedule) -> set[Finding]:
    """Return every broken rule of a schedule."""
    transfers = list(schedule)
    steps: list[list[Transfer]] = [[] for _ in range(schedule.num_steps)]
    for transfer in transfers:
        steps[transfer.start].append(transfer)
    has_slots = problem.rules.switching == "tdm"
    found = {Finding("empty-step", number) for number, step in enumerate(steps) if not step and not has_slots}
    for transfer in transfers:
        found |= {Finding(rule, transfer.start) for rule in transfer_faults(problem, transfer)}
    found |= crowding(problem, transfers, schedule.num_steps)
    found |= overlong(problem, transfers, schedule.num_steps) if has_slots else set()
    num_messages = len(parcels(problem.collective))
    for transfer in transfers:
        strange = [m for m in transfer.messages if not 0 <= m < num_messages]
        found |= {Finding("unknown-message", transfer.start, m) for m in strange}
    followers = {"AOR": follow_partials, "AAR": follow_partials, "ALLREDUCE": follow_sums}
    follow = followers.get(problem.collective.kind, follow_copies)
    return found | follow(problem, steps)


def in_short(violations: Iterable[Violation]) -> set[Finding]:
    """Put the first judge's violations into this one's words."""
    short = set()
    for v in violations:
        about = v.message if v.rule in MESSAGE_RULES else v.channel if v.rule in CHANNEL_RULES else None
        short.add(Finding(v.rule, v.step, about))
    return short


# -- what the problem says


@lru_cache(maxsize=4)  # it is asked for every transfer
def parcels(collective: Collective) -> list[Parcel]:
    """List the messages in the order of their labels, each as often as it has pieces."""
    units = {size[:-1]: size[-1] for size in collective.sizes}
    if collective.kind == "ALLREDUCE":
        members = frozenset(collective.senders)
        counts = [units.get((part,), 1) * collective.pieces for part in sorted(collective.receivers)]
        return [Parcel(members, members)] * (sum(counts) if len(members) > 1 else 0)
    listed = []
    for parcel in whole_parcels(collective):
        (start, *more), (target, *others) = sorted(parcel.starts), sorted(parcel.targets)
        if collective.kind in ("OAB", "AAB", "MNB"):
            label: tuple[int, ...] = (start,)
        elif collective.kind in ("AOR", "AAR"):
            label = (target,)
        else:
            assert not more
            assert not others
            label = (start, target)
        listed += [parcel] * (units.get(label, 1) * collective.pieces)
    return listed


def whole_parcels(collective: Collective) -> list[Parcel]:
    """List the messages that the kind has, whatever their sizes."""
    senders, receivers = frozenset(collective.senders), frozenset(collective.receivers)
    if collective.kind == "PAIRS":
        return [Parcel(frozenset({s}), frozenset({d})) for s, d in sorted(collective.pairs)]
    if collective.kind in ("OAB", "AAB", "MNB"):
        return [Parcel(frozenset({s}), receivers - {s}) for s in sorted(senders) if receivers - {s}]
    if collective.kind in ("AOR", "AAR"):
        return [Parcel(senders, frozenset({r})) for r in sorted(receivers) if senders - {r}]
    return [Parcel(frozenset({s}), frozenset({r})) for s in sorted(senders) for r in sorted(receivers) if s != r]


class Facts:
    """What is looked up of a network for every transfer."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.ends: list[tuple[int, int]] = [(tail, head) for tail, head in network.channels.tolist()]
        self.homes: list[int] = network.router_of.tolist()
        self.heads = defaultdict(set)
        for tail, head in self.ends:
            self.heads[tail].add(head)
        self.distances: dict[int, dict[int, int]] = {}

    def distances_from(self, start: int) -> dict[int, int]:
        """Walk outwards from a router until no other is met."""
        if start not in self.distances:
            away = {start: 0}
            queue = deque([start])
            while queue:
                router = queue.popleft()
                for head in self.heads[router] - away.keys():
                    away[head] = away[router] + 1
                    queue.append(head)
            self.distances[start] = away
        return self.distances[start]


LAST: list[Facts] = []
"""The facts of the network that was looked at last, which is the same for all transfers of a schedule."""


def facts(problem: Problem) -> Facts:
    """Return the facts of the network of a problem."""
    if not LAST or LAST[0].network is not problem.network:
        LAST[:] = [Facts(problem.network)]
    return LAST[0]


def resting_router(problem: Problem, end: int) -> int | None:
    """Return the router of a location where a message may rest, or None."""
    router_of = facts(problem).homes
    if end >= 0:
        return router_of[end] if end < len(router_of) else None
    is_switch = ~end < problem.network.num_routers and ~end not in router_of
    holds = problem.rules.switching == "store-and-forward" and problem.rules.switches == "hold"
    return ~end if is_switch and holds else None


def distance(problem: Problem, start: int, end: int) -> int | None:
    """Return how many hops lead from one router to the other at least."""
    return facts(problem).distances_from(start).get(end)


def links(problem: Problem) -> list[tuple[int, int]]:
    """Pair the channels a to b with the channels b to a, in the order of their numbers."""
    between = defaultdict(list)
    for channel, (tail, head) in enumerate(facts(problem).ends):
        between[tail, head].append(channel)
    return [
        (min(there, back), max(there, back))
        for (tail, head), channels in sorted(between.items())
        if tail < head
        for there, back in zip(channels, between.get((head, tail), []), strict=False)
    ]


# -- what one transfer, and one step, may do


def transfer_faults(problem: Problem, transfer: Transfer) -> set[str]:
    """Name the rules that a transfer breaks on its own."""
    rules = problem.rules
    faults = {path_fault(problem, transfer)} - {""}
    if rules.switching == "store-and-forward" and len(transfer.path) > 1:
        ends = facts(problem).ends
        passed = [ends[channel][1] for channel in transfer.path[:-1] if 0 <= channel < len(ends)]
        if rules.switches == "hold" or not set(passed).isdisjoint(facts(problem).homes):
            faults.add("too-many-hops")
    if not transfer.messages:
        faults.add("carries-nothing")
    if len(transfer.messages) > 1 and not rules.combining:
        faults.add("carries-several")
    single = rules.switching in ("wormhole", "tdm") and not rules.combining
    if single and problem.pattern == "private" and None not in resting_routers(problem, transfer):
        messages = parcels(problem.collective)
        for message in transfer.messages:
            if 0 <= message < len(messages):
                starts, targets = messages[message]
                if transfer.sender in targets or (transfer.sender in starts and transfer.receiver not in targets):
                    faults.add("wrong-ends")
    return faults


def resting_routers(problem: Problem, transfer: Transfer) -> tuple[int | None, int | None]:
    """Return the routers of both ends, None for an end where nothing can rest."""
    return resting_router(problem, transfer.sender), resting_router(problem, transfer.receiver)


def path_fault(problem: Problem, transfer: Transfer) -> str:
    """Name the first fault of a path, or nothing."""
    channels = facts(problem).ends
    if transfer.path and not 0 <= min(transfer.path) <= max(transfer.path) < len(channels):
        return "broken-path"
    hops = [channels[channel] for channel in transfer.path]
    if len(hops) > 1 and any(one[1] != other[0] for one, other in pairwise(hops)):
        return "broken-path"
    here, there = resting_routers(problem, transfer)
    if here is None or there is None or transfer.sender == transfer.receiver:
        return "wrong-ends"
    met = [hops[0][0], *(head for _, head in hops)] if hops else [here]
    if met[0] != here or met[-1] != there:
        return "wrong-ends"
    if len(set(met)) < len(met):
        return "not-simple"
    is_whole = problem.rules.switching in ("wormhole", "tdm")
    runs = is_whole or problem.rules.switches != "hold"
    if runs and problem.rules.routing == "minimal" and len(hops) != distance(problem, here, there):
        return "not-minimal"
    if is_whole and problem.rules.routing in ORDERS:
        return turn_fault(problem, met)
    return ""


ORDERS = {"dimension-order": "", "west-first": "w*[ens]*", "north-last": "[ews]*n*"}


def turn_fault(problem: Problem, met: Sequence[int]) -> str:
    """Spell the hops between the routers of a path as letters, and see whether they come in order."""
    grid = problem.network.grid
    assert grid is not None
    sizes = grid.sizes
    if grid.is_reversed:
        met = met[::-1]

    def coordinates(router: int) -> list[int]:
        found: list[int] = []
        for size in reversed(sizes):
            router, rest = divmod(router, size)
            found.insert(0, rest)
        return found

    def steps_between(here: int, there: int) -> int:
        ways = zip(coordinates(here), coordinates(there), sizes, grid.wraps, strict=True)
        return sum(min((a - b) % size, (b - a) % size) if wraps else abs(a - b) for a, b, size, wraps in ways)

    if len(met) - 1 != steps_between(met[0], met[-1]):
        return "not-minimal"
    dimensions, letters = [], ""
    for here, there in pairwise(met):
        for dimension, (a, b, size) in enumerate(zip(coordinates(here), coordinates(there), sizes, strict=True)):
            if a != b:
                up = b == a + 1 or (a, b) == (size - 1, 0) != (1, 0)
                dimensions.append(dimension)
                letters += ("ns", "we")[dimension % 2][up]
    order = ORDERS[problem.rules.routing]
    kept = re.fullmatch(order, letters) if order else dimensions == sorted(dimensions, reverse=True)
    return "" if kept else "forbidden-turn"


class Use(NamedTuple):
    """A channel or port that a transfer occupies, and the first slot in which it does."""

    kind: str
    number: int
    slot: int


def uses(problem: Problem, transfer: Transfer) -> list[Use]:
    """List what a transfer occupies on its way: all in its step, or under tdm one after the other."""
    rules, slot = problem.rules, transfer.start
    router, link = (rules.router_delay, rules.link_delay) if rules.switching == "tdm" else (0, 0)
    met = [Use("sends", transfer.sender, slot)]
    for channel in transfer.path:
        slot += router + link
        met.append(Use("channel", channel, slot))
    return [*met, Use("receives", transfer.receiver, slot + router)]


def length(problem: Problem) -> int:
    """Return for how many steps, or slots, a transfer occupies what it uses."""
    return problem.rules.packet_slots if problem.rules.switching == "tdm" else 1


def arrival(problem: Problem, transfer: Transfer) -> int:
    """Return the step, or slot, at whose end the last of a transfer has come to its receiver."""
    if problem.rules.switching != "tdm":
        return transfer.start
    return uses(problem, transfer)[-1].slot + length(problem) - 1


def overlong(problem: Problem, transfers: Iterable[Transfer], period: int) -> set[Finding]:
    """Return the packets that end after the last slot; or one finding where a packet meets itself a period later."""
    if problem.rules.wrap:
        return {Finding("outside-period") for _ in transfers if problem.rules.packet_slots > period}
    return {Finding("outside-period", t.start) for t in transfers if arrival(problem, t) >= period}


def all_uses(problem: Problem, transfers: list[Transfer]) -> Iterator[Use]:
    """Yield what transfers occupy: each all of its way, or a tree of them every channel once."""
    is_strange = any(
        len(transfer.messages) != 1
        or not all(0 <= channel < problem.network.num_channels for channel in transfer.path)
        or not all(0 <= end < problem.network.num_processors for end in (transfer.sender, transfer.receiver))
        for transfer in transfers
    )
    if not problem.has_trees or is_strange:
        yield from (use for transfer in transfers for use in uses(problem, transfer))
        return
    once: set[object] = set()
    for group in sharing(transfers):
        is_tree = branches_well(problem, group)
        for transfer in group:
            for use in uses(problem, transfer):
                key: object = (use, transfer.messages)
                if use.kind == "channel":
                    is_shared = is_tree
                else:
                    goes = use.kind == "sends"
                    is_shared = is_tree and problem.pattern != ("reduction" if goes else "broadcast")
                    end = resting_router(problem, transfer.sender if goes else transfer.receiver)
                    if end is None or not copies(problem, end):
                        key = (use, id(group))
                if not is_shared or key not in once:
                    yield use
                once |= {key} if is_shared else set()


def copies(problem: Problem, router: int) -> bool:
    """Return whether a router copies and adds."""
    is_switch = router not in facts(problem).homes
    return problem.rules.multicast or (is_switch and problem.rules.switches == "copy")


def sharing(transfers: list[Transfer]) -> list[list[Transfer]]:
    """Return groups of transfers of one message and step, joined by channels that they share."""
    groups: list[list[Transfer]] = []
    for transfer in transfers:
        near = [
            group
            for group in groups
            if any(
                (other.start, other.messages) == (transfer.start, transfer.messages)
                and {*other.path} & {*transfer.path}
                for other in group
            )
        ]
        groups = [group for group in groups if group not in near]
        groups.append([*(other for group in near for other in group), transfer])
    return groups


def branches_well(problem: Problem, group: list[Transfer]) -> bool:
    """Return whether transfers are a tree: over each channel goes one stream, and routers that copy join streams."""
    turns: dict[tuple[str, object], set[tuple[object, int | None]]] = defaultdict(set)
    over: dict[int, list[tuple[Transfer, int]]] = defaultdict(list)
    for transfer in group:
        stops = [("from", transfer.sender), *(("by", channel) for channel in transfer.path), ("to", transfer.receiver)]
        routers = [resting_router(problem, transfer.sender)]
        for at, channel in enumerate(transfer.path):
            over[channel].append((transfer, at))
            routers.append(int(problem.network.heads[channel]))
        for router, (near, far) in zip(routers, pairwise(stops), strict=True):
            turns["parts", near].add((far, router))
            turns["meets", far].add((near, router))
    for (kind, _), others in turns.items():
        forbidden = "reduction" if kind == "parts" else "broadcast"
        is_at_home = all(router is not None and copies(problem, router) for _, router in others)
        if len({other for other, _ in others}) > 1 and (not is_at_home or problem.pattern == forbidden):
            return False
    for users in over.values():
        if len({(t.sender, t.receiver) for t, _ in users}) < len(users):
            return False
        for (one, i), (other, j) in product(users, users):
            if one.sender == other.sender and one.path[:i] != other.path[:j]:
                return False
            if one.receiver == other.receiver and one.path[i:] != other.path[j:]:
                return False
        reached = defaultdict(set)
        for transfer, _ in users:
            reached[transfer.sender].add(transfer.receiver)
        if any(reached[a] - {b} != reached[b] - {a} for a, b in product(reached, reached)):
            return False
    return True


def crowding(problem: Problem, transfers: Iterable[Transfer], num_steps: int) -> set[Finding]:
    """Return the channels, links and ports that transfers overload in some step, or slot."""
    network, rules = problem.network, problem.rules
    load = Counter(all_uses(problem, list(transfers)))
    if rules.switching == "tdm":
        first_slots, load = load, Counter()
        for use, times in first_slots.items():
            for slot in range(use.slot, use.slot + min(length(problem), num_steps)):
                if slot < num_steps or rules.wrap:
                    load[use._replace(slot=slot % num_steps)] += times
    carries = dict(enumerate([1] * network.num_channels if network.capacities is None else network.capacities.tolist()))
    found = {
        Finding("channel-capacity", slot, number)
        for (kind, number, slot), times in load.items()
        if kind == "channel" and number in carries and times > carries[number]
    }
    if rules.duplex == "half":
        back_of = dict(links(problem))
        for (kind, there, slot), times in load.items():
            back = load[Use("channel", back_of[there], slot)] if kind == "channel" and there in back_of else 0
            if back and times + back > carries[there]:
                found.add(Finding("half-duplex", slot, there))
    homes = dict(enumerate(facts(problem).homes))
    degrees: Counter[tuple[str, int]] = Counter()
    for channel, (tail, head) in enumerate(facts(problem).ends if rules.ports == "all" else ()):
        degrees["sends", tail] += carries[channel]
        degrees["receives", head] += carries[channel]
    for (kind, number, slot), times in load.items():
        if kind != "channel" and number in homes:
            most = degrees[kind, homes[number]] if rules.ports == "all" else rules.ports
            if times > most:
                found.add(Finding("port-capacity", slot))
    return found


# -- what becomes of the messages


def last_arrival(problem: Problem, steps: Sequence[Sequence[Transfer]]) -> int:
    """Return the last step, or slot, in which something arrives."""
    return max((arrival(problem, transfer) for step in steps for transfer in step), default=-1)


def sendings(problem: Problem, steps: Sequence[Sequence[Transfer]], number: int) -> Iterator[tuple[Transfer, int]]:
    """Yield the messages of the collective that are sent in a step, from and to where they can rest."""
    num_messages = len(parcels(problem.collective))
    for transfer in steps[number] if number < len(steps) else ():
        if None not in resting_routers(problem, transfer):
            yield from ((transfer, message) for message in transfer.messages if 0 <= message < num_messages)


def follow_copies(problem: Problem, steps: Sequence[Sequence[Transfer]]) -> set[Finding]:
    """Follow private and broadcast messages: a receiver has a copy after its arrival, a sender keeps its own.

    A private message that goes in several hops moves: it leaves a location once, and its target never.
    """
    messages = parcels(problem.collective)
    holders = [set(message.starts) for message in messages]
    goes_in_hops = problem.rules.combining or problem.rules.switching == "store-and-forward"
    moves = problem.collective.kind not in ("OAB", "AAB", "MNB") and goes_in_hops
    left: list[set[int]] = [set() for _ in messages]
    coming: dict[int, list[tuple[int, Transfer]]] = defaultdict(list)
    found = set()
    for number in range(1 + last_arrival(problem, steps)):
        for transfer, message in sendings(problem, steps, number):
            if transfer.sender not in holders[message]:
                found.add(Finding("not-held", number, message))
            if moves and transfer.sender in left[message]:
                found.add(Finding("copied", number, message))
            if moves and {transfer.sender} == messages[message].targets:
                found.add(Finding("past-target", number, message))
            left[message].add(transfer.sender)
            coming[arrival(problem, transfer)].append((message, transfer))
        for message, transfer in coming[number]:
            if transfer.receiver in holders[message]:
                found.add(Finding("delivered-twice", transfer.start, message))
            holders[message].add(transfer.receiver)
    for message, parcel in enumerate(messages):
        if not parcel.targets <= holders[message]:
            found.add(Finding("never-delivered", None, message))
    return found


def follow_partials(problem: Problem, steps: Sequence[Sequence[Transfer]]) -> set[Finding]:
    """Follow reductions: whose contributions lie where; sending takes all that lay there when the step began.

    A location sends once, and the target never: backwards, a message comes to a location once and never to its origin.
    """
    messages = parcels(problem.collective)
    lying: list[dict[int, set[int]]] = [{p: {p} for p in message.starts} for message in messages]
    left: list[set[int]] = [set() for _ in messages]
    coming: dict[int, list[tuple[int, int, set[int]]]] = defaultdict(list)
    found = set()
    for number in range(1 + last_arrival(problem, steps)):
        sent: set[tuple[int, int]] = set()
        for transfer, message in sendings(problem, steps, number):
            if {transfer.sender} == messages[message].targets:
                found.add(Finding("past-target", number, message))
            if (message, transfer.sender) in sent:
                found.add(Finding("delivered-twice", number, message))
                continue
            sent.add((message, transfer.sender))
            partial = lying[message].pop(transfer.sender, set())
            if not partial:
                found.add(Finding("not-held", number, message))
            elif transfer.sender in left[message]:
                found.add(Finding("delivered-twice", number, message))
            elif transfer.sender != transfer.receiver:
                left[message].add(transfer.sender)
            coming[arrival(problem, transfer)].append((message, transfer.receiver, partial))
        for message, receiver, partial in coming[number]:
            lying[message].setdefault(receiver, set()).update(partial)
    for message, parcel in enumerate(messages):
        (target,) = parcel.targets
        if lying[message].get(target, set()) != parcel.starts:
            found.add(Finding("never-delivered", None, message))
    return found


def follow_sums(problem: Problem, steps: Sequence[Sequence[Transfer]]) -> set[Finding]:
    """Follow an allreduce: whose contributions are in the sum of each piece at each location."""
    messages = parcels(problem.collective)
    sums: list[dict[int, frozenset[int]]] = [{p: frozenset({p}) for p in message.starts} for message in messages]
    found = set()
    for number in range(len(steps)):
        coming: dict[tuple[int, int], list[frozenset[int]]] = defaultdict(list)
        for transfer, message in sendings(problem, steps, number):
            if sums[message].get(transfer.sender):
                coming[message, transfer.receiver].append(sums[message][transfer.sender])
            else:
                found.add(Finding("not-held", number, message))
        for (message, receiver), arrivals in coming.items():
            old = sums[message].get(receiver, frozenset())
            larger = [sum_ for sum_ in arrivals if old and old < sum_]
            # What contains the old sum stands for it.
            added = [*(old if not larger else ()), *(p for sum_ in arrivals for p in sum_)]
            if len(added) != len(set(added)):
                found.add(Finding("delivered-twice", number, message))
            sums[message][receiver] = frozenset(added) | old
    for message, parcel in enumerate(messages):
        if any(sums[message][member] != parcel.starts for member in parcel.targets):
            found.add(Finding("never-delivered", None, message))
    return found

"""Random problems, valid schedules for them, and ways to spoil a schedule.

Networks, members and rules are drawn by hypothesis, so they shrink. A schedule is grown from a drawn seed by a slow
generator that is meant to be obviously right: a tree of hops for every message, one hop a step in an order that obeys
the trees; then perhaps packed, a hop joining an earlier step where nothing gets overloaded.

A strategy that is made is also validated, which takes longer than to draw from it: each is made once.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cache
from typing import Literal, NamedTuple, get_args

import networkx as nx
from hypothesis import assume
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.model.collectives import in_pieces
from pavane.model.messages import PATTERN_OF, Collective, message_ends
from pavane.model.network import Network
from pavane.model.problem import Problem, Routing, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network
from tests.checker import ORDERS, arrival, crowding, overlong, parcels, turn_fault

Location = int


class Case(NamedTuple):
    """A problem and a schedule for it."""

    problem: Problem
    schedule: Schedule


class Hop(NamedTuple):
    """One transfer of one message, before it has a step."""

    message: int
    sender: Location
    receiver: Location
    path: tuple[int, ...]


# -- problems


integers = cache(st.integers)
BOOLEANS = st.booleans()
SEEDS = integers(0, 2**32 - 1)
NUMBERS_OF_ROUTERS = st.sampled_from([4, 5, 3, 2, 1])
SHAPES = st.sampled_from(["ring", "one-way ring", "star", "pieces"])


@cache
def ends_of_channels(num_routers: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    """Draw some channels between routers, perhaps parallel ones."""
    any_pair = st.tuples(integers(0, num_routers - 1), integers(0, num_routers - 1))
    return st.lists(any_pair.filter(lambda pair: pair[0] != pair[1]), max_size=5)


@cache
def routers_of_processors(num_routers: int, most: int = 6) -> st.SearchStrategy[list[int]]:
    """Draw the routers of two to `most` processors."""
    return st.lists(integers(0, num_routers - 1), min_size=2, max_size=most)


@cache
@st.composite
def networks(draw: st.DrawFn) -> Network:
    """Draw a network: two-way, one-way and parallel channels, fat routers and pure switches, perhaps in pieces."""
    num_routers = draw(NUMBERS_OF_ROUTERS)
    around = [(r, (r + 1) % num_routers) for r in range(num_routers) if num_routers > 1]
    spokes = [(0, r) for r in range(1, num_routers)]
    shape = draw(SHAPES)
    base = {"star": spokes, "pieces": []}.get(shape, around)
    channels = list(base)
    if shape in ("ring", "star"):
        channels += [(head, tail) for tail, head in base]
    if num_routers > 1:
        channels += draw(ends_of_channels(num_routers))
    channels = draw(st.permutations(channels))
    router_of = draw(routers_of_processors(num_routers))
    return Network("drawn", num_routers, channels, router_of)


@cache
def rules(routings: tuple[Routing, ...] = ("minimal", "any"), slots: bool = True) -> st.SearchStrategy[Rules]:
    """Draw rules of every sort, for any network unless told otherwise, with or without tdm."""
    ports: list[int | Literal["all"]] = ["all", 1, 2, 3]
    kinds = st.sampled_from([("wormhole", "hold"), ("store-and-forward", "hold"), ("store-and-forward", "pass")])
    copying = st.sampled_from(
        [("wormhole", "copy", False), ("wormhole", "copy", True), ("store-and-forward", "copy", False)]
    )
    common = {
        "ports": st.sampled_from(ports),
        "duplex": st.sampled_from(["full", "half"]),
        "routing": st.sampled_from(routings),
    }
    of_steps = st.builds(
        lambda kind, **others: Rules(switching=kind[0], switches=kind[1], **others),
        kinds,
        combining=st.booleans(),
        **common,
    )
    of_slots = st.builds(
        Rules,
        switching=st.just("tdm"),
        router_delay=integers(1, 3),
        link_delay=integers(0, 2),
        packet_slots=st.sampled_from([1, 2, 1, 3]),
        wrap=st.booleans(),
        **common,
    )
    of_trees = st.builds(
        lambda kind, **others: Rules(switching=kind[0], switches=kind[1], multicast=kind[2], **others),
        copying,
        **common,
    )
    return st.one_of(of_steps, of_steps, of_trees, of_slots) if slots else st.one_of(of_steps, of_steps, of_trees)


@cache
def kinds(pattern: str) -> st.SearchStrategy[str]:
    """Draw a kind of collective, of one pattern if it is named."""
    return st.sampled_from(sorted(kind for kind in PATTERN_OF if pattern in ("", PATTERN_OF[kind])))


class Members(NamedTuple):
    """Draws processors of a collective."""

    alone: st.SearchStrategy[tuple[int, ...]]
    some: st.SearchStrategy[tuple[int, ...]]
    pairs: st.SearchStrategy[list[tuple[int, int]]]


@cache
def members(num_processors: int) -> Members:
    """Return how one processor, some of them, and pairs of them are drawn."""
    member = integers(0, num_processors - 1)
    pair = st.tuples(member, member).filter(lambda ends: ends[0] != ends[1])
    return Members(
        member.map(lambda processor: (processor,)),
        st.lists(member, min_size=1, max_size=5, unique=True).map(tuple),
        st.lists(pair, min_size=1, max_size=5, unique=True),
    )


@cache
@st.composite
def collectives(draw: st.DrawFn, num_processors: int, pattern: str = "") -> Collective:
    """Draw a collective of any kind over any members, sensible or not."""
    kind = draw(kinds(pattern))
    alone, some, pairs = members(num_processors)
    if kind == "PAIRS":
        return Collective(kind, pairs=tuple(draw(pairs)))
    senders = draw(alone if kind in ("OAB", "OAS") else some)
    receivers = draw(alone if kind in ("AOG", "AOR") else some)
    if kind == "ALLREDUCE":
        receivers = tuple(draw(st.permutations(senders))[: len(receivers)])
    return Collective(kind, senders, receivers)


GRIDS = [network("mesh:2x3"), network("torus:3x3"), network("mesh:3x2").reversed(), network("torus:2x4")]
GRIDS += [network("mesh:3x3").without(links=[(0, 1)], processors=[4]), network("mesh:2x2*2").without(channels=[0])]
SOME_GRID = st.sampled_from(GRIDS)


@cache
@st.composite
def problems(draw: st.DrawFn, pattern: str = "", slots: bool = True) -> Problem:
    """Draw a problem that is not refused, whose messages have a pattern if it is named, with or without tdm."""
    drawn = draw(rules(get_args(Routing), slots))
    made = draw(networks() if drawn.routing in ("minimal", "any") else SOME_GRID)
    collective = draw(collectives(made.num_processors, pattern))
    if collective.pattern != "private" and drawn.has_slots:
        drawn = replace(drawn, wrap=False)
    try:
        return Problem(made, collective, drawn)
    except InputError:
        assume(False)
        raise


# -- problems with pieces, sizes and capacities


@cache
def amounts(number: int, most: int) -> st.SearchStrategy[list[int]]:
    """Draw as many amounts from 1 up."""
    return st.lists(integers(1, most), min_size=number, max_size=number)


@st.composite
def networks_with_capacities(draw: st.DrawFn, made: Network, most: int = 3) -> Network:
    """Draw capacities for the channels of a network, the same both ways of a link."""
    drawn = draw(amounts(made.num_channels, most))
    back = made.opposite.tolist()
    capacities = [drawn[min(c, back[c])] if back[c] >= 0 else drawn[c] for c in range(made.num_channels)]
    return Network(
        made.name, made.routers, made.channels, made.router_of, made.positions, made.grid, capacities=capacities
    )


@st.composite
def collectives_in_pieces(draw: st.DrawFn, whole: Collective, most: int = 3) -> Collective:
    """Draw into how many pieces messages are cut, and sizes from 0 up for some of them."""
    ends = [tuple(row) for row in message_ends(whole).tolist()]
    sized = draw(st.lists(st.sampled_from(ends), max_size=4, unique=True)) if ends else []
    sizes = [(*end, draw(integers(0, most))) for end in sized]
    return in_pieces(whole, draw(integers(1, most)), sizes)


@st.composite
def problems_in_pieces(draw: st.DrawFn, wholes: st.SearchStrategy[Problem] | None = None) -> Problem:
    """Draw a problem that is not refused: with pieces, sizes, capacities, or several of them, or none.

    It is made of any problem, or of one of `wholes`.
    """
    whole = draw(problems() if wholes is None else wholes)
    made = draw(networks_with_capacities(whole.network)) if draw(BOOLEANS) else whole.network
    collective = draw(collectives_in_pieces(whole.collective)) if draw(BOOLEANS) else whole.collective
    try:
        return Problem(made, collective, whole.rules)
    except InputError:
        assume(False)
        raise


# -- valid schedules


def cases(pattern: str = "", wanted: Callable[[Problem], bool] = lambda problem: True) -> st.SearchStrategy[Case]:
    """Draw a problem, perhaps with pieces, sizes and capacities, and a valid schedule for it."""
    drawn = st.one_of(problems(pattern), problems_in_pieces(problems(pattern)))
    return st.builds(valid_case, drawn.filter(wanted), SEEDS, BOOLEANS)


def valid_case(problem: Problem, seed: int, packed: bool) -> Case:
    """Make a valid schedule of a problem, with one hop a step or packed."""
    rng = random.Random(seed)
    graph = channel_graph(problem.network)
    trees = []
    for message, parcel in enumerate(parcels(problem.collective)):
        if problem.pattern == "allreduce":
            meeting = rng.choice(sorted(parcel.starts))
            others = parcel.starts - {meeting}
            inward = grown(rng, problem, graph, message, meeting, others, inward=True)
            trees.append([*inward, *grown(rng, problem, graph, message, meeting, others, inward=False)])
        elif problem.pattern == "reduction":
            (target,) = parcel.targets
            trees.append(grown(rng, problem, graph, message, target, parcel.starts - {target}, inward=True))
        else:
            (origin,) = parcel.starts
            trees.append(grown(rng, problem, graph, message, origin, parcel.targets, inward=False))
    order = list(interleaved(rng, trees))
    if problem.rules.has_slots:
        return Case(problem, in_slots(rng, problem, order, packed))
    steps = pack(rng, problem, order) if packed else [[as_transfer(hop)] for hop in order]
    transfers = [t._replace(start=step) for step, together in enumerate(steps) for t in together]
    return Case(problem, Schedule.from_transfers(transfers))


def channel_graph(network: Network) -> nx.MultiDiGraph:
    """Return a network as networkx sees it, its edges named by their channels."""
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(network.num_routers))
    for channel, (tail, head) in enumerate(network.channels.tolist()):
        graph.add_edge(tail, head, channel)
    return graph


def as_transfer(hop: Hop) -> Transfer:
    """Return the transfer of a hop, its step still to be said."""
    return Transfer(0, hop.sender, hop.receiver, hop.path, (hop.message,))


def grown(
    rng: random.Random,
    problem: Problem,
    graph: nx.MultiDiGraph,
    message: int,
    root: Location,
    members: Iterable[Location],
    inward: bool,
) -> list[Hop]:
    """Grow a tree of hops from (inward: to) the root over all members, in an order in which it can be carried out."""
    network, wanted = problem.network, set(members)
    single = problem.rules.switching != "store-and-forward" and not problem.rules.combining
    if problem.pattern == "private" and single:
        (target,) = wanted
        return [Hop(message, root, target, rng.choice(ways(problem, graph, root, target)))]
    locations = list(range(network.num_processors))
    if problem.rules.switching == "store-and-forward" and problem.rules.switches == "hold":
        locations += [~router for router in range(network.num_routers) if not network.processors_on[router]]
    tree: dict[Location, Hop] = {}
    reached = [root]
    while not wanted <= tree.keys():
        near, far = rng.choice(reached), rng.choice(locations)
        if far in reached:
            continue
        sender, receiver = (far, near) if inward else (near, far)
        choice = ways(problem, graph, sender, receiver)
        if choice:
            tree[far] = Hop(message, sender, receiver, rng.choice(choice))
            reached.append(far)
    # What nobody wants and nobody sends on is left out, from the leaves inward.
    for far in reversed(reached[1:]):
        inner = {hop.receiver if inward else hop.sender for hop in tree.values()}
        if far not in wanted | inner:
            del tree[far]
    hops = list(tree.values())
    return hops[::-1] if inward else hops


Path = tuple[int, ...]


def ways(problem: Problem, graph: nx.MultiDiGraph, sender: Location, receiver: Location) -> list[Path]:
    """List the paths on which one transfer may run between two locations."""
    router_of = problem.network.router_of
    start, end = (int(router_of[p]) if p >= 0 else ~p for p in (sender, receiver))
    if start == end:
        ports = ((problem.injection, sender), (problem.ejection, receiver))
        return [()] if all(capacity[p] > 0 for capacity, p in ports) else []
    # A tree is grown by trial and error, which meets the same routers again and again.
    known: dict[object, list[Path]] = graph.graph
    key = (problem.rules, start, end)
    if key not in known:
        known[key] = paths_between(problem, graph, start, end)
    return known[key]


def paths_between(problem: Problem, graph: nx.MultiDiGraph, start: int, end: int) -> list[Path]:
    """List the paths on which one transfer may run between two routers."""
    network, rules_ = problem.network, problem.rules
    if not nx.has_path(graph, start, end):
        return []
    longest = 1 if rules_.switching == "store-and-forward" else graph.number_of_nodes()
    if rules_.switching == "store-and-forward" and rules_.switches != "hold":
        switches = set(graph) - set(network.router_of.tolist())
        longest = nx.shortest_path_length(graph, start, end) if rules_.routing == "minimal" else len(switches) + 1
        return list(simple_paths(graph, start, end, longest, switches))
    if rules_.switching != "store-and-forward" and rules_.routing != "any":
        longest = nx.shortest_path_length(graph, start, end)
    paths = list(simple_paths(graph, start, end, longest, set(graph)))
    if rules_.switching != "store-and-forward" and rules_.routing in ORDERS:
        heads = network.heads.tolist()
        return [path for path in paths if not turn_fault(problem, [start, *(heads[channel] for channel in path)])]
    return paths


def simple_paths(graph: nx.MultiDiGraph, start: int, end: int, longest: int, over: AbstractSet[int]) -> Iterator[Path]:
    """Yield the paths of some channels at most that visit no router twice, and only some on the way.

    They come in the order of `networkx.all_simple_edge_paths`, which takes several times as long.
    """
    key = "near"
    if key not in graph.graph:
        graph.graph[key] = {node: [edge[1:] for edge in graph.edges(node, keys=True)] for node in graph}
    near: dict[int, list[tuple[int, int]]] = graph.graph[key]
    path: list[int] = []
    visited = {start}

    def extended(router: int) -> Iterator[Path]:
        for head, channel in near[router]:
            if head == end:
                yield (*path, channel)
            elif len(path) + 1 < longest and head in over and head not in visited:
                path.append(channel)
                visited.add(head)
                yield from extended(head)
                visited.remove(head)
                path.pop()

    yield from extended(start)


def interleaved(rng: random.Random, trees: list[list[Hop]]) -> Iterator[Hop]:
    """Mix the trees at random, each in its own order."""
    left = [list(tree) for tree in trees if tree]
    while left:
        tree = rng.choice(left)
        yield tree.pop(0)
        left = [tree for tree in left if tree]


def pack(rng: random.Random, problem: Problem, order: list[Hop]) -> list[list[Transfer]]:
    """Let hops share steps, each after all earlier hops that meet it at a location with the same message."""
    steps: list[list[Transfer]] = []
    placed: list[tuple[Hop, int]] = []
    for hop in order:
        near = {hop.sender, hop.receiver}
        before = [s for other, s in placed if other.message == hop.message and near & {other.sender, other.receiver}]
        if problem.has_trees and problem.pattern != "allreduce":
            # Branches of one tree share a step; what a sender has received comes before.
            before = [s for other, s in placed if other.message == hop.message and other.receiver == hop.sender]
        step = max(before, default=-1) + 1
        while step < len(steps) and not joins(rng, problem, steps[step], as_transfer(hop)):
            step += 1
        if step == len(steps):
            steps.append([as_transfer(hop)])
        placed.append((hop, step))
    return steps


def joins(rng: random.Random, problem: Problem, step: list[Transfer], fresh: Transfer) -> bool:
    """Put a transfer into a step if that overloads nothing; under combining perhaps as a passenger of another."""
    if problem.rules.combining and rng.random() < 0.7:
        for i, other in enumerate(step):
            if (other.sender, other.receiver) == (fresh.sender, fresh.receiver):
                step[i] = other._replace(messages=other.messages + fresh.messages)
                return True
    if rng.random() < 0.1 or crowding(problem, [*step, fresh], 1):
        return False
    step.append(fresh)
    return True


def in_slots(rng: random.Random, problem: Problem, order: list[Hop], packed: bool) -> Schedule:
    """Let packets go one after the other; or each in a slot in which it overloads nothing, in a period that may wrap.

    Where the period is too short for that, it gets longer. Slots before those of earlier hops of a message that meet
    this one are left out.
    """
    lengths = [arrival(problem, as_transfer(hop)) + 1 for hop in order]
    if not packed:
        starts = [sum(lengths[:i]) for i in range(len(order))]
        serial = [as_transfer(hop)._replace(start=start) for hop, start in zip(order, starts, strict=True)]
        return Schedule.from_transfers(serial, sum(lengths) + rng.randrange(3))
    period = max(problem.rules.packet_slots, rng.randrange(sum(lengths)))
    while True:
        transfers: list[Transfer] = []
        for hop in order:
            near = {hop.sender, hop.receiver}
            before = [t for t in transfers if t.messages == (hop.message,) and near & {t.sender, t.receiver}]
            first = max((arrival(problem, t) + 1 for t in before), default=0)
            slots = (as_transfer(hop)._replace(start=slot) for slot in range(first, period) if rng.random() < 0.9)
            fresh = next((t for t in slots if fits(problem, transfers, t, period)), None)
            if fresh is None:
                break
            transfers.append(fresh)
        else:
            return Schedule.from_transfers(transfers, period)
        period += 1 + period // 4


def fits(problem: Problem, transfers: list[Transfer], fresh: Transfer, period: int) -> bool:
    """Return whether a packet ends within its period, and overloads nothing together with others."""
    return not overlong(problem, [fresh], period) and not crowding(problem, [*transfers, fresh], period)


# -- spoiling


def spoiled_cases(pattern: str = "") -> st.SearchStrategy[Case]:
    """Draw a problem and a valid schedule that was spoiled once, twice or three times (and may still be valid)."""
    spoilers = st.lists(st.sampled_from(SPOILERS), min_size=1, max_size=3)
    return st.builds(spoil, cases(pattern), spoilers, SEEDS)


Transfers = list[Transfer]
Spoiler = Callable[[random.Random, Problem, Transfers, int], tuple[Transfers, int]]


def spoil(case: Case, spoilers: list[Spoiler], seed: int) -> Case:
    """Apply spoilers one after the other."""
    rng = random.Random(seed)
    transfers, num_steps = list(case.schedule), case.schedule.num_steps
    for spoiler in spoilers:
        transfers, num_steps = spoiler(rng, case.problem, transfers, num_steps)
    return Case(case.problem, Schedule.from_transfers(transfers, num_steps))


def changing(change: Callable[[random.Random, Problem, Transfer, int], Transfer]) -> Spoiler:
    """Make a spoiler that changes one transfer."""

    def spoiler(rng: random.Random, problem: Problem, old: Transfers, num_steps: int) -> tuple[Transfers, int]:
        if not old:
            return old, num_steps
        at = rng.randrange(len(old))
        return [*old[:at], change(rng, problem, old[at], num_steps), *old[at + 1 :]], num_steps

    return spoiler


def some_place(rng: random.Random, problem: Problem) -> Location:
    """Return a location, or now and then a number that is none."""
    return rng.randrange(-problem.network.num_routers - 1, problem.network.num_processors + 1)


def some_message(rng: random.Random, problem: Problem) -> int:
    """Return a message, or now and then a number that is none."""
    return rng.randrange(-1, problem.num_messages + 1)


def some_channel(rng: random.Random, problem: Problem) -> int:
    """Return a channel, or now and then a number that is none."""
    return rng.randrange(-1, problem.network.num_channels + 1)


def drop(rng: random.Random, problem: Problem, old: Transfers, num_steps: int) -> tuple[Transfers, int]:
    """Leave a transfer out."""
    lost = rng.randrange(len(old)) if old else 0
    return old[:lost] + old[lost + 1 :], num_steps


def double(rng: random.Random, problem: Problem, old: Transfers, num_steps: int) -> tuple[Transfers, int]:
    """Do a transfer once more, in the same step or another."""
    if not old:
        return old, num_steps
    copy = rng.choice(old)
    return [*old, copy._replace(start=rng.choice((copy.start, rng.randrange(num_steps))))], num_steps


def add(rng: random.Random, problem: Problem, old: Transfers, num_steps: int) -> tuple[Transfers, int]:
    """Add a transfer of anything from anywhere to anywhere."""
    if not num_steps:
        return old, num_steps
    path = tuple(some_channel(rng, problem) for _ in range(rng.randrange(3)))
    step, ends = rng.randrange(num_steps), (some_place(rng, problem), some_place(rng, problem))
    return [*old, Transfer(step, *ends, path, (some_message(rng, problem),))], num_steps


def merge_steps(rng: random.Random, problem: Problem, old: Transfers, num_steps: int) -> tuple[Transfers, int]:
    """Do two steps at once."""
    if num_steps < 2:
        return old, num_steps
    seam = rng.randrange(1, num_steps)
    return [t._replace(start=t.start - (t.start >= seam)) for t in old], num_steps - 1


def merge_all(rng: random.Random, problem: Problem, old: Transfers, num_steps: int) -> tuple[Transfers, int]:
    """Do everything at once."""
    return [t._replace(start=0) for t in old], min(num_steps, 1)


def empty_step(rng: random.Random, problem: Problem, old: Transfers, num_steps: int) -> tuple[Transfers, int]:
    """Insert a step that does nothing."""
    seam = rng.randrange(num_steps + 1)
    return [t._replace(start=t.start + (t.start >= seam)) for t in old], num_steps + 1


def swap_steps(rng: random.Random, problem: Problem, old: Transfers, num_steps: int) -> tuple[Transfers, int]:
    """Exchange two steps."""
    if num_steps < 2:
        return old, num_steps
    one, other = rng.sample(range(num_steps), 2)
    renumbered = {one: other, other: one}
    return [t._replace(start=renumbered.get(t.start, t.start)) for t in old], num_steps


def detour(rng: random.Random, problem: Problem, old: Transfers, num_steps: int) -> tuple[Transfers, int]:
    """Send a transfer along another simple path that is no shorter than its own, where there is one."""
    network, others = problem.network, []
    graph, simple_paths = channel_graph(network), dict[tuple[int, int], list[Path]]()
    for i, t in enumerate(old):
        if 0 <= t.sender < network.num_processors and 0 <= t.receiver < network.num_processors:
            ends = int(network.router_of[t.sender]), int(network.router_of[t.receiver])
            if ends not in simple_paths:
                walks = nx.all_simple_edge_paths(graph, *ends) if ends[0] != ends[1] else []
                simple_paths[ends] = [tuple(channel for _, _, channel in walk) for walk in walks]
            others += [(i, path) for path in simple_paths[ends] if len(path) >= len(t.path) and path != t.path]
    if not others:
        return old, num_steps
    # Paths of the same length, which restricted routing may forbid, are few.
    as_long = [(i, path) for i, path in others if len(path) == len(old[i].path)]
    at, path = rng.choice(as_long if as_long and rng.random() < 0.5 else others)
    return [*old[:at], old[at]._replace(path=path), *old[at + 1 :]], num_steps


def move(rng: random.Random, problem: Problem, t: Transfer, num_steps: int) -> Transfer:
    """Do a transfer in another step."""
    return t._replace(start=rng.randrange(num_steps))


def change_channel(rng: random.Random, problem: Problem, t: Transfer, num_steps: int) -> Transfer:
    """Replace a channel of the path."""
    if not t.path:
        return t._replace(path=(some_channel(rng, problem),))
    at = rng.randrange(len(t.path))
    return t._replace(path=(*t.path[:at], some_channel(rng, problem), *t.path[at + 1 :]))


def shorten(rng: random.Random, problem: Problem, t: Transfer, num_steps: int) -> Transfer:
    """Leave a channel of the path out."""
    at = rng.randrange(len(t.path)) if t.path else 0
    return t._replace(path=t.path[:at] + t.path[at + 1 :])


def there_and_back(rng: random.Random, problem: Problem, t: Transfer, num_steps: int) -> Transfer:
    """Go to a neighbour and back before going."""
    network = problem.network
    if not 0 <= t.sender < network.num_processors:
        return t
    out = network.out_channels[network.router_of[t.sender]]
    loops = [(c, int(network.opposite[c])) for c in out if network.opposite[c] >= 0]
    return t._replace(path=(*rng.choice(loops), *t.path)) if loops else t


def swap_ends(rng: random.Random, problem: Problem, t: Transfer, num_steps: int) -> Transfer:
    """Exchange sender and receiver, with or without the path."""
    turned = tuple(int(problem.network.opposite[c]) for c in reversed(t.path) if 0 <= c < problem.network.num_channels)
    return t._replace(sender=t.receiver, receiver=t.sender, path=rng.choice((t.path, turned)))


def other_sender(rng: random.Random, problem: Problem, t: Transfer, num_steps: int) -> Transfer:
    """Let somebody else send."""
    return t._replace(sender=some_place(rng, problem))


def other_receiver(rng: random.Random, problem: Problem, t: Transfer, num_steps: int) -> Transfer:
    """Let somebody else receive."""
    return t._replace(receiver=some_place(rng, problem))


def neighbour(rng: random.Random, problem: Problem, t: Transfer, num_steps: int) -> Transfer:
    """Exchange an end for a processor of the same router, where it has one."""
    network = problem.network
    end = rng.choice(("sender", "receiver"))
    processor = t.sender if end == "sender" else t.receiver
    if not 0 <= processor < network.num_processors:
        return t
    twin = rng.choice(network.processors_on[network.router_of[processor]])
    return t._replace(sender=twin) if end == "sender" else t._replace(receiver=twin)


def other_message(rng: random.Random, problem: Problem, t: Transfer, num_steps: int) -> Transfer:
    """Carry something else."""
    return t._replace(messages=(some_message(rng, problem),))


def another_message(rng: random.Random, problem: Problem, t: Transfer, num_steps: int) -> Transfer:
    """Carry one message more, perhaps the same again."""
    return t._replace(messages=(*t.messages, some_message(rng, problem)))


def no_message(rng: random.Random, problem: Problem, t: Transfer, num_steps: int) -> Transfer:
    """Carry nothing."""
    return t._replace(messages=())


SPOILERS: tuple[Spoiler, ...] = (
    drop,
    double,
    add,
    merge_steps,
    merge_all,
    empty_step,
    swap_steps,
    # Other paths are rare in small networks and forbidden in few problems: so three times.
    *(detour, detour, detour),
    *(
        changing(change)
        for change in (
            move,
            change_channel,
            shorten,
            there_and_back,
            swap_ends,
            other_sender,
            other_receiver,
            neighbour,
            other_message,
            another_message,
            no_message,
        )
    ),
)

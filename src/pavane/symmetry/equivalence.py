"""Which faults are the same fault, seen from elsewhere: equal by a renumbering that keeps the collective.

Two faults are equivalent if what each of them leaves of the problem can be renumbered into what the other leaves:
routers onto routers, with as much capacity between any two, and processors with the same part in the collective. Then
both need the same number of steps. Parallel channels count by what they carry together, processors on one router by
their parts, and messages by their units.

Colours tell routers apart first: a router's colour is made of the colours around it, again and again. Where that leaves
a choice, one router is given a colour of its own, in both networks, and so on until every router has one; the
renumbering that follows is checked. A search that gets too long says no, and the faults are planned apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from pavane.model.messages import message_ends, message_pieces
from pavane.model.problem import Problem

MOST_TRIES = 200
"""After giving this many routers a colour of their own a search gives up."""

Names = dict[Hashable, int]

Joined = tuple[int, int]
"""How strongly a vertex is joined to another, by capacity or by units, as a multiple of `STRENGTH`; and that other."""

STRENGTH = 2**40
"""More than any colour, so that a colour and a strength are told apart in their sum; pairs of both take longer."""


@dataclass(frozen=True)
class Shape:
    """What a renumbering must keep: a colour for each vertex, and relations between vertices as lists of neighbours."""

    colours: tuple[int, ...]
    relations: tuple[tuple[tuple[Joined, ...], ...], ...]
    """For each relation, what each vertex is joined to."""


class Equivalence:
    """Tells which of the problems shown to it are equivalent; rules must not tell routers apart by their numbers."""

    def __init__(self) -> None:
        self.names: Names = {}
        """One table of colours for all problems, so that equal colours mean the same in each."""
        self.known: dict[Hashable, list[tuple[Shape, int]]] = {}

    def first_like(self, problem: Problem, number: int) -> int:
        """Return the number of the first problem shown that is equivalent, or this one's own."""
        if problem.restriction is not None:
            return number  # an order of turns knows north from south
        shape = shape_of(problem, self.names)
        stable = _refined(shape, shape.colours, self.names)
        collective = problem.collective
        # Who a part of an allreduce is named after does not matter, only how many parts of which units there are.
        units = sorted(message_pieces(collective, message_ends(collective)).tolist()) if _is_allreduce(problem) else ()
        colours = tuple(sorted(Counter(stable).items()))
        key = (problem.rules, collective.kind, collective.pieces, tuple(units), colours)
        alike = self.known.setdefault(key, [])
        for other, first in alike:
            if renumbering(other, shape, self.names) is not None:
                return first
        alike.append((shape, number))
        return number


def shape_of(problem: Problem, names: Names) -> Shape:
    """Return what a renumbering of a problem must keep.

    Processors are vertices of their own where single messages are named, by pairs or by sizes.
    """
    network, collective = problem.network, problem.collective
    parts = _parts(problem)
    on = network.processors_on
    colours: list[Hashable] = [("router", *sorted(parts[p] for p in there)) for there in on]
    carried = Counter[tuple[int, int]]()
    for (tail, head), capacity in zip(network.channels.tolist(), network.capacity.tolist(), strict=True):
        carried[tail, head] += capacity
    relations = list(_both_ways(((a, b, weight) for (a, b), weight in carried.items()), network.num_routers))
    if collective.kind == "PAIRS" or (problem.pattern == "private" and collective.sizes):
        first = network.num_routers
        colours += ["processor"] * network.num_processors
        for relation in relations:
            relation += [[] for _ in parts]
        homes = [[(0, first + p) for p in there] for there in on] + [[(0, r)] for r in network.router_of.tolist()]
        ends = message_ends(collective)
        units = message_pieces(collective, ends).tolist()
        sent = ((first + source, first + target, n) for (source, target), n in zip(ends.tolist(), units, strict=True))
        relations += [homes, *_both_ways((message for message in sent if message[2]), len(colours))]
    return Shape(
        tuple(_named(names, colour) for colour in colours),
        tuple(tuple(map(tuple, relation)) for relation in relations),
    )


def _parts(problem: Problem) -> list[tuple[int, ...]]:
    """Return what each processor does in the collective: whether it sends, and receives, and units of its own."""
    collective = problem.collective
    if _is_allreduce(problem):
        members = frozenset(collective.senders)
        return [(p in members,) for p in range(problem.network.num_processors)]
    senders, receivers = frozenset(collective.senders), frozenset(collective.receivers)
    units = {size[0]: size[-1] for size in collective.sizes} if problem.pattern != "private" else {}
    return [(p in senders, p in receivers, units.get(p, 1)) for p in range(problem.network.num_processors)]


def _is_allreduce(problem: Problem) -> bool:
    return problem.pattern == "allreduce"


def _both_ways(joins: Iterable[tuple[int, int, int]], size: int) -> tuple[list[list[Joined]], list[list[Joined]]]:
    """Return, for each vertex, what it leads to, and what leads to it, each with its weight."""
    to: list[list[Joined]] = [[] for _ in range(size)]
    back: list[list[Joined]] = [[] for _ in range(size)]
    for source, target, weight in joins:
        # What is joined by one, as most is, keeps the numbers small.
        to[source].append(((weight - 1) * STRENGTH, target))
        back[target].append(((weight - 1) * STRENGTH, source))
    return to, back


def renumbering(one: Shape, other: Shape, names: Names | None = None) -> list[int] | None:
    """Return what each vertex of one shape becomes in the other, or None where no renumbering was found."""
    names = {} if names is None else names
    tries = 0

    def extend(left: Sequence[int], right: Sequence[int]) -> list[int] | None:
        nonlocal tries
        left, right = _refined(one, left, names), _refined(other, right, names)
        sizes = Counter(left)
        if sizes != Counter(right):
            return None
        choices = [(size, colour) for colour, size in sizes.items() if size > 1]
        if not choices:
            vertex_of = {colour: vertex for vertex, colour in enumerate(right)}
            images = [vertex_of[colour] for colour in left]
            return images if _keeps(one, other, images) else None
        _, colour = min(choices)
        own = _named(names, ("own", colour))
        vertex = left.index(colour)
        for image in (i for i, c in enumerate(right) if c == colour):
            tries += 1
            if tries > MOST_TRIES:
                return None
            found = extend(_with(left, vertex, own), _with(right, image, own))
            if found is not None:
                return found
        return None

    return extend(one.colours, other.colours) if len(one.colours) == len(other.colours) else None


def _refined(shape: Shape, colours: Sequence[int], names: Names) -> list[int]:
    """Give vertices new colours, made of their own and their neighbours', until no two are told apart any more."""
    now = list(colours)
    count = len(set(now))
    while True:
        now = [
            _named(
                names,
                (
                    now[vertex],
                    *(
                        tuple(sorted([strength + now[other] for strength, other in table[vertex]]))
                        for table in shape.relations
                    ),
                ),
            )
            for vertex in range(len(now))
        ]
        fresh = len(set(now))
        if fresh == count:
            return now
        count = fresh


def _named(names: Names, what: Hashable) -> int:
    return names.setdefault(what, len(names))


def _with(colours: Sequence[int], vertex: int, colour: int) -> list[int]:
    changed = list(colours)
    changed[vertex] = colour
    return changed


def _keeps(one: Shape, other: Shape, images: Sequence[int]) -> bool:
    """Check a renumbering: same first colours, same neighbours."""
    return all(one.colours[vertex] == other.colours[image] for vertex, image in enumerate(images)) and all(
        sorted((strength, images[n]) for strength, n in mine[vertex]) == sorted(theirs[image])
        for mine, theirs in zip(one.relations, other.relations, strict=True)
        for vertex, image in enumerate(images)
    )

"""Which faults are the same fault, seen from elsewhere: equal by a renumbering that keeps the collective.

Two faults are equivalent if what each of them leaves of the problem can be renumbered into what the other leaves:
routers onto routers, with as many channels between any two, and processors with the same part in the collective. Then
both need the same number of steps. Parallel channels count by their number, processors on one router by their parts.

Colours tell routers apart first: a router's colour is made of the colours around it, again and again. Where that leaves
a choice, one router is given a colour of its own, in both networks, and so on until every router has one; the
renumbering that follows is checked. A search that gets too long says no, and the faults are planned apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from pavane.model.problem import Problem

MOST_TRIES = 200
"""After giving this many routers a colour of their own a search gives up."""

Names = dict[Hashable, int]


@dataclass(frozen=True)
class Shape:
    """What a renumbering must keep: a colour for each vertex, and relations between vertices as lists of neighbours."""

    colours: tuple[int, ...]
    relations: tuple[tuple[tuple[int, ...], ...], ...]
    """For each relation, the neighbours of each vertex; one that is joined twice stands there twice."""


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
        key = (problem.rules, problem.collective.kind, tuple(sorted(Counter(stable).items())))
        alike = self.known.setdefault(key, [])
        for other, first in alike:
            if renumbering(other, shape, self.names) is not None:
                return first
        alike.append((shape, number))
        return number


def shape_of(problem: Problem, names: Names) -> Shape:
    """Return what a renumbering of a problem must keep; processors are vertices of their own where pairs name them."""
    network, collective = problem.network, problem.collective
    senders, receivers = frozenset(collective.senders), frozenset(collective.receivers)
    parts = [(p in senders, p in receivers) for p in range(network.num_processors)]
    on = network.processors_on
    colours: list[Hashable] = [("router", *sorted(parts[p] for p in there)) for there in on]
    tails, heads = network.tails.tolist(), network.heads.tolist()
    leaving = [[heads[c] for c in channels] for channels in network.out_channels]
    entering = [[tails[c] for c in channels] for channels in network.in_channels]
    relations = [leaving, entering]
    if collective.kind == "PAIRS":
        first = network.num_routers
        colours += ["processor"] * network.num_processors
        leaving += [[] for _ in parts]
        entering += [[] for _ in parts]
        homes = [[first + p for p in there] for there in on] + [[r] for r in network.router_of.tolist()]
        to: list[list[int]] = [[] for _ in colours]
        back: list[list[int]] = [[] for _ in colours]
        for source, target in collective.pairs:
            to[first + source].append(first + target)
            back[first + target].append(first + source)
        relations += [homes, to, back]
    return Shape(
        tuple(_named(names, colour) for colour in colours),
        tuple(tuple(map(tuple, relation)) for relation in relations),
    )


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
                (now[vertex], *(tuple(sorted(now[other] for other in table[vertex])) for table in shape.relations)),
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
        sorted(images[n] for n in mine[vertex]) == sorted(theirs[image])
        for mine, theirs in zip(one.relations, other.relations, strict=True)
        for vertex, image in enumerate(images)
    )

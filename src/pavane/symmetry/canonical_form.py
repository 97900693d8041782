"""A canonical order of the vertices of a coloured graph, by refinement of colours and individualisation.

Two graphs are the same but for the numbers of their vertices exactly if they are equal in this order. Vertices get
colours that tell apart what their neighbours' colours tell apart; where some stay alike, one of them is given a colour
of its own, and all are tried in turn (McKay and Piperno, Practical graph isomorphism II). Leaves of that tree that are
equal show a symmetry, and what a symmetry takes to what was tried is not tried again. Among twins, which have the same
neighbours, any is as good as any other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from zlib import crc32

import numpy as np
import numpy.typing as npt

from pavane.model.arrays import Longs

Words = npt.NDArray[np.uint64]

MOST_WORK = 40_000_000
"""Pairs of vertices that are looked at: about a quarter of a second. It is counted, so that all machines agree."""

MOST_VERTICES = 1_500
"""With more of them one look at all pairs is too long."""

MOST_VERTICES_WITH_LEVELS = 400
NUM_LEVELS = 6
"""Up to these numbers of vertices and steps it is counted first how many vertices lie how far from each."""


class TooMuchWork(Exception):
    """The limit on the work was reached before an order was found."""


def canonical_order(colours: Longs, edges: Longs, most_work: int = MOST_WORK) -> Longs | None:
    """Return the vertices in canonical order; None where that takes more than some work.

    `colours` has a number for each vertex, `edges[u, v]` one for what leads from u to v; 0 stands for nothing.
    """
    if len(colours) > MOST_VERTICES:
        return None
    search = _Search(colours, edges, most_work)
    try:
        search.explore((), search.refined(_by_levels(_ordinals(colours), edges)))
    except TooMuchWork:
        return None
    assert search.best is not None
    return search.best.order


@dataclass(frozen=True)
class _Picture:
    """What a way to an order looks like, and the graph in that order, without the numbers of vertices."""

    way: tuple[int, ...]
    colours: bytes
    edges: bytes

    def __lt__(self, other: _Picture) -> bool:
        return (self.way, self.colours, self.edges) < (other.way, other.colours, other.edges)


@dataclass(frozen=True)
class _Leaf:
    """An order in which all vertices are told apart."""

    chosen: tuple[int, ...]
    """The vertices that were given a colour of their own on the way."""
    order: Longs
    picture: _Picture


@dataclass(frozen=True)
class _Colouring:
    """Colours from 0, each in use, and a number that does not depend on how vertices are numbered."""

    colours: Longs
    trace: int

    @property
    def num_colours(self) -> int:
        return int(self.colours.max(initial=-1)) + 1


@dataclass
class _Search:
    given: Longs
    edges: Longs
    most_work: int
    best: _Leaf | None = None
    symmetries: list[Longs] = field(default_factory=list)
    """Renumberings of the vertices that change nothing: entry v says what v becomes."""
    work: int = 0

    def __post_init__(self) -> None:
        there = _ordinals(self.edges)
        self.joined = there * (int(there.max(initial=0)) + 1) + there.T
        """One number for each pair, by what leads there and what leads back."""
        self.words = _mixed(self.joined.astype(np.uint64)) | np.uint64(1)

    def refined(self, colours: Longs) -> _Colouring:
        """Tell vertices apart by the colours of all others and by how they are joined, until nothing changes."""
        trace = 0
        count = int(colours.max(initial=-1)) + 1
        while True:
            self.work += len(colours) ** 2
            if self.work > self.most_work:
                raise TooMuchWork
            # Sums that happen to be equal leave some alike that are not; they are told apart by trying.
            sums = self.words @ _mixed(colours.astype(np.uint64))
            order = np.lexsort((sums, colours))
            kinds = np.stack((colours.astype(np.uint64)[order], sums[order]))
            is_new = np.ones(len(order), dtype=np.int64)
            is_new[1:] = (kinds[:, 1:] != kinds[:, :-1]).any(axis=0)
            trace = crc32(kinds.tobytes(), trace)
            colours = np.empty(len(order), dtype=np.int64)
            colours[order] = np.cumsum(is_new) - 1
            if is_new.sum() == count:
                return _Colouring(colours, trace)
            count = int(is_new.sum())

    def explore(self, chosen: tuple[int, ...], colouring: _Colouring, way: tuple[int, ...] = ()) -> int:
        """Look at all orders below some choices; return how many of these to keep, as a symmetry may spare more."""
        way = (*way, colouring.trace)
        if self.best is not None and way > self.best.picture.way[: len(way)]:
            return len(chosen)
        if colouring.num_colours == len(self.given):
            return self._arrive(chosen, colouring, way)
        cell = self._cell(colouring)
        if self._are_twins(cell):
            colours = colouring.colours * (len(cell) + 1) + len(cell)
            colours[cell] -= 1 + np.arange(len(cell))
            kept = self.explore((*chosen, *cell), self.refined(_ordinals(colours)), way)
            return min(kept, len(chosen))
        tried: list[int] = []
        for vertex in cell:
            if tried and self._is_reached(vertex, tried, chosen):
                continue
            colours = colouring.colours * 2 + 1
            colours[vertex] -= 1
            kept = self.explore((*chosen, vertex), self.refined(_ordinals(colours)), way)
            if kept < len(chosen):
                return kept
            tried.append(vertex)
        return len(chosen)

    def _arrive(self, chosen: tuple[int, ...], colouring: _Colouring, way: tuple[int, ...]) -> int:
        """Take in an order: as the best so far, or for the symmetry that it shows."""
        order = np.argsort(colouring.colours)
        picture = _Picture(way, self.given[order].tobytes(), self.edges[np.ix_(order, order)].tobytes())
        if self.best is None or picture < self.best.picture:
            self.best = _Leaf(chosen, order, picture)
        elif picture == self.best.picture:
            symmetry = np.empty_like(order)
            symmetry[self.best.order] = order
            self.symmetries.append(symmetry)
            # What lies below the choice that differs first is what was seen there already.
            pairs = zip(chosen, self.best.chosen, strict=True)
            return next(number for number, (mine, theirs) in enumerate(pairs) if mine != theirs)
        return len(chosen)

    def _cell(self, colouring: _Colouring) -> list[int]:
        """Return the vertices of the first of the smallest colours that several have."""
        sizes = np.bincount(colouring.colours)
        sizes[sizes == 1] = len(self.given) + 1
        cell: list[int] = np.flatnonzero(colouring.colours == int(np.argmin(sizes))).tolist()
        return cell

    def _are_twins(self, cell: list[int]) -> bool:
        """Say whether any two of some vertices can be exchanged alone."""
        others = np.ones(len(self.given), dtype=bool)
        others[cell] = False
        between = self.joined[np.ix_(cell, cell)][~np.eye(len(cell), dtype=bool)]
        outside = self.joined[cell][:, others]
        return bool((between == between[0]).all() and (outside == outside[0]).all())

    def _is_reached(self, vertex: int, tried: list[int], chosen: tuple[int, ...]) -> bool:
        """Say whether symmetries that keep the choices so far take some vertex that was tried to this one."""
        kept = [s for s in self.symmetries if all(s[each] == each for each in chosen)]
        reached, waiting = {vertex}, [vertex]
        while waiting:
            here = waiting.pop()
            for symmetry in kept:
                # Powers of a symmetry lead back, too, so one direction is enough.
                there = int(symmetry[here])
                if there not in reached:
                    reached.add(there)
                    waiting.append(there)
        return not reached.isdisjoint(tried)


def _by_levels(colours: Longs, edges: Longs) -> Longs:
    """Tell vertices apart by how many others can be reached in few steps: regular graphs look alike otherwise."""
    if len(colours) > MOST_VERTICES_WITH_LEVELS:
        return colours
    joined = (edges != 0).astype(np.float32)
    reached = np.eye(len(colours), dtype=np.float32)
    sizes = [colours]
    for _ in range(NUM_LEVELS):
        reached = np.minimum(reached + reached @ joined, 1)
        sizes.append(reached.sum(axis=1).astype(np.int64))
    return np.unique(np.stack(sizes, axis=1), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _ordinals(values: Longs) -> Longs:
    """Return for each value its number among the different ones, in their order."""
    return np.unique(values, return_inverse=True)[1].reshape(values.shape).astype(np.int64)


def _mixed(values: Words) -> Words:
    """Return words that look random, always the same for the same values (splitmix64)."""
    mixed = (values + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))

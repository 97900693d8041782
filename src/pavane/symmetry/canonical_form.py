"""A canonical order of the vertices of a coloured graph, by colour refinement and individualisation.

Two graphs are isomorphic exactly if they are equal in this order. Colours are refined: vertices whose neighbours differ
in colour get different colours. Where several vertices still share a colour, one of them gets a colour of its own, and
each is tried in turn (McKay and Piperno, Practical graph isomorphism II). Two equal leaves of that search tree give an
automorphism, and branches that automorphisms map to explored ones are skipped. Twins, vertices with the same
neighbours, are interchangeable, so one order of them is enough.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

from pavane.model.arrays import Longs

Words = npt.NDArray[np.uint64]

MOST_WORK = 40_000_000
"""Pairs of vertices considered, about a quarter of a second. Work is counted, not timed: all machines agree."""

MOST_VERTICES = 1_500
"""With more vertices a single refinement takes too long."""

MOST_VERTICES_WITH_LEVELS = 400
NUM_LEVELS = 6
"""Up to these sizes vertices are first coloured by how many others lie within 1, 2, ... steps."""


class TooMuchWork(Exception):
    """The limit on work was reached before an order was found."""


def canonical_order(colours: Longs, edges: Longs, most_work: int = MOST_WORK) -> Longs | None:
    """Return the vertices in canonical order; None where that takes too much work.

    `colours` has a number for each vertex, `edges[u, v]` one for the edge from u to v, 0 if there is none.
    """
    if len(colours) > MOST_VERTICES:
        return None
    search = _LabellingSearch(colours, edges, most_work)
    try:
        search.explore((), search.refine(_by_levels(_ordinals(colours), edges)))
    except TooMuchWork:
        return None
    assert search.best is not None
    return search.best.order


Picture = tuple[tuple[int, ...], bytes, bytes]
"""The traces on the way to a leaf, and the graph in its order, independent of the numbers of vertices."""


class _Leaf(NamedTuple):
    """An order in which all vertices have different colours."""

    chosen: tuple[int, ...]
    """The vertices that got a colour of their own on the way."""
    order: Longs
    picture: Picture


class _VertexColours(NamedTuple):
    """Colours from 0, each in use, and a number that does not depend on how vertices are numbered."""

    colours: Longs
    trace: int


@dataclass
class _LabellingSearch:
    given: Longs
    edges: Longs
    most_work: int
    best: _Leaf | None = None
    automorphisms: list[Longs] = field(default_factory=list)
    """Automorphisms: entry v is the image of v."""
    work: int = 0

    def __post_init__(self) -> None:
        there = _ordinals(self.edges)
        self.joined = there * (int(there.max(initial=0)) + 1) + there.T
        """One number for each pair, by the edges both ways."""
        self.words = _mix(self.joined.astype(np.uint64)) | np.uint64(1)

    def refine(self, colours: Longs) -> _VertexColours:
        """Refine colours by those of all other vertices and the edges to them, until nothing changes."""
        trace = 0
        count = int(colours.max(initial=-1)) + 1
        while True:
            self.work += len(colours) ** 2
            if self.work > self.most_work:
                raise TooMuchWork
            # Equal sums of different neighbours only make the search longer: the colours stay equal until tried.
            sums = self.words @ _mix(colours.astype(np.uint64))
            order = np.lexsort((sums, colours))
            kinds = np.stack((colours.astype(np.uint64)[order], sums[order]))
            is_new = np.ones(len(order), dtype=np.int64)
            is_new[1:] = (kinds[:, 1:] != kinds[:, :-1]).any(axis=0)
            trace = crc32(kinds.tobytes(), trace)
            colours = np.empty(len(order), dtype=np.int64)
            colours[order] = np.cumsum(is_new) - 1
            if is_new.sum() == count:
                return _VertexColours(colours, trace)
            count = int(is_new.sum())

    def explore(self, chosen: tuple[int, ...], colouring: _VertexColours, way: tuple[int, ...] = ()) -> int:
        """Visit all orders below some choices; return how many choices stay: an automorphism may rule out the rest."""
        way = (*way, colouring.trace)
        if self.best is not None and way > self.best.picture[0][: len(way)]:
            return len(chosen)
        sizes = np.bincount(colouring.colours)
        if len(sizes) == len(self.given):
            return self._arrive(chosen, colouring, way)
        # The first of the smallest colours that several vertices share.
        sizes[sizes == 1] = len(self.given) + 1
        cell: list[int] = np.flatnonzero(colouring.colours == int(np.argmin(sizes))).tolist()
        if self._are_twins(cell):
            colours = colouring.colours * (len(cell) + 1) + len(cell)
            colours[cell] -= 1 + np.arange(len(cell))
            kept = self.explore((*chosen, *cell), self.refine(_ordinals(colours)), way)
            return min(kept, len(chosen))
        tried: list[int] = []
        for vertex in cell:
            if tried and self._is_reached(vertex, tried, chosen):
                continue
            colours = colouring.colours * 2 + 1
            colours[vertex] -= 1
            kept = self.explore((*chosen, vertex), self.refine(_ordinals(colours)), way)
            if kept < len(chosen):
                return kept
            tried.append(vertex)
        return len(chosen)

    def _arrive(self, chosen: tuple[int, ...], colouring: _VertexColours, way: tuple[int, ...]) -> int:
        """Store an order if it is the best so far, or the automorphism that it shows."""
        order = np.argsort(colouring.colours)
        picture = way, self.given[order].tobytes(), self.edges[np.ix_(order, order)].tobytes()
        if self.best is None or picture < self.best.picture:
            self.best = _Leaf(chosen, order, picture)
        elif picture == self.best.picture:
            image = np.empty_like(order)
            image[self.best.order] = order
            self.automorphisms.append(image)
            # The branch of the first different choice is the image of one that was explored.
            pairs = zip(chosen, self.best.chosen, strict=True)
            return next(number for number, (mine, theirs) in enumerate(pairs) if mine != theirs)
        return len(chosen)

    def _are_twins(self, cell: list[int]) -> bool:
        """Return whether any two vertices of a cell can be exchanged alone."""
        others = np.ones(len(self.given), dtype=bool)
        others[cell] = False
        between = self.joined[np.ix_(cell, cell)][~np.eye(len(cell), dtype=bool)]
        outside = self.joined[cell][:, others]
        return bool((between == between[0]).all() and (outside == outside[0]).all())

    def _is_reached(self, vertex: int, tried: list[int], chosen: tuple[int, ...]) -> bool:
        """Return whether automorphisms that fix all choices map a vertex that was tried to this one."""
        kept = [s for s in self.automorphisms if all(s[choice] == choice for choice in chosen)]
        reached, waiting = {vertex}, [vertex]
        while waiting:
            here = waiting.pop()
            for image in kept:
                # Powers of an automorphism lead back, so one direction is enough.
                there = int(image[here])
                if there not in reached:
                    reached.add(there)
                    waiting.append(there)
        return not reached.isdisjoint(tried)


def _by_levels(colours: Longs, edges: Longs) -> Longs:
    """Refine colours by how many vertices are within few steps: refinement alone does not split regular graphs."""
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
    """Return the rank of each value among the distinct ones."""
    return np.unique(values, return_inverse=True)[1].reshape(values.shape).astype(np.int64)


def _mix(values: Words) -> Words:
    """Return pseudo-random words, the same for the same values (splitmix64)."""
    mixed = (values + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))

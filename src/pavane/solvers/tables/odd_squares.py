"""A construction for all-to-all scatter on square tori of odd size: n (n^2 - 1) / 8 steps, the bound.

The size is n = 2 h + 1, from 7 up. All messages of one displacement go together: the one from router (x, y) in step
s - x - y, counted round a stage of n steps, if it goes up along both axes. Call step + x + y the *time* of a channel
that begins at (x, y): then hop number t of each of these messages uses its channel in time s + t, and a displacement is
a word of letters X and Y for its hops, written from time s on. A stage has room for each letter once in each of n
times, round. Displacements in the opposite ways go in step s + x + y, and use the opposite channels; those that go up
one axis and down the other have stages of their own, with x - y in place of x + y.

It remains to write every displacement (a, b), 0 <= a, b <= h, in stages that are full: those with a and b above 0 once
for either kind of stages, (a, 0) and (0, a) in stages of one kind. The words of a displacement and its transpose

    X^a Y^b  and  Y^a X^b,   a < b,

fill a + b times, both letters. So a stage takes two such pairs whose lengths add up to n. For s <= h, there are as many
pairs of length n - s as of length s if s is odd; if s is even there is one more of length n - s, h + (h + 1 - s). It
shares a stage with the displacement (s, s) on the diagonal:

    X^s Y^s from time 0,   X^h Y^(h+1-s) from time s,   Y^(h-s) X^(h+1-s) Y^s from time 2 s.

That leaves the odd ones on the diagonal, (d, d) with d < 2 q, where q is half of h rounded up, for either kind of
stages; and on the axes 1 to h for one kind. A large (d, d) is written around smaller ones of together at most d,
e = d less their sum, each with the opposite letters inside the large word:

    Y^e  X^d' Y^d'  X^d'' Y^d''  ...  X^e   around   Y^d' X^d'  Y^d'' X^d''  ...

This leaves free X from time 2 d on and Y from time 2 d - e on, up to where the word begins again, n less all the d in
either case: displacements on the axes fill that. With d' = 2 q - d each stage lacks n - 2 q, which is h + 1 or h, and
so 1 to h come in twos that add up to that (and h alone). If q is odd, (q, q) is left: in stages of one kind alone, in
those of the other with 1 and 2 q - 1; and the lengths on the axes are dealt out accordingly.

As a table: every router has the phase -x - y modulo n, or -x + y for the other kind of stages, and the opposite one for
the opposite ways, so that a row whose phase is s goes in step s - x - y of its stage.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.model.path_blocks import is_wormhole_exchange
from pavane.model.problem import Problem
from pavane.model.table_schedule import Clock, TableSchedule
from pavane.solvers.tables.rows import RowColumns, table_of
from pavane.symmetry.cayley import CayleyNetwork

LEAST_SIZE = 7
"""In smaller tori both kinds of stages cannot be full."""

MOST_RUNS = 6
"""The most runs of a word: one on the diagonal around two others."""

X, Y = 0, 1

Word = tuple[int, tuple[tuple[int, int], ...]]
"""The time in which a displacement starts, and its letters: an axis, and how often."""


def transposed_pairs(problem: Problem, cayley: CayleyNetwork) -> TableSchedule | None:
    """Return the table for all-to-all scatter by wormhole on a square torus of odd size, all-port."""
    axes, sizes = cayley.axis_kinds(), cayley.sizes
    if axes is None or sizes is None or len(sizes) != 2 or not is_wormhole_exchange(problem):
        return None
    size = sizes[0]
    if size != sizes[1] or size % 2 == 0 or size < LEAST_SIZE:
        return None
    up, down = np.array(axes)
    clocks: list[Clock] = []
    blocks, num_stages = [], 0
    for kind in (0, 1):
        stages = list(word_stages(size, kind))
        words = [(number, *word) for number, stage in enumerate(stages, num_stages) for word in stage]
        num_stages += len(stages)
        letters = np.array([[*letters, *[(X, 0)] * (MOST_RUNS - len(letters))] for _, _, letters in words])
        along, lengths = letters.transpose(2, 0, 1)
        times = np.array([(number * size, start) for number, start, _ in words])
        for way in (1, -1):
            ways = np.array([way, way if kind == 0 else -way])
            moves = np.stack([np.where(along == axis, lengths, 0).sum(axis=1) for axis in (X, Y)], axis=1) * ways
            targets = np.ravel_multi_index(tuple((moves % size).T), sizes)
            kinds, clock_of = np.where(ways > 0, up, down)[along], np.full(len(words), len(clocks))
            blocks.append(RowColumns(times[:, 0], targets, kinds, lengths, times[:, 1:], clock_of))
            increments = np.zeros((4, 1), dtype=np.int64)
            increments[up, 0], increments[down, 0] = -ways, ways
            clocks.append(Clock((size,), increments))
    return table_of(blocks, num_stages * size, cayley.translations, tuple(clocks), problem.collective.pieces)


def word_stages(size: int, kind: int) -> Iterator[list[Word]]:
    """Yield the words of each stage of a kind: 0 goes the same way along both axes, 1 does not."""
    yield from _pairs(size // 2)
    yield from _diagonals(size // 2, kind)


def _pairs(half: int) -> Iterator[list[Word]]:
    """Yield the stages of displacements beside the diagonal, and of what is even on it."""
    for length in range(1, half + 1):
        short = [(a, length - a) for a in range(1, (length + 1) // 2)]
        long = [(half - less, half + 1 - length + less) for less in range(length // 2)]
        if length % 2 == 0:
            a, b = long.pop(0)
            yield [
                (0, ((X, length), (Y, length))),
                (length, ((X, a), (Y, b))),
                (2 * length, ((Y, a - length), (X, b), (Y, length))),
            ]
        for one, other in zip(short, long, strict=True):
            yield [*_with_transpose(0, *one), *_with_transpose(length, *other)]


def _with_transpose(start: int, a: int, b: int) -> list[Word]:
    return [(start, ((X, a), (Y, b))), (start, ((Y, a), (X, b)))]


def _diagonals(half: int, kind: int) -> Iterator[list[Word]]:
    """Yield the stages of what is odd on the diagonal, with displacements on the axes."""
    q = (half + 1) // 2
    lack = 2 * half + 1 - 2 * q
    twos = [[a, lack - a] for a in range(lack - half, lack - half + q)]
    nests = [[outer, 2 * q - outer] for outer in range(2 * q - 1, q, -2)]
    count = len(nests)
    if q % 2 == 0:
        diagonals, straight = nests, (twos[:count], twos[count:])[kind]
    elif kind == 0:
        # The last of the twos is q and what the three on the diagonal lack.
        diagonals, straight = [[q], *nests], [[q, *twos[0]], *twos[1 : count + 1]]
    else:
        diagonals, straight = [[2 * q - 1, q, 1], *nests[1:]], [[lack - q], *twos[count + 1 : -1]]
    for nested, axes in zip(diagonals, straight, strict=True):
        yield _nested(nested, axes)


def _nested(diagonal: list[int], straight: list[int]) -> list[Word]:
    """Write the first of the diagonal around the others, and displacements along either axis where it leaves room."""
    outer, *inner = diagonal
    edge = outer - sum(inner)
    words: list[Word] = []
    time, around = edge, [(Y, edge)]
    for d in inner:
        around += [(X, d), (Y, d)]
        words.append((time, ((Y, d), (X, d))))
        time += 2 * d
    words.append((0, (*around, (X, edge))))
    for axis, time in ((X, 2 * outer), (Y, 2 * outer - edge)):
        for a in straight:
            words.append((time, ((axis, a),)))
            time += a
    return words

"""Ways through switches: who is whose neighbour, and which bottlenecks a way enters."""

from __future__ import annotations

import numpy as np

from pavane.model.network import Network
from pavane.solvers.broadcast.switch_ways import num_ways_in, processor_sets, ways_in
from tests.problems import problem_of

# Processors 0, 1 and 2 are on switch 3, and 0 has a channel of its own to 1.
STAR = Network("star", 4, [(0, 3), (3, 0), (1, 3), (3, 1), (2, 3), (3, 2), (0, 1)], [0, 1, 2])


def ends(routing: str) -> list[tuple[int, int, int, int]]:
    """Return the ways in of the star: where each begins and ends, and its channels."""
    ways = ways_in(problem_of(STAR, "AAB", routing=routing), np.zeros((0, 4), dtype=bool))
    into = np.repeat(np.arange(4), np.diff(ways.offsets))
    columns = (column.tolist() for column in (ways.starts, into, ways.first, ways.last))
    return sorted(zip(*columns, strict=True))


def test_processors_on_one_switch_are_neighbours() -> None:
    """All pairs are joined through the switch, and one by its own channel; under minimal routing by that alone."""
    through = [(0, 1, 0, 3), (0, 2, 0, 5), (1, 0, 2, 1), (1, 2, 2, 5), (2, 0, 4, 1), (2, 1, 4, 3)]
    assert ends("any") == sorted([*through, (0, 1, 6, 6)])
    assert ends("minimal") == sorted([*through[1:], (0, 1, 6, 6)])
    assert num_ways_in(problem_of(STAR, "AAB")) == 9 + 7


def test_a_way_enters_the_sets_that_it_ends_in_and_does_not_begin_in() -> None:
    """The way from 2 to 0 enters the set of 0 and 1, which the switch belongs to or not; that from 1 does not."""
    problem = problem_of(STAR, "AAB")
    sets = np.array([[1, 1, 0, 1], [1, 1, 0, 0], [0, 0, 1, 1]], dtype=bool)
    bare = processor_sets(problem, sets)
    assert bare.tolist() == [[True, True, False, False]]
    ways = ways_in(problem, bare)
    into = np.repeat(np.arange(4), np.diff(ways.offsets))
    entering = np.diff(ways.set_offsets) > 0
    assert sorted(zip(ways.starts[entering].tolist(), into[entering].tolist(), strict=True)) == [(2, 0), (2, 1)]

"""Ways through switches: who is whose neighbour, and which bottlenecks a way enters."""

import numpy as np

from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.solvers.broadcast.switch_ways import num_ways_in, processor_sets, ways_in
from tests.problems import problem_of

# Processors 0, 1 and 2 are on switch 3, and 0 has a channel of its own to 1.
STAR = Network("star", 4, [(0, 3), (3, 0), (1, 3), (3, 1), (2, 3), (3, 2), (0, 1)], [0, 1, 2])


# Two switches with two processors each, joined to each other by two channels each way.
PAIR = Network(
    "pair",
    6,
    [(0, 4), (4, 0), (1, 4), (4, 1), (2, 5), (5, 2), (3, 5), (5, 3), (4, 5), (4, 5), (5, 4), (5, 4)],
    [0, 1, 2, 3],
)


def ends(problem: Problem) -> list[tuple[int, int, tuple[int, ...]]]:
    """Return the ways in of a problem: where each begins and ends, and its channels."""
    num_routers = problem.network.num_routers
    ways = ways_in(problem, np.zeros((0, num_routers), dtype=bool))
    into = np.repeat(np.arange(num_routers), np.diff(ways.offsets)).tolist()
    paths = [tuple(path.tolist()) for path in np.split(ways.path, ways.path_offsets[1:-1])]
    return sorted(zip(ways.starts.tolist(), into, paths, strict=True))


def test_processors_on_one_switch_are_neighbours() -> None:
    """All pairs are joined through the switch, and one by its own channel; under minimal routing by that alone."""
    through = [(0, 1, (0, 3)), (0, 2, (0, 5)), (1, 0, (2, 1)), (1, 2, (2, 5)), (2, 0, (4, 1)), (2, 1, (4, 3))]
    assert ends(problem_of(STAR, "AAB", routing="any")) == sorted([*through, (0, 1, (6,))])
    assert ends(problem_of(STAR, "AAB", routing="minimal")) == sorted([*through[1:], (0, 1, (6,))])
    assert num_ways_in(problem_of(STAR, "AAB")) == 9 + 7


def test_where_switches_pass_ways_lead_over_several() -> None:
    """The shortest ways over switches count; under any routing neighbours have the way over one switch, too."""
    star, pair = (problem_of(net, "AAB", switching="store-and-forward", switches="pass") for net in (STAR, PAIR))
    anyhow = problem_of(STAR, "AAB", switching="store-and-forward", switches="pass", routing="any")
    assert (len(ends(star)), len(ends(anyhow))) == (6, 7)
    ways = ends(pair)
    assert [path for start, end, path in ways if (start, end) == (0, 3)] == [(0, 8, 7), (0, 9, 7)]
    assert [path for start, end, path in ways if (start, end) == (0, 1)] == [(0, 3)]
    assert len(ways) == 2 * 2 + 8 * 2 <= num_ways_in(pair)


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

"""The encoding of HGSA: genes, paths and hops, and the schedule that they stand for."""

from itertools import pairwise

import numpy as np

from pavane.judge.rules import verify
from pavane.model.collectives import named
from pavane.model.messages import Collective
from pavane.model.problem import Problem, Rules
from tests.problems import problem_of
from tests.solvers.evolutionary.cases import FAT, HUB, SAF, listed


def test_genes_are_pairs_and_paths_are_shortest() -> None:
    """Every sender and receiver have a gene, and its paths are all shortest ones, a channel a hop."""
    problem = problem_of("hypercube:3", "AAB")
    found = listed(problem)
    assert found.num_genes == 8 * 7
    distances = problem.network.distances
    pairs = [(s, r) for s in range(8) for r in range(8) if s != r]
    for gene, (sender, receiver) in enumerate(pairs):
        assert found.message_of[gene] == sender
        assert found.receiver_of[gene] == receiver
        paths = range(found.first_path[gene], found.first_path[gene + 1])
        assert len(paths) == (1, 2, 6)[distances[sender, receiver] - 1]
        for path in paths:
            moves = [found.moves[hop] for hop in found.hops[found.first_hop[path] : found.first_hop[path + 1]]]
            assert [len(channels) for _, channels, _ in moves] == [1] * distances[sender, receiver]
            assert (moves[0][0], moves[-1][2]) == (sender, receiver)
            assert all(one[2] == other[0] for one, other in pairwise(moves))


def test_where_messages_rest() -> None:
    """A message may rest at a pure switch that holds it; under wormhole and where switches pass it runs on."""
    for rules, ways in ((SAF, {2}), (Rules(), {1}), (Rules("store-and-forward", switches="pass"), {1})):
        found = listed(Problem(HUB, named("AAB", HUB), rules))
        assert set(np.diff(found.first_hop).tolist()) == ways
    # It may run through a router with a processor, too: rest there or not.
    assert sorted(np.diff(listed(problem_of("line:3", "OAB"), runs_on=True).first_hop)) == [1, 1, 2]


def test_fat_routers_have_hops_without_channels() -> None:
    """From router to router a message comes to either processor, and may be handed from one to the other."""
    found = listed(Problem(FAT, Collective("OAB", (2,), (0, 1)), Rules()))
    assert (2, (2,), 0) in found.moves
    assert (0, (), 1) in found.moves
    assert sorted(np.diff(found.first_hop)) == [1, 1, 2, 2]


def test_processors_of_one_router_may_hand_on_to_each_other() -> None:
    """Between two of them a message goes at once, or over any other of them."""
    problem = problem_of("line:2*3", "OAB", root=0)
    found = listed(problem)
    gene = found.receiver_of.tolist().index(1)
    paths = range(found.first_path[gene], found.first_path[gene + 1])
    hops = [found.hops[found.first_hop[path] : found.first_hop[path + 1]].tolist() for path in paths]
    ways = [[found.moves[hop] for hop in path] for path in hops]
    assert sorted(ways) == [[(0, (), 1)], [(0, (), 2), (2, (), 1)]]


def test_a_schedule_has_no_needless_transfers() -> None:
    """Of two arrivals of a message the later is left out, and with it what only served the later."""
    problem = problem_of("ring:4", "OAB", SAF)
    found = listed(problem)
    # 0 to 1 in step 1; 0 to 2 over 1 in steps 2 and 3, or over 3; 0 to 3 in step 4.
    for over in (1, 3):
        paths = found.first_path[:-1].copy()
        (wanted,) = (
            path
            for path in range(found.first_path[1], found.first_path[2])
            if found.moves[found.hops[found.first_hop[path]]][2] == over
        )
        paths[1] = wanted
        steps = np.array([[0, 0], [1, 2], [3, 0]], dtype=np.int32)
        schedule = found.schedule(paths, steps)
        assert not verify(problem, schedule)
        assert len(schedule) == 3
        assert schedule.num_steps == 3

"""The bound by growth over slots."""

from __future__ import annotations

from pavane.judge.certificates import proven
from pavane.model.collectives import broadcast, in_pieces
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.bounds.told import bound_of, steps_of, words
from tests.optimum import optimum
from tests.problems import problem_of


def test_holders_send_on_while_packets_are_on_their_way() -> None:
    """On a complete network a packet is held after 3 slots: 1, 2, 3, 5 others hold it after 3, 4, 5, 6 slots."""
    rules = Rules("tdm", ports=1, wrap=False)
    for size, slots in ((2, 3), (3, 4), (4, 5), (5, 6), (6, 6), (7, 7)):
        assert steps_of(problem_of(f"complete:{size}", "OAB", rules))["postal"] == slots
    assert optimum(problem_of("complete:4", "OAB", rules)) == 5


def test_packets_of_several_slots_keep_ports_busy() -> None:
    """A port starts a packet every f slots, and the packet is held f slots after its flight."""
    rules = Rules("tdm", ports=1, packet_slots=3, wrap=False)
    problem = problem_of("complete:3", "OAB", rules)
    assert steps_of(problem)["postal"] == 3 + 2 + 3 == optimum(problem)


def test_reductions_are_read_backwards() -> None:
    """A reduction on a mesh with packets of 2 slots takes at least 8 slots."""
    problem = problem_of("mesh:3x3", "AOR", Rules("tdm", packet_slots=2, wrap=False))
    bound = bound_of(problem, "postal")
    assert bound.figure == 8 == proven(problem, bound)
    assert words(problem, "postal") == (
        "read backwards: processor 0 must inform 8 others, a packet takes 4 slots or more, and before slot 8 at most 4 "
        "can have it"
    )


def test_the_last_message_of_an_origin_starts_late() -> None:
    """Five pieces over two ports start in three turns."""
    complete = network("complete:4")
    rules = Rules("tdm", ports=2, packet_slots=2, wrap=False)
    one, five = (Problem(complete, in_pieces(broadcast(complete), pieces), rules) for pieces in (1, 5))
    assert steps_of(five)["postal"] == steps_of(one)["postal"] + 2 * 2


def test_neighbours_on_one_router_are_nearer() -> None:
    """Between processors of one router a flight takes the router's delay, and over a switch two channels."""
    rules = Rules("tdm", ports=1, wrap=False, router_delay=2)
    fat = Network("fat", 1, [], [0, 0])
    assert steps_of(problem_of(fat, "OAB", rules))["postal"] == 2 + 1 == optimum(problem_of(fat, "OAB", rules))
    hub = Network("hub", 3, [(1, 0), (0, 1), (2, 0), (0, 2)], [1, 2])
    assert steps_of(problem_of(hub, "OAB", rules))["postal"] == 3 * 2 + 1 == optimum(problem_of(hub, "OAB", rules))

"""Steps of different widths: the points of SCCL's front, loads within every step's width, and what is refused."""

import numpy as np
import pytest

from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.broadcast.payload_limits import spread_with_widths

RULES = Rules(switching="store-and-forward")


def in_pieces(where: str | Network, kind: str, pieces: int, rules: Rules = RULES) -> Problem:
    """Return a collective of all processors in pieces."""
    found = network(where) if isinstance(where, str) else where
    return Problem(found, named(kind, found, pieces=pieces), rules)


@pytest.mark.parametrize(
    ("text", "pieces", "widths"),
    [
        *[("dgx-1", 1, (1, 1)), ("dgx-1", 2, (1, 2)), ("dgx-1", 3, (1, 1, 2)), ("dgx-1", 6, (2, 2, 3))],
        *[("ring:8", 2, (2, 2, 2, 1)), ("octagon", 3, (3, 4)), ("mesh:4x4", 2, (2, 2, 2, 3, 3, 3))],
    ],
)
def test_reaches_the_front(text: str, pieces: int, widths: tuple[int, ...]) -> None:
    """Allgather in as few start-ups as the diameter and as few rounds as the bound by cuts."""
    problem = in_pieces(text, "AAB", pieces)
    schedule = spread_with_widths(problem, widths, np.random.default_rng(0), Budget())
    assert schedule is not None
    assert schedule.num_steps == len(widths)
    assert (schedule.payloads == 1).all()
    assert (schedule.path_lengths == 1).all()
    load = np.zeros((len(widths), problem.network.num_channels), dtype=np.int64)
    np.add.at(load, (schedule.starts, schedule.path_channels), 1)
    assert (load <= problem.network.capacity * np.array(widths)[:, None]).all()
    held = {(int(origin), piece) for piece, origin in enumerate(problem.ends[:, 0])}
    for step in range(len(widths)):
        now = [schedule.transfer(number) for number in schedule.of_step(step)]
        assert all((transfer.sender, transfer.messages[0]) in held for transfer in now)
        held |= {(transfer.receiver, transfer.messages[0]) for transfer in now}
    assert len(held) == problem.network.num_processors * problem.num_messages


def test_widths_multiply_capacities_and_ports() -> None:
    """A channel of capacity 2 carries 6 pieces in a step of width 3, and not 7."""
    pair = Network("pair", 2, [(0, 1)], capacities=[2])
    for pieces, is_found in ((6, True), (7, False)):
        problem = Problem(pair, named("OAB", pair, root=0, pieces=pieces), RULES)
        schedule = spread_with_widths(problem, (3,), np.random.default_rng(0), Budget(), most_effort=1_000)
        assert (schedule is not None) == is_found


def test_refuses_what_widths_do_not_stand_for() -> None:
    """Few ports, wormhole and private messages are refused: there several transfers are not one wider."""
    for problem in (
        in_pieces("ring:4", "AAB", 1, Rules(switching="store-and-forward", ports=1)),
        in_pieces("ring:4", "AAB", 1, Rules()),
        in_pieces("ring:4", "AAS", 1),
    ):
        with pytest.raises(ValueError, match="widths"):
            spread_with_widths(problem, (1, 1), np.random.default_rng(0), Budget())

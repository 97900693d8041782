"""The kernel that lets planned messages go: machine code does what the source says."""

import numpy as np

from pavane.jit import compiled
from pavane.solvers.ejection.kernels.forwarding import NO_MESSAGE, Draws, Journeys, Waiting, let_wait, take_hops


def begun() -> tuple[Journeys, Waiting, Draws]:
    """Three messages: two want hop 0 and then hop 1, one hop 1 alone; hop 0 draws on a unit, hop 1 on two."""
    journeys = Journeys(
        np.array([0, 2, 4, 5]), np.array([0, 1, 0, 1, 1], dtype=np.int32), np.full(5, -1, np.int32), np.array([0, 2, 4])
    )
    waiting = Waiting(np.full((2, 3), NO_MESSAGE, np.int32), np.full(3, NO_MESSAGE, np.int32), np.zeros(2, np.int32))
    draws = Draws(np.array([0, 1, 3]), np.array([0, 0, 1]), np.array([5, 3]), np.array([2, 1]))
    return journeys, waiting, draws


def test_messages_with_most_hops_left_go_first() -> None:
    """One of two takes hop 0, and what is left of unit 0 goes to hop 1; in the next step the far one goes first."""
    for wait, take in ((let_wait, take_hops), (compiled(let_wait), compiled(take_hops))):
        journeys, waiting, draws = begun()
        gone = np.zeros(3, dtype=np.int32)
        wait(np.arange(3, dtype=np.int32), journeys, waiting)
        assert waiting.most_left.tolist() == [2, 1]
        order = np.array([0, 1], dtype=np.int32)
        num_gone = take(order[:1], 1, 0, journeys, waiting, draws, gone, 0)
        num_gone = take(order, 3, 0, journeys, waiting, draws, gone, num_gone)
        assert (num_gone, draws.room.tolist(), draws.loads.tolist()) == (2, [0, 1], [3, 3])
        wait(gone[:num_gone], journeys, waiting)
        draws.room[:] = [2, 1]
        assert take(order[::-1].copy(), 3, 1, journeys, waiting, draws, gone, 0) == 1
        assert journeys.steps.tolist() == [0, 1, 0, -1, -1]
        assert waiting.most_left.tolist() == [0, 1]

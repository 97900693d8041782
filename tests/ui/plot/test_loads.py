"""Pictures of how a schedule uses the network."""

from __future__ import annotations

import numpy as np
import pytest

from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.synthesis import solve
from pavane.ui.plot import loads
from pavane.ui.plot.figures import figure_bytes
from pavane.ui.plot.loads import plot_load
from pavane.ui.plot.networks import plot_network, plot_schedule
from tests.problems import problem_of
from tests.slot_tables import ONE_TO_TWO, ZERO_TO_ONE, two_packets

WIDE = Network("wide", 3, [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2)], capacities=[4, 4, 1, 1, 2, 2])


@pytest.mark.parametrize("made", [network("kautz:2,2"), WIDE], ids=lambda made: made.name)
def test_the_heat_map_shows_every_channel_and_step(made: Network) -> None:
    """A cell holds load / capacity, and the title counts what could have been carried besides."""
    result = solve(Problem(made, named("AAS", made, pieces=3 if made is WIDE else 1)))
    schedule = result.schedule
    assert schedule is not None
    ax = plot_load(result)
    drawn = np.asarray(ax.images[0].get_array())
    expected = np.zeros(drawn.shape)
    for transfer in schedule:
        for channel in transfer.path:
            expected[channel, transfer.start] += 1 / made.capacity[channel]
    assert np.allclose(drawn, expected)
    room = int(made.capacity.sum()) * schedule.num_steps
    assert f"{room - int(schedule.path_lengths.sum())} of {room} idle" in ax.get_title()
    if made is WIDE:
        names = ["0>1 x4", "1>0 x4", "1>2", "2>1", "2>0 x2", "0>2 x2"]
        assert [label.get_text() for label in ax.get_yticklabels()] == names


def test_the_heat_map_of_a_table_shows_the_slots_of_channels() -> None:
    """Under tdm a channel is busy in the slots in which packets are on it, round the period."""
    ax = plot_load(two_packets())
    drawn = np.asarray(ax.images[0].get_array())
    cells = {(row, slot) for row, slot in np.argwhere(drawn).tolist()}
    assert cells == {(ZERO_TO_ONE, 0), (ZERO_TO_ONE, 2), (ONE_TO_TWO, 1)}
    assert ax.get_xlabel() == "slot"
    assert "29 of 32 idle" in ax.get_title()


def test_combined_messages_have_a_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a channel carries several at once a bar tells how many; of many channels none is named."""
    result = solve(problem_of("ring:4", "AAS", ports=1, combining=True))
    monkeypatch.setattr(loads, "MOST_LABELS", 7)
    ax = plot_load(result)
    drawn, bar = ax.figure.axes
    assert drawn is ax
    assert bar.get_ylabel() == "messages"
    assert np.asarray(ax.images[0].get_array()).max() > 1
    assert (ax.get_ylabel(), ax.get_legend()) == ("channel", None)


def test_only_schedules_are_drawn() -> None:
    """A result without one is refused."""
    nothing = Result(problem_of("ring:4", "AAS"), None)
    for draw in (plot_load, plot_schedule):
        with pytest.raises(ValueError, match="only a result with a schedule can be drawn"):
            draw(nothing)


def test_a_network_without_channels_is_drawn() -> None:
    """Processors of one router talk through its ports alone."""
    lonely = Network("lonely", 1, [], [0, 0, 0])
    result = solve(Problem(lonely, named("AAS", lonely), Rules(ports=1)))
    for drawn in (plot_load(result), plot_network(lonely), plot_schedule(result)):
        assert figure_bytes(drawn, "svg")

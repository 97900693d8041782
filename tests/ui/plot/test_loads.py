"""Pictures of how a schedule uses the network, and of how a search went."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from pavane.judge.result import Result, Run
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.search.pareto_fronts import FrontMark
from pavane.search.pareto_search import pareto_front
from pavane.search.synthesis import solve
from pavane.search.tuning import Effort
from pavane.ui.plot import loads
from pavane.ui.plot.figures import figure_bytes
from pavane.ui.plot.loads import plot_front_trace, plot_load, plot_routers, plot_steps, plot_trace
from pavane.ui.plot.networks import plot_network, plot_schedule
from tests.problems import problem_of
from tests.slot_tables import ONE_TO_TWO, ZERO_TO_ONE, two_packets
from tests.ui.plot.solved import solved


def test_the_heat_map_shows_every_channel_and_step() -> None:
    """A cell holds the number of messages on a channel in a step; the title counts the idle ones."""
    result = solved("kautz:2,2", "AAS")
    schedule = result.schedule
    assert schedule is not None
    ax = plot_load(result)
    drawn = np.asarray(ax.images[0].get_array())
    expected = np.zeros_like(drawn)
    for transfer in schedule:
        for channel in transfer.path:
            expected[channel, transfer.step] += 1
    assert np.array_equal(drawn, expected)
    assert f"{int((expected == 0).sum())} of {expected.size} idle" in ax.get_title()


def test_the_heat_map_of_a_table_shows_the_slots_of_channels() -> None:
    """Under tdm a channel is busy in the slots in which packets are on it, round the period."""
    ax = plot_load(two_packets())
    drawn = np.asarray(ax.images[0].get_array())
    assert {(row, slot) for row, slot in np.argwhere(drawn).tolist()} == {
        (ZERO_TO_ONE, 0),
        (ZERO_TO_ONE, 2),
        (ONE_TO_TWO, 1),
    }
    assert ax.get_xlabel() == "slot"
    assert "29 of 32 idle" in ax.get_title()


def test_the_heat_map_of_routers_counts_busy_output_ports() -> None:
    """A router's outputs are its channels and its processors' ports: 0 sends twice, 1 passes one on and ejects one."""
    ax = plot_routers(two_packets())
    drawn = np.asarray(ax.images[0].get_array())
    assert drawn.astype(int).tolist() == [[1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 0]]
    assert "5 of 48 output ports busy" in ax.get_title()
    # Of steps, too: every transfer of a ring leaves by a channel and by the port of its receiver.
    result = solved("ring:4", "AAS")
    assert result.schedule is not None
    drawn = np.asarray(plot_routers(result).images[0].get_array())
    assert drawn.sum() == result.schedule.path_lengths.sum() + len(result.schedule)


def test_counts_of_a_table_are_of_slots() -> None:
    """Under tdm a slot has the packets that are injected in it, and the channels that are busy in it."""
    ax = plot_steps(two_packets())
    heights = [patch.get_height() for patch in ax.patches if isinstance(patch, Rectangle)]
    assert heights == [0, 1, 0, 1, 1, 1, 1, 0]
    assert ax.get_xlabel() == "slot"
    assert "4 slots" in ax.get_title()


def test_loads_are_by_capacity() -> None:
    """A cell holds load / capacity, and the title counts what could have been carried besides."""
    wide = Network("wide", 3, [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2)], capacities=[4, 4, 1, 1, 2, 2])
    result = solve(Problem(wide, named("AAS", wide, pieces=3)))
    schedule = result.schedule
    assert schedule is not None
    ax = plot_load(result)
    drawn = np.asarray(ax.images[0].get_array())
    expected = np.zeros_like(drawn)
    for transfer in schedule:
        for channel in transfer.path:
            expected[channel, transfer.step] += 1 / wide.capacity[channel]
    assert np.allclose(drawn, expected)
    assert drawn.max() <= 1 + 1e-9
    loads = int(schedule.path_lengths.sum())
    assert f"{14 * schedule.num_steps - loads} of {14 * schedule.num_steps} idle" in ax.get_title()
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "0>1 x4",
        "1>0 x4",
        "1>2",
        "2>1",
        "2>0 x2",
        "0>2 x2",
    ]
    steps = plot_steps(result)
    assert np.asarray(steps.lines[0].get_ydata()).tolist() == [14, 14]


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
    for draw in (plot_load, plot_steps, plot_schedule):
        with pytest.raises(ValueError, match="only a result with a schedule can be drawn"):
            draw(nothing)


def test_bars_count_transfers_and_busy_channels() -> None:
    """The bars of a step are its transfers and its busy channels."""
    result = solved("octagon", "AAB")
    schedule = result.schedule
    assert schedule is not None
    heights = [round(bar.get_height()) for bar in plot_steps(result).patches if isinstance(bar, Rectangle)]
    counts = [len(schedule.of_step(s)) for s in range(schedule.num_steps)]
    busy = [sum(len(schedule.transfer(i).path) for i in schedule.of_step(s)) for s in range(schedule.num_steps)]
    assert heights == [*counts, *busy]


def test_ticks_are_whole_steps() -> None:
    """There is no half step, however few there are."""
    ax = plot_steps(solved("octagon", "AAB"))
    ax.figure.canvas.draw()
    low, high = ax.get_xlim()
    ticks = [tick for tick in ax.get_xticks() if low <= tick <= high]
    assert ticks
    assert all(tick == round(tick) for tick in ticks)


def test_a_trace_ends_where_the_run_ended() -> None:
    """The line goes through every improvement and on to the last evaluation."""
    ax = plot_trace(Run(1000, ((60, 12), (300, 3))), label="umda")
    points = np.asarray(ax.lines[0].get_xydata())
    assert points.tolist() == [[60, 12], [300, 3], [1000, 3]]


def test_the_trace_of_a_front_has_a_line_for_each_point() -> None:
    """A line goes through the TCO of all schedules of as many start-ups, and on to the last evaluation of all."""
    problem = problem_of("ring:4", "AAS", ports=1, routing="any", combining=True)
    found = pareto_front(problem, effort=Effort(passes=0))
    least = found.points[-1]
    marks = (FrontMark(5, least.start_ups, 9), FrontMark(20, 70, 1))
    ax = plot_front_trace(replace(found, points=(least,), trace=marks))
    (line,) = ax.lines
    assert np.asarray(line.get_xydata()).tolist() == [[5, 9], [20, least.tco]]
    assert ax.get_ylabel() == "TCO of the best"


def test_a_network_without_channels_is_drawn() -> None:
    """Processors of one router talk through its ports alone."""
    lonely = Network("lonely", 1, [], [0, 0, 0])
    result = solve(Problem(lonely, named("AAS", lonely), Rules(ports=1)))
    for drawn in (plot_load(result), plot_steps(result), plot_network(lonely), plot_schedule(result)):
        assert figure_bytes(drawn, "svg")

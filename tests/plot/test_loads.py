"""Pictures of how a schedule uses the network, and of how a search went."""

from __future__ import annotations

import numpy as np
from matplotlib.patches import Rectangle

from pavane.judge.result import Run
from pavane.plot.loads import plot_load, plot_steps, plot_trace
from tests.plot.solved import solved


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


def test_bars_count_transfers_and_busy_channels() -> None:
    """The bars of a step are its transfers and its busy channels."""
    result = solved("octagon", "AAB")
    schedule = result.schedule
    assert schedule is not None
    heights = [round(bar.get_height()) for bar in plot_steps(result).patches if isinstance(bar, Rectangle)]
    counts = [len(schedule.of_step(s)) for s in range(schedule.num_steps)]
    busy = [sum(len(schedule.transfer(i).path) for i in schedule.of_step(s)) for s in range(schedule.num_steps)]
    assert heights == [*counts, *busy]


def test_a_trace_ends_where_the_run_ended() -> None:
    """The line goes through every improvement and on to the last evaluation."""
    ax = plot_trace(Run(1000, ((60, 12), (300, 3))), label="umda")
    points = np.asarray(ax.lines[0].get_xydata())
    assert points.tolist() == [[60, 12], [300, 3], [1000, 3]]

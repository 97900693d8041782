"""Pictures of networks and schedules."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from pavane.errors import InputError
from pavane.judge.result import Result, Run
from pavane.model.collectives import named
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.plot.figures import axes_or_new, write_figure
from pavane.plot.loads import plot_load, plot_steps, plot_trace
from pavane.plot.networks import MOST_PATHS_DRAWN, MOST_STEPS_DRAWN, plot_network, plot_schedule
from pavane.search.synthesis import synthesize


def solved(spec: str, kind: str) -> Result:
    """Return a schedule for a catalogue network."""
    made = network(spec)
    return synthesize(Problem(made, named(kind, made)))


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_the_same_picture_is_the_same_file(tmp_path: Path, ending: str) -> None:
    """A picture is written as its ending says, and twice the same."""
    result = solved("octagon", "AAS")
    for name in ("a", "b"):
        write_figure(tmp_path / f"{name}.{ending}", plot_schedule(result))
    first = (tmp_path / f"a.{ending}").read_bytes()
    assert first == (tmp_path / f"b.{ending}").read_bytes()
    assert first.startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[ending])


def test_an_unknown_ending_is_refused(tmp_path: Path) -> None:
    """A picture cannot be written into a text file, and nothing is left behind."""
    with pytest.raises(InputError, match="ends in"):
        write_figure(tmp_path / "a.txt", plot_network(network("ring:4")))
    assert not list(tmp_path.iterdir())


def test_each_step_is_a_small_picture() -> None:
    """There is one picture per step, with the number of its transfers above it."""
    result = solved("kautz:2,2", "AAS")
    schedule = result.schedule
    assert schedule is not None
    titles = [ax.get_title() for ax in plot_schedule(result).axes]
    assert titles == [f"step {s + 1}: {len(schedule.of_step(s))} transfers" for s in range(schedule.num_steps)]


def test_many_steps_are_not_all_drawn() -> None:
    """Above a limit the first steps are drawn and the title says so."""
    figure = plot_schedule(solved("ring:16", "AAS"))
    assert len(figure.axes) == min(MOST_STEPS_DRAWN, 32)
    assert "are not drawn" in figure.get_suptitle()


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


def test_axes_may_be_given() -> None:
    """A plot goes into the axes of the user, who has the figure."""
    ax = axes_or_new(None)
    assert plot_network(network("ring:5"), ax=ax) is ax
    assert plot_steps(solved("ring:5", "OAB"), ax=ax) is ax


def test_steps_with_many_transfers_show_busy_channels() -> None:
    """Above a limit a step is drawn as the channels that are busy in it, and the picture still comes quickly."""
    result = solved("hypercube:8", "AAS")
    schedule = result.schedule
    assert schedule is not None
    step = max(range(MOST_STEPS_DRAWN), key=lambda step: len(schedule.of_step(step)))
    assert len(schedule.of_step(step)) > MOST_PATHS_DRAWN
    drawn = {len(collection.get_paths()) for collection in plot_schedule(result).axes[step].collections}
    assert len({c for i in schedule.of_step(step) for c in schedule.transfer(i).path}) in drawn

"""Pictures of networks and schedules."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import LineCollection

from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.networks.positions import positions_of
from pavane.search.synthesis import solve
from pavane.ui.plot.figures import axes_or_new
from pavane.ui.plot.loads import plot_steps
from pavane.ui.plot.networks import MOST_PATHS_DRAWN, MOST_STEPS_DRAWN, origin_looks, plot_network, plot_schedule
from tests.slot_tables import two_packets
from tests.ui.plot.solved import solved

WIDE = Network("wide", 3, [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2)], capacities=[4, 4, 1, 1, 2, 1])


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


def widths_of(collections: list[object]) -> list[float]:
    """Return the widths of all lines, in order."""
    lines = [one for one in collections if isinstance(one, LineCollection)]
    return sorted(float(width) for one in lines for width in np.atleast_1d(one.get_linewidth()))


def test_lines_are_as_wide_as_capacities() -> None:
    """A link is one line, as many times as wide as its capacity; where its ways differ, each has its own."""
    ax = plot_network(WIDE)
    assert widths_of(list(ax.collections)) == pytest.approx([0.8, 0.8, 1.6, 3.2])
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["x1", "x2", "x4"]
    assert plot_network(network("ring:5")).get_legend() is None


def test_large_capacities_stay_narrow() -> None:
    """However large capacities are, lines have a largest width, and the legend a few entries."""
    capacities = [1, 300, 20, 150, 7, 90, 45, 250, 60, 12]
    made = Network("steep", 5, [(i, (i + d) % 5) for i in range(5) for d in (1, 4)], capacities=capacities)
    ax = plot_network(made)
    widths = widths_of(list(ax.collections))
    assert (min(widths), max(widths)) == pytest.approx((0.8, 4.0))
    legend = ax.get_legend()
    assert legend is not None
    shown = [text.get_text() for text in legend.get_texts()]
    assert len(shown) == 5
    assert {shown[0], shown[-1]} == {"x1", "x300"}


def test_transfers_that_share_a_channel_stand_side_by_side() -> None:
    """No two transfers of a step are drawn on one line; the title says message times."""
    result = solve(Problem(WIDE, named("AAB", WIDE, pieces=4)))
    schedule = result.schedule
    assert schedule is not None
    figure = plot_schedule(result)
    for step, ax in enumerate(figure.axes):
        paths = max(
            (one for one in ax.collections if isinstance(one, LineCollection)), key=lambda one: one.get_zorder()
        )
        drawn = [tuple(map(tuple, segment)) for segment in paths.get_segments()]
        assert len(drawn) == len(set(drawn)) == sum(len(schedule.transfer(i).path) for i in schedule.of_step(step))
    times = {4: "1", 5: "5/4", 6: "3/2"}[schedule.num_steps]
    assert f"{schedule.num_steps} steps (4 pieces a message: {times} message times)" in figure.get_suptitle()
    origins, capacities = ([text.get_text() for text in legend.get_texts()] for legend in figure.legends)
    assert origins == ["0", "1", "2"]
    assert len(capacities) == 3


def test_parallel_links_are_side_by_side() -> None:
    """As many lines as there are links, none upon another."""
    made = Network("double", 3, [(0, 1), (0, 1), (1, 0), (1, 0), (1, 2)])
    (lines,) = (one for one in plot_network(made).collections if isinstance(one, LineCollection))
    drawn = {tuple(map(tuple, segment)) for segment in lines.get_segments()}
    assert len(drawn) == 3


@pytest.mark.parametrize("spec", ["torus:4x4", "kautz:3,2", "petersen"])
def test_colours_differ_between_neighbours(spec: str) -> None:
    """No two neighbours have one colour, and of one colour no two origins the same style while styles last."""
    made = network(spec)
    looks = origin_looks(made, range(made.num_processors))
    assert all(looks[tail][0] != looks[head][0] for tail, head in made.channels.tolist())
    assert len(set(looks.values())) == made.num_processors


def test_a_single_step_beyond_the_first_is_drawn() -> None:
    """Of a long schedule any step can be drawn alone, large."""
    figure = plot_schedule(solved("ring:16", "AAS"), range(29, 30))
    assert [ax.get_title().partition(":")[0] for ax in figure.axes] == ["step 30"]
    assert "not drawn" not in figure.get_suptitle()


def test_a_slot_shows_the_channels_that_packets_are_on() -> None:
    """Under tdm a picture shows the channels in use in its slot, not the paths of the packets injected in it."""
    figure = plot_schedule(two_packets())
    assert [ax.get_title() for ax in figure.axes] == [
        f"slot {n}: {count} channels" for n, count in enumerate((1, 1, 1, 0), 1)
    ]
    assert "4 slots" in str(figure.get_suptitle())
    at = positions_of(two_packets().problem.network)
    for ax, ends in zip(figure.axes, ((0, 1), (1, 2), (0, 1)), strict=False):
        paths = next(lines for lines in ax.collections if lines.get_zorder() == 2)
        assert isinstance(paths, LineCollection)
        (line,) = paths.get_segments()
        middle = (at[ends[0]] + at[ends[1]]) / 2
        assert np.hypot(*(np.mean(line, axis=0) - middle)) < 0.1

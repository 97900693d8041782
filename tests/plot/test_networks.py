"""Pictures of networks and schedules."""

from __future__ import annotations

from pavane.networks import network
from pavane.plot.figures import axes_or_new
from pavane.plot.loads import plot_steps
from pavane.plot.networks import MOST_PATHS_DRAWN, MOST_STEPS_DRAWN, plot_network, plot_schedule
from tests.plot.solved import solved


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

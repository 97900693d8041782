"""Pictures of a result, of a network and of a study, as figures of matplotlib that notebooks show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pavane.errors import InputError, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pavane.campaign.solver_study import Study
    from pavane.judge.result import Result
    from pavane.model.network import Network

PLOTS = ("schedule", "network", "load", "gantt")
"""What can be drawn of a result, by name."""


def plot(result: Result, what: str = "schedule", *, steps: range | None = None, ax: Axes | None = None) -> Figure:
    """Draw a result; `Result.plot` is this."""
    if not isinstance(what, str) or what not in PLOTS:
        raise InputError(f"`what` is {shortened(what)}; choose {', '.join(PLOTS[:-1])} or {PLOTS[-1]}")
    if steps is not None and what != "schedule":
        raise InputError(f"a plot of `what={what!r}` shows no single steps; leave `steps` out")
    if what == "network":
        return plot_network(result.problem.network, ax)
    result = result.expanded()
    if result.schedule is None:
        raise InputError("there is no schedule to draw; the search found none")
    if result.problem.has_times:
        from pavane.ui.plot.gantt import plot_time_line

        if what == "load" or steps is not None:
            raise InputError("start times have no steps, so that they are drawn as a whole; choose `what='gantt'`")
        return _figure_of(plot_time_line(result, ax))
    if what == "schedule":
        from pavane.ui.plot.networks import plot_schedule

        if ax is not None:
            raise InputError("a schedule is drawn step by step, in a figure of its own; leave `ax` out")
        return plot_schedule(result, steps)
    from pavane.ui.plot.gantt import plot_gantt
    from pavane.ui.plot.loads import plot_load

    return _figure_of({"load": plot_load, "gantt": plot_gantt}[what](result, ax))


def plot_network(network: Network, ax: Axes | None = None) -> Figure:
    """Draw a network; `Network.plot` is this."""
    from pavane.ui.plot.networks import plot_network as drawn

    return _figure_of(drawn(network, ax))


def plot_study(study: Study) -> Figure:
    """Draw the share of successful runs over their lengths; `Study.plot` is this."""
    from pavane.ui.plot.studies import plot_run_lengths

    return _figure_of(plot_run_lengths(study))


def _figure_of(ax: Axes) -> Figure:
    figure = ax.get_figure(root=True)
    assert figure is not None
    return figure

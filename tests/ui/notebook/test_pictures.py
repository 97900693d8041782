"""Pictures of results and networks from Python."""

from __future__ import annotations

from typing import Any

import pytest
from matplotlib.figure import Figure

import pavane
from pavane.errors import InputError
from pavane.ui.plot.picture import Picture
from tests.ui.notebook.test_saving import octagon


@pytest.mark.parametrize("what", ["schedule", "network", "load", "gantt"])
def test_a_result_draws_itself(what: str) -> None:
    """Each plot is a figure that can be changed further, and that a notebook shows."""
    figure = octagon().plot(what)
    assert isinstance(figure, Picture)
    assert len(figure.axes) == 1
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_plots_go_into_axes_of_ones_own() -> None:
    """Given axes are drawn into."""
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert octagon().plot("load", ax=left) is figure
    assert pavane.network("octagon").plot(right) is figure
    assert right.get_title() == "octagon: 8 routers, 24 channels"


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"what": "everything"}, "`what` is 'everything'; choose schedule, network, load or gantt"),
        ({"what": 5}, "`what` is 5; choose"),
        ({"what": "load", "steps": range(2)}, "shows no single steps; leave `steps` out"),
        ({"ax": 3}, "leave `ax` out"),
    ],
)
def test_what_cannot_be_drawn_is_refused(settings: dict[str, Any], text: str) -> None:
    """One line says what can be."""
    with pytest.raises(InputError, match=text):
        octagon().plot(**settings)

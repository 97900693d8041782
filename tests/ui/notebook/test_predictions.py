"""Predictions at hand: drawn, replayed, and shown in a notebook."""

from __future__ import annotations

import pytest

import pavane
from tests.execution.small import need_simgrid

WORKLOAD = {
    "workload": 1,
    "name": "<mine>",
    "phases": [{"compute": "2us"}, {"collective": "alltoall", "bytes": "1KiB"}],
}


@pytest.fixture(scope="module")
def made() -> pavane.Prediction:
    """Return a prediction."""
    return pavane.predict(WORKLOAD, "octagon")


def test_a_notebook_shows_a_bar_and_a_table(made: pavane.Prediction) -> None:
    """Names of others are escaped, and every phase has a row."""
    html = made._repr_html_()
    assert "&lt;mine&gt; on octagon" in html
    assert "<mine>" not in html
    assert html.count("<tr>") == 1 + 2
    assert "data:image/svg+xml" in html


def test_it_is_drawn(made: pavane.Prediction) -> None:
    """A figure has one bar with a part for each phase."""
    (axes,) = made.plot().axes
    assert len(axes.patches) == 2
    assert axes.get_xlabel().startswith("predicted time [us]")


def test_it_is_replayed(made: pavane.Prediction) -> None:
    """SimGrid takes as long as predicted."""
    need_simgrid()
    assert made.simulated() == pytest.approx([phase.seconds for phase in made.phases])

"""Predictions as tables and as JSON."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pavane.campaign.workload_model.prediction import Prediction, predict
from pavane.timing import Costs
from pavane.timing import short_time_text as short
from pavane.ui.cli.predict_tables import figures, print_predictions

COSTS = Costs(1e-6, 1e-9)
WORKLOAD = {
    "workload": 1,
    "name": "mine",
    "phases": [{"compute": "1us"}, {"collective": "alltoall", "bytes": 1000, "groups": "columns"}],
}


@pytest.fixture(scope="module")
def made() -> Prediction:
    """Return a prediction for a network in which columns have one processor each."""
    return predict(WORKLOAD, "complete:3", None, COSTS)


def test_what_is_not_sent_and_what_is_not_known(made: Prediction, capsys: pytest.CaptureFixture[str]) -> None:
    """A phase without messages says so; one without a schedule leaves the whole without a time."""
    print_predictions([made], [None], overlap=False)
    assert "nothing to send" in capsys.readouterr().out
    lost = replace(made, phases=(replace(made.phases[1], communication=None, bound=None),))
    print_predictions([lost, made], [None, None], overlap=True)
    out = capsys.readouterr().out
    assert "not found" in out
    assert "total       not known: some phases have no schedule yet" in out
    assert figures(made.workload, COSTS, [lost], [None])["predictions"][0]["seconds"] is None


def test_times_have_four_digits() -> None:
    """Long figures are rounded, and what is not known is a dash."""
    assert (short(1.23456e-6), short(None), short(0.0)) == ("1.235 us", "-", "0 s")


def test_replays_stand_beside(made: Prediction, capsys: pytest.CaptureFixture[str]) -> None:
    """Differences are told in per cent, of each phase and of the whole."""
    print_predictions([made], [(1.1e-6, 0.0)], overlap=False)
    out = capsys.readouterr().out
    assert "+10.00 %" in out
    assert "simulated   1.1 us in SimGrid, +10.00 % from the prediction" in out

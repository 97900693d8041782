"""Predictions: times that can be added up by hand, and never below what is proven."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pavane.campaign.workload_model import ways
from pavane.campaign.workload_model.prediction import Prediction, predict
from pavane.campaign.workload_model.workload_file import EXAMPLES, workload
from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.model.problem import Problem, Rules
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.timing import Costs

COSTS = Costs(startup=1e-6, per_byte=1e-9)


def of(*phases: dict[str, Any], **keys: Any) -> dict[str, Any]:
    """Return a workload of some phases."""
    return {"workload": 1, "name": "mine", "phases": list(phases), **keys}


def test_a_small_workload_by_hand() -> None:
    """Three times 5 us of computing, and 2 x 4 calls of 1000 bytes over a line of two: 8 (1 us + 1 us)."""
    mine = of(
        {"compute": {"operations": "1000*n/P", "speed": "100MFLOP/s"}, "times": 3},
        {"loop": 2, "phases": [{"pairs": [[0, 1]], "bytes": "1kB", "times": 4}]},
        parameters={"n": 1},
    )
    made = predict(mine, "line:2", None, COSTS)
    assert made.computing == pytest.approx(15e-6)
    assert made.communication == pytest.approx(16e-6)
    assert made.seconds == pytest.approx(31e-6)
    assert made.bound == pytest.approx(31e-6)
    assert made.share == pytest.approx(16 / 31)
    assert made.overlapped == pytest.approx(16e-6)
    assert made.alone == pytest.approx(30e-6)
    assert made.speedup == pytest.approx(30 / 31)
    assert [phase.times for phase in made.phases] == [3, 8]
    assert repr(made) == "<Prediction: mine on line:2 in 31 us, 52 % communication, at the bound>"
    assert predict(mine, "line:2", None, COSTS, parameters={"n": 2}).computing == pytest.approx(30e-6)


def test_rows_at_once_take_as_long_as_one() -> None:
    """An alltoall in rows of 2 of a mesh takes one message, however many rows there are; so does a broadcast."""
    for collective in ("alltoall", "broadcast", "allgather", "reduce", "scatter"):
        made = predict(of({"collective": collective, "bytes": 1000, "groups": "rows"}), "mesh:3x2", None, COSTS)
        assert made.seconds == pytest.approx(2e-6), collective
        # One row alone could use the other rows' channels, too; all together load the channels between columns.
        assert made.bound == pytest.approx(2e-6), collective


def test_the_schedule_goes_by_the_size() -> None:
    """With small messages start-ups count, and messages are combined; with large ones they go one by one."""
    small, large = (
        predict(
            of({"collective": "gather", "bytes": size}),
            "line:5",
            Rules(ports=1),
            COSTS,
            SearchOptions(evaluations=20_000),
        )
        for size in (1, 10**6)
    )
    first, second = small.phases[0].choice, large.phases[0].choice
    assert first is not None
    assert second is not None
    assert first.about.num_steps < second.about.num_steps
    assert second.about.message_times <= first.about.message_times


def test_large_broadcasts_are_cut_into_pieces() -> None:
    """A megabyte goes along a line in pieces, which is faster than as a whole."""
    made = predict(
        of({"collective": "broadcast", "bytes": "1MB"}),
        "line:4",
        Rules("store-and-forward"),
        COSTS,
        SearchOptions(seconds=3),
    )
    choice = made.phases[0].choice
    assert choice is not None
    assert choice.about.pieces > 1
    assert made.seconds is not None
    assert made.seconds < 3e-3


def test_sums_of_few_bytes_are_not_cut_into_parts() -> None:
    """8 bytes are added up as a whole, a megabyte in parts; no part is smaller than a byte."""
    one, many = (
        predict(of({"collective": "allreduce", "bytes": size}), "hypercube:2", None, COSTS).phases[0]
        for size in ("8", "1MB")
    )
    assert one.choice is not None
    assert many.choice is not None
    assert (one.choice.size, one.choice.how) == (8, "in one part")
    assert many.choice.size == pytest.approx(10**6 / 4)


def test_equal_problems_are_solved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two phases of one collective, of different bytes, are one search."""
    asked: list[Problem] = []

    def counting(problem: Problem, *options: Any, **limits: Any) -> Result:
        asked.append(problem)
        return solve(problem, *options, **limits)

    monkeypatch.setattr(ways, "solve", counting)
    twice = of({"collective": "alltoall", "bytes": 4}, {"compute": "1us"}, {"collective": "alltoall", "bytes": 8})
    made = predict(twice, "complete:4", None, COSTS)
    assert len(asked) == 1
    assert made.seconds == pytest.approx(3e-6 + 12e-9)


def test_an_interrupt_leaves_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Phases that were searched for have their times; the others have none, and so has the whole."""

    def ended(problem: Problem, *options: Any, **limits: Any) -> Result:
        if problem.collective.kind == "OAB":
            raise KeyboardInterrupt
        return solve(problem, *options, **limits)

    monkeypatch.setattr(ways, "solve", ended)
    made = predict(
        of({"collective": "alltoall", "bytes": 4}, {"collective": "broadcast", "bytes": 8}), "complete:4", None, COSTS
    )
    assert made.interrupted
    assert made.phases[0].seconds == pytest.approx(1e-6 + 4e-9)
    assert made.phases[1].seconds is None
    assert (made.seconds, made.share, made.bound, made.overlapped) == (None, None, None, None)
    assert "not complete" in repr(made)


def test_an_interrupt_within_a_phase_keeps_its_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """The phase has the time of the ways that were searched for; those after it have none."""

    def ended(problem: Problem, *options: Any, **limits: Any) -> Result:
        if problem.collective.kind == "PAIRS":
            raise KeyboardInterrupt
        return solve(problem, *options, **limits)

    monkeypatch.setattr(ways, "solve", ended)
    rows = {"collective": "broadcast", "bytes": 4, "groups": "rows"}
    made = predict(of(rows, {"collective": "alltoall", "bytes": 8}), "mesh:2x2", None, COSTS)
    assert made.interrupted
    assert made.phases[0].seconds == pytest.approx(1e-6 + 4e-9)
    assert made.phases[1].seconds is None


def test_formulas_without_a_value_on_one_processor() -> None:
    """Where nobody can say how long one processor would take, there is no speed-up."""
    made = predict(of({"compute": "n*1e-6"}, parameters={"n": "6/(P-1)"}), "ring:4", None, COSTS)
    assert made.seconds == pytest.approx(2e-6)
    assert (made.alone, made.speedup) == (None, None)


@pytest.mark.parametrize(
    ("place", "rules"),
    [
        ("mesh:2x2", Rules()),
        ("kary-tree:2,2", Rules()),
        ("dgx-a100:2", Rules("store-and-forward", switches="pass")),
    ],
)
def test_default_rules_of_predictions(place: str, rules: Rules) -> None:
    """Predictions use the default rules of the network: GPUs store and forward, chips with switches do not."""
    assert predict(of({"collective": "broadcast", "bytes": 1}), place).rules == rules


def test_what_cannot_be_is_refused() -> None:
    """A speed that nobody gives, parameters that are not there, and networks that are none."""
    with pytest.raises(InputError, match=r"phases\[0\]\.compute\.speed: the speed of processors is not known"):
        predict(of({"compute": {"operations": 5}}), "ring:4")
    with pytest.raises(InputError, match="workload fft has no parameter 'm'; it has L, n"):
        predict("fft", "ring:4", parameters={"m": 3})
    with pytest.raises(InputError, match="`network` is 3"):
        predict("fft", 3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="speed"):
        predict(workload("fft", speed=0), "ring:4")
    with pytest.raises(InputError, match="time 0: expected more than 0 seconds"):
        predict("fft", "ring:4", options=SearchOptions(seconds=0))


def test_groups_of_one_send_nothing() -> None:
    """Where nobody has anybody to send to, communication takes no time."""
    made = predict(of({"collective": "alltoall", "bytes": 4, "groups": "columns"}), "ring:5", None, COSTS)
    assert (made.seconds, made.bound) == (0.0, 0.0)
    assert made.phases[0].choice is None


PHASES = st.one_of(
    st.builds(
        lambda collective, groups, size: {"collective": collective, "groups": groups, "bytes": size},
        st.sampled_from(["broadcast", "scatter", "gather", "reduce", "allgather", "alltoall", "reduce-scatter"]),
        st.sampled_from(["all", "rows", "columns"]),
        st.sampled_from([1, 1000, 10**6]),
    ),
    st.builds(
        lambda groups, size: {"collective": "allreduce", "groups": groups, "bytes": size},
        st.sampled_from(["all", "rows"]),
        st.sampled_from([8, 10**6]),
    ),
    st.builds(lambda size: {"pairs": "neighbours-around", "bytes": size}, st.sampled_from([1, 10**5])),
    st.just({"compute": "1us"}),
)


@given(
    st.lists(PHASES, min_size=1, max_size=3),
    st.sampled_from(["mesh:2x3", "ring:4", "rails:2,2", "kautz:2,2"]),
    st.sampled_from([Costs(1e-6, 1e-9), Costs(1e-6, 0.0, 1e-7), Costs(0.0, 1e-9)]),
)
@settings(suppress_health_check=list(HealthCheck), max_examples=8)
def test_no_prediction_is_below_its_bound(phases: list[dict[str, Any]], spec: str, costs: Costs) -> None:
    """Whatever the workload, network and costs, no phase is faster than what is proven of it."""
    made: Prediction = predict(of(*phases), spec, None, costs, SearchOptions(seconds=0.2))
    assert made.seconds is not None
    assert made.bound is not None
    assert made.bound <= made.seconds * (1 + 1e-9)
    for phase in made.phases:
        assert phase.communication is not None
        assert phase.bound is not None
        assert phase.bound <= phase.communication * (1 + 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "spec"), list(zip(EXAMPLES, ["dgx-a100:2", "kautz:3,2*2", "mesh:4x4"] * 2, strict=True))
)
def test_workloads_of_the_package_run_on_networks_of_all_kinds(name: str, spec: str) -> None:
    """Grids, fat routers and switches: every workload of the package has a time, not below its bound."""
    made = predict(name, spec, options=SearchOptions(seconds=0.2))
    assert made.seconds is not None
    assert made.bound is not None
    assert made.bound <= made.seconds * (1 + 1e-9)
    assert made.speedup is not None

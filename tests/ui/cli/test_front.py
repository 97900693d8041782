"""`pavane solve --combining`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pavane.io.request import Request
from pavane.model.collectives import in_pieces
from pavane.search.pareto_fronts import ParetoFront
from pavane.search.pareto_search import pareto_front
from pavane.ui.cli.front import front_lines
from pavane.ui.cli.solve_run import Weights
from tests.ui.cli.calls import Call

RING = ("solve", "ring:4", "aas", "--combining", "--ports", "1", "--routing", "any")


def test_the_front_is_printed(call: Call, tmp_path: Path) -> None:
    """Every schedule of the front has its start-ups, TCO, where it is the fastest and what is proven; one is chosen."""
    told = json.loads(call.good(*RING, "--front", str(tmp_path / "all"), "-o", str(tmp_path / "one.json"), "--json"))
    points = [(point["start_ups"], point["tco"]) for point in told["front"]]
    assert points == sorted(points)
    assert [tco for _, tco in points] == sorted((tco for _, tco in points), reverse=True)
    assert points[0][0] == 2
    assert points[-1][1] == 3  # three messages into each processor, through one port
    assert told["front"][0]["optimal_start_ups"]
    assert sum(point["chosen"] for point in told["front"]) == 1
    files = sorted(path.name for path in (tmp_path / "all").iterdir())
    assert files == sorted(f"{start_ups}-{tco}.json" for start_ups, tco in points)
    for file in (*(tmp_path / "all").iterdir(), tmp_path / "one.json"):
        assert "verdict     valid" in call.good("verify", str(file))


@pytest.mark.parametrize(("size", "fewest"), [("1", True), ("1000000", False)])
def test_the_message_size_chooses(call: Call, size: str, fewest: bool) -> None:
    """Small messages want few start-ups, large ones little occupancy."""
    told = json.loads(call.good(*RING, "--startup", "10ns", "--per-byte", "1ns", "--bytes", size, "--json"))
    (chosen,) = [point for point in told["front"] if point["chosen"]]
    assert chosen == told["front"][0 if fewest else -1]


def test_limits_of_the_search(call: Call) -> None:
    """With --steps there is one schedule; the same few evaluations of each call of a solver give the same front."""
    out = call.good(*RING, "--steps", "2")
    assert "reached     2 steps" in out
    assert "status      optimal" in out
    first, again = (json.loads(call.good(*RING, "--evaluations", "5", "--json")) for _ in range(2))
    assert first["front"] == again["front"] != []


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([*RING, "--startup", "10ns"], "--per-byte is missing"),
        ([*RING, "--front", "/dev/null/x"], "--front /dev/null/x: cannot be created"),
        (["solve", "ring:4", "aas", "--front", "x"], "--front writes the schedules of a Pareto front; add --combining"),
        (
            [*RING, "--steps", "2", "--bytes", "4"],
            "--bytes does not go with --steps, which requests one schedule; leave --steps out",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call: Call, arguments: list[str], text: str) -> None:
    """One line, exit 2."""
    call(*arguments).is_refusal(text)


STORED = ("--combining", "--switching", "store-and-forward")


def test_one_front_over_several_pieces(call: Call, tmp_path: Path) -> None:
    """With several numbers of pieces the front goes by message times, and says what each number comes to by itself."""
    told = call.good("solve", "dgx-1", "allgather", *STORED, "--pieces", "1,6", "--front", str(tmp_path / "all"))
    lines = [line.split() for line in told.splitlines()]
    assert ["pieces", "start-ups", "TCO", "message", "times", "fastest", "for", "m*t1/ts", "proven", "solver"] in lines
    assert "->  6       2          9    3/2            0 to 3" in told
    least = "7 is the least of 3 start-ups"
    assert f"6 pieces    2 start-ups, TCO 9; 3 start-ups, TCO 7: {least}" in told
    assert "chosen      2 start-ups, TCO 9 of 6 pieces, the fastest where a message costs one start-up" in told
    assert "a TCO of 7/6 message times with any number of pieces" in told
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == ["pieces-6-2-9.json", "pieces-6-3-7.json"]
    for file in (tmp_path / "all").iterdir():
        assert "verdict     valid" in call.good("verify", str(file))


def test_the_joint_front_in_json(call: Call) -> None:
    """Points have their pieces and message times, and each number of pieces has its own front beside."""
    told = json.loads(call.good("solve", "ring:8", "allgather", *STORED, "--pieces", "1,2", "--json"))
    assert [(p["pieces"], p["start_ups"], p["tco"], p["message_times"]) for p in told["front"]] == [(2, 4, 7, "7/2")]
    assert told["fractional"] == "7/2"
    assert [own["pieces"] for own in told["fronts"]] == [1, 2]


def test_a_front_of_pieces_costs_message_times(call: Call) -> None:
    """With one number of pieces, too, the time is that of TCO by pieces."""
    costs = ("--startup", "1s", "--per-byte", "1s", "--bytes", "6")
    told = json.loads(call.good("solve", "dgx-1", "allgather", *STORED, "--pieces", "6", *costs, "--json"))
    assert [(p["start_ups"], p["tco"], p["seconds"]) for p in told["front"]] == [(2, 9, 11.0), (3, 7, 10.0)]


def test_a_schedule_refutes_a_search(call: Call, tmp_path: Path) -> None:
    """A claim that a search found no schedule of this TCO is shown to be wrong by the schedule itself."""
    call.good("solve", "dgx-1", "allgather", *STORED, "--pieces", "6", "--front", str(tmp_path))
    file = tmp_path / "2-9.json"
    told = json.loads(file.read_text())
    told["bounds"].append({"tco": 10, "start_ups": 2, "argument": "exhaustive", "certificate": {}})
    file.write_text(json.dumps(told))
    answer = call("verify", file)
    assert answer.code == 1
    assert "this schedule has less TCO" in answer.out


def found(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    """Let searches for a front come out otherwise."""

    def changed(*given: Any, **named: Any) -> ParetoFront:
        return replace(pareto_front(*given, **named), **changes)

    monkeypatch.setattr("pavane.search.pareto_search.pareto_front", changed)


def test_an_interrupted_front_says_so(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """The front so far is an answer; one line tells that it was ended, and one what failed on the way."""
    found(monkeypatch, interrupted=True, notes=("combining failed: it broke",))
    answer = call(*RING)
    assert answer.code == 0
    assert (
        answer.err == "pavane: note: combining failed: it broke\npavane: note: interrupted: this is the front so far\n"
    )


def test_a_front_without_a_schedule(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit 1, and one line in place of the table; of several numbers of pieces each has its own."""
    found(monkeypatch, points=())
    answer = call(*RING)
    assert (answer.code, answer.err) == (1, "")
    assert answer.out.splitlines()[-1] == "front       no schedule was found"
    monkeypatch.undo()
    made = pareto_front(Request(*RING[1:3], combining=True).problem())
    cut = replace(made.problem, collectives=(in_pieces(made.problem.collective, 2),))
    lines = front_lines(replace(made, fronts=(made, ParetoFront(cut, ()))), Weights())
    assert "2 pieces    no schedule was found" in lines


def test_a_point_may_be_the_fastest_nowhere(call: Call) -> None:
    """A schedule that others beat in both start-ups and TCO together, though none alone does, is marked."""
    made = pareto_front(Request(*RING[1:3], combining=True).problem())
    points = tuple(replace(made.points[0], start_ups=steps, tco=tco) for steps, tco in ((2, 10), (3, 9), (4, 3)))
    rows = [line.split() for line in front_lines(replace(made, points=points), Weights())]
    (middle,) = [row for row in rows if row[:2] == ["3", "9"]]
    assert middle[2] == "nowhere"

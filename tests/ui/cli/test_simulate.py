"""`pavane simulate`: a schedule replayed in SimGrid."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pavane.execution import baseline
from pavane.execution import simulate as replays
from pavane.execution.baseline import Baseline
from pavane.execution.simulate import Replay
from pavane.ui.cli.inputs import sampled_steps
from tests.execution.small import need_simgrid, need_smpirun
from tests.ui.cli.calls import Call

COSTS = ("--startup", "10ns", "--per-byte", "1ns", "--bytes", "100")


def test_steps_take_one_unit(call: Call, solved: Path) -> None:
    """The units of the whole schedule, and, with costs, the predicted time beside the simulated one."""
    need_simgrid()
    out = call.good("simulate", solved, *COSTS)
    assert out.endswith(
        "schedule    2 steps, TCO 2\n"
        "simulated   2 units, every step exactly one: no conflicts\n"
        "predicted   220 ns\n"
        "in SimGrid  220 ns\n"
    )


def test_pieces_take_one_unit_each(call: Call) -> None:
    """With pieces the units are told in message times too, and a piece has its part of the bytes."""
    need_simgrid()
    call.good("solve", "ring:4", "aab", "--pieces", "2", "--method", "greedy", "-o", "cut.json")
    said = json.loads(call.good("simulate", "cut.json", "--json", *COSTS))
    assert said["pieces"] == 2
    assert said["message_times"] == said["units"] / 2
    assert said["simulated_seconds"] == pytest.approx(said["predicted_seconds"])
    assert said["predicted_seconds"] == pytest.approx(said["steps"] * (10e-9 + 50e-9))
    assert " message times: a message has 2 pieces, and a unit is one of them\n" in call.good("simulate", "cut.json")


def test_figures_as_json(call: Call, solved: Path) -> None:
    """`--json` has the units of every step."""
    need_simgrid()
    said = json.loads(call.good("simulate", solved, "--json"))
    assert said == {"steps": 2, "tco": 2, "units": 2.0, "step_units": [1.0, 1.0], "conflicts": []}


def test_a_conflict_is_named(call: Call, solved: Path) -> None:
    """A file with a conflict is replayed: its steps take longer, what is shared is named, and the exit code is 1."""
    need_simgrid()
    content = json.loads(solved.read_text())
    content["steps"] = [content["steps"][0] + content["steps"][1]]
    solved.write_text(json.dumps(content))
    answer = call("simulate", solved)
    assert answer.code == 1
    assert "conflict    step 1 took 2 units instead of 1: transfers share " in answer.out
    assert "channel " in answer.out
    assert answer.out.endswith("simulated   2 units: there are conflicts\n")
    said = json.loads(call("simulate", solved, "--json", *COSTS).out)
    assert said["conflicts"][0]["step"] == 1
    assert "predicted_seconds" not in said


def test_simgrid_and_the_judge_must_agree(call: Call, solved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the judge finds a conflict that the replay does not, one line says so."""
    content = json.loads(solved.read_text())
    content["steps"] = [content["steps"][0] + content["steps"][1]]
    solved.write_text(json.dumps(content))
    monkeypatch.setattr(replays, "replay", lambda *_: Replay((1.0,), ()))
    answer = call("simulate", solved)
    answer.is_one_line(1)
    assert "SimGrid finds no conflict, but the judge does: step 1: " in answer.err


def test_the_librarys_algorithms_beside_it(call: Call, solved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--baseline` has the best of SimGrid's algorithms, with one message on a channel, and with ideal sharing."""
    need_smpirun()
    monkeypatch.setattr(baseline, "_algorithms", lambda *_: ["pair", "ring"])
    said = json.loads(call.good("simulate", solved, "--baseline", "--json"))["baseline"]
    assert said["collective"] == "MPI_Alltoall"
    assert said["units"] >= 2
    assert said["ratio"] == said["units"] / 2
    assert said["ideal_units"] >= 2


def test_other_broken_rules_are_refused(call: Call, solved: Path) -> None:
    """What SimGrid cannot judge, the judge does."""
    content = json.loads(solved.read_text())
    content["steps"].pop()
    solved.write_text(json.dumps(content))
    answer = call("simulate", solved)
    answer.is_one_line(1)
    assert "breaks a rule (never-delivered)" in answer.err


def test_costs_come_together(call: Call, solved: Path) -> None:
    """A time needs start-up, time per byte and size."""
    assert call("simulate", solved, "--startup", "1us").is_refusal("--startup, --per-byte and --bytes")
    assert call("simulate", solved, "--startup", "1", "--per-byte", "1ns", "--bytes", "4").is_refusal(
        "'1' is not a time"
    )


def test_the_librarys_algorithms_in_words(call: Call, solved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """How many times as long as the schedule the best takes, with one message on a channel and with ideal sharing."""
    monkeypatch.setattr(replays, "replay", lambda *_: Replay((1.0, 1.0), ()))
    best = Baseline("MPI_Alltoall", "pair", 5.0, "ring", 3.0, 9)
    monkeypatch.setattr("pavane.execution.baseline.best_algorithm", lambda _: best)
    out = call.good("simulate", solved, "--baseline")
    assert "library     5 units, 2.50 times as long: pair, the fastest of 9 algorithms for MPI_Alltoall\n" in out
    assert "ideally     3 units, 1.50 times as long: ring, were channels shared without loss\n" in out


def test_random_steps_of_a_table(call: Call) -> None:
    """`--sample` replays some steps of a table that is too large to be written out; the seed chooses them."""
    need_simgrid()
    call.good("solve", "torus:64x64", "alltoall", "--form", "table", "-o", "table.json", "-q")
    out = call.good("simulate", "table.json", "--sample", "2")
    assert "sample      2 random steps of 32,768 steps: " in out
    assert out.endswith("simulated   2 units, every step exactly one: no conflicts\n")
    said = json.loads(call.good("simulate", "table.json", "--sample", "2", "--seed", "1", "--json"))
    assert (said["steps"], said["step_units"], said["conflicts"]) == (32768, [1.0, 1.0], [])
    assert len(said["sample"]["steps"]) == 2
    assert said["sample"]["transfers"] > 100
    assert said == json.loads(call.good("simulate", "table.json", "--sample", "2", "--seed", "1", "--json"))


def test_random_steps_of_a_schedule(call: Call, solved: Path) -> None:
    """A schedule that is written out has samples, too; a conflict in other steps is never left unsaid."""
    need_simgrid()
    assert json.loads(call.good("simulate", solved, "--sample", "9", "--json"))["sample"]["steps"] == [1, 2]
    content = json.loads(solved.read_text())
    content["steps"] = [[], content["steps"][0] + content["steps"][1]]
    content["steps"][0].append(content["steps"][1].pop())
    solved.write_text(json.dumps(content))
    answer = call("simulate", solved, "--sample", "2")
    assert answer.code == 1
    assert "conflict    step 2 took 2 units instead of 1: transfers share " in answer.out
    seed = next(seed for seed in range(20) if sampled_steps(2, 1, seed) == (0,))
    answer = call("simulate", solved, "--sample", "1", "--seed", str(seed))
    answer.is_one_line(1)
    assert "there is a conflict in steps that are not of the sample: step 2: " in answer.err


def test_samples_have_no_times_of_all_steps(call: Call, solved: Path) -> None:
    """What is about all steps does not go with --sample."""
    assert call("simulate", solved, "--sample", "1", "--baseline").is_refusal("--baseline does not go with --sample")


def test_a_step_too_large_for_simgrid_is_refused(call: Call) -> None:
    """One line says that SimGrid would take too long."""
    call.good("solve", "torus:128x128", "allgather", "-o", "table.json", "-q")
    answer = call("simulate", "table.json", "--sample", "1")
    assert answer.is_refusal("transfers, and SimGrid takes minutes for more than 40,000; `pavane verify` judges it")

"""`pavane solve --pieces`: one number, several, and auto."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pavane.io import read_schedule, write_network
from pavane.model.network import Network
from pavane.search import pieces as searched
from pavane.search.fewest_steps import find_fewest_steps
from pavane.search.pieces import PieceSweep
from pavane.ui.cli.pieces import pieces_figures, pieces_lines
from pavane.ui.cli.solve_run import Weights
from tests.problems import problem_of
from tests.ui.cli.calls import Call

GATHER = ("solve", "dgx-1", "allgather", "--switching", "wormhole")


def test_auto_is_told_as_a_table(call: Call, tmp_path: Path) -> None:
    """A row for each number with bound, steps, message times and what is proven; the best is marked and written."""
    lines = call.good(*GATHER, "--pieces", "auto", "-o", "s.json").splitlines()
    assert lines[1] == "collective  allgather (AAB) from 8 senders to 8 receivers: 8 messages"
    why = "processor 0 must receive 7 messages, 6 a step"
    assert lines[3] == f"fractional  7/6 message times with any number of pieces (ejection): {why}"
    assert lines[4].startswith("tried       4 numbers of pieces, ")
    assert lines[5].split() == ["pieces", "bound", "steps", "message", "times", "proven", "solver"]
    assert lines[6].split()[:7] == ["1", "2", "2", "2", "for", "1", "piece"]
    assert lines[7].split()[:8] == ["2", "3", "3", "3/2", "1.500", "for", "2", "pieces"]
    assert lines[9].split()[:11] == ["->", "6", "7", "7", "7/6", "1.167", "for", "any", "number", "of", "pieces"]
    assert lines[10] == "chosen      6 pieces: 7 steps, 7/6 message times, the fewest message times"
    assert lines[11:] == ["file        s.json"]
    claim = read_schedule(tmp_path / "s.json")
    assert (claim.problem.collective.pieces, claim.schedule.num_steps) == (6, 7)
    assert "verdict     valid, optimal" in call.good("verify", "s.json")


def test_the_table_as_json(call: Call) -> None:
    """Fractions are text, and exactly one row is chosen."""
    told = json.loads(call.good(*GATHER, "--pieces", "2,1", "--json", "-o", "s.json"))
    assert (told["fractional"], told["messages"], told["file"]) == ("7/6", 8, "s.json")
    rows = told["pieces"]
    columns = ("pieces", "pieces_in_all", "steps", "bound", "message_times", "chosen", "status")
    assert [tuple(row[column] for column in columns) for row in rows] == [
        (1, 8, 2, 2, "2", False, "optimal"),
        (2, 16, 3, 3, "3/2", True, "optimal"),
    ]
    assert not any(row["optimal_for_any_pieces"] or row["predicted_seconds"] for row in rows)


def test_the_message_size_chooses(call: Call, tmp_path: Path) -> None:
    """With costs the fastest is marked, S * (ts + m t1 / k), and all are written where a folder is named."""
    costs = ("--startup", "1us", "--per-byte", "1GB/s", "--bytes", "4KiB")
    told = json.loads(call.good(*GATHER, "--pieces", "1,2,6", *costs, "--front", "all", "--json"))
    seconds = [row["predicted_seconds"] for row in told["pieces"]]
    assert seconds == pytest.approx([2 * 5.096e-6, 3 * 3.048e-6, 7 * (1e-6 + 4.096e-6 / 6)])
    assert [row["chosen"] for row in told["pieces"]] == [False, True, False]
    names = sorted(path.name for path in (tmp_path / "all").iterdir())
    assert names == ["pieces-1-steps-2.json", "pieces-2-steps-3.json", "pieces-6-steps-7.json"]
    out = call.good(*GATHER, "--pieces", "1,2", *costs)
    assert "chosen      2 pieces: 3 steps, 3/2 message times, the fastest for this message size" in out
    assert "9.144 us" in out


def test_an_allreduce_has_one_table(call: Call) -> None:
    """Its message times are those of the whole."""
    out = call.good("solve", "ring:8", "allreduce", "--pieces", "auto")
    assert "chosen      1 piece: 7 steps, 7 message times" in out


def test_one_number_has_one_more_line(call: Call) -> None:
    """It says whether another number of pieces could do better; messages are counted beside their pieces."""
    out = call.good(*GATHER, "--pieces", "6")
    assert ": 8 messages in 48 pieces\n" in out
    assert (
        "\npieces      6 a message: 7/6 message times, bound 7/6 (fractional): no number of pieces does better\n"
    ) in out
    out = call.good("solve", "line:4", "broadcast", "--pieces", "2", "--switching", "store-and-forward")
    assert (
        "\npieces      2 a message: 2 message times, optimal for 2 pieces; no number of pieces goes below 1\n"
    ) in out
    assert "pieces  " not in call.good(*GATHER, "--pieces", "1")


def test_one_number_as_json(call: Call) -> None:
    """`pieces`, `message_times` and `fractional` stand among the figures."""
    told = json.loads(call.good(*GATHER, "--pieces", "3", "--json"))
    keys = ("messages", "pieces", "pieces_in_all", "message_times", "fractional", "steps")
    assert tuple(told[key] for key in keys) == (8, 3, 24, "4/3", "7/6", 4)


def test_sizes_are_told_in_units(call: Call, tmp_path: Path) -> None:
    """With sizes a message time is that of a unit."""
    (tmp_path / "sizes.csv").write_text("0,3,0,0\n")
    out = call.good("solve", "ring:4", "scatter", "--sizes", "sizes.csv", "--pieces", "2")
    assert ": 1 message in 6 pieces\n" in out
    assert "\npieces      2 a unit: 3 unit times, bound 3 (fractional): no number of pieces does better\n" in out
    out = call.good("solve", "ring:4", "scatter", "--sizes", "sizes.csv", "--pieces", "1,2")
    assert "chosen      1 piece: 3 steps, 3 unit times, the fewest unit times" in out


def test_an_interrupt_keeps_the_best_so_far(call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The table ends there, the best so far is written, and a note says so."""
    inner, calls = find_fewest_steps, [0]

    def find(*problem: Any, **settings: Any) -> Any:
        calls[0] += 1
        if calls[0] == 3:
            raise KeyboardInterrupt
        return inner(*problem, **settings)

    monkeypatch.setattr(searched, "find_fewest_steps", find)
    answer = call(*GATHER, "--pieces", "auto", "-o", "s.json")
    assert answer.code == 0
    assert answer.err == "pavane: note: interrupted: this is the best so far\n"
    assert "chosen      2 pieces: 3 steps" in answer.out
    assert read_schedule(tmp_path / "s.json").problem.collective.pieces == 2


def test_nothing_found(call: Call) -> None:
    """No schedule for any number: exit 1, and the table says so."""
    answer = call("solve", "petersen", "aas", "--method", "cp-sat", "--pieces", "1,2", "--time", "0.00001")
    assert answer.code == 1
    assert answer.out.endswith("chosen      no schedule was found\n")
    bare = PieceSweep(problem_of("ring:4", "AAB"), (), None)
    assert "fractional  no bound is known that holds for every number of pieces" in pieces_lines(bare, Weights())
    assert pieces_figures(bare, Weights())["fractional"] is None


@pytest.mark.parametrize(
    ("words", "texts"),
    [
        ("--pieces auto --steps 3", ["--steps 3 requests one schedule, and --pieces auto tries several numbers"]),
        (
            "--pieces 2 --bytes 4",
            ["--bytes chooses by time from a Pareto front; add --combining", "or several --pieces"],
        ),
        ("--pieces 1,2 --bytes 4", ["--startup is missing; --startup, --per-byte and --bytes belong together"]),
        ("--pieces 1,2 --front -", ["--front -: a front is several files"]),
        ("--sizes 1:50000000", ["AAB on ring:4 has 50,000,003 pieces; at most 50,000,000 fit"]),
    ],
)
def test_what_cannot_be_is_refused(call: Call, words: str, texts: list[str]) -> None:
    """One line, exit 2."""
    call("solve", "ring:4", "allgather", *words.split()).is_refusal(*texts)


@pytest.mark.parametrize("command", ["study ring:4 aab --method greedy", "faults ring:4 aab"])
def test_other_commands_want_one_number(call: Call, command: str) -> None:
    """One line says that a single number is wanted, and a single number works."""
    for several in ("auto", "1,2"):
        answer = call(*command.split(), "--pieces", several)
        assert answer.is_refusal(f"--pieces '{several}': one number of pieces is wanted here; give one, like 6")
    assert call(*command.split(), "--pieces", "2").code == 0


def test_half_duplex_shares_one_capacity(call: Call, tmp_path: Path) -> None:
    """The two ways of a link must have the same then; full duplex takes any."""
    write_network(tmp_path / "n.json", Network("two", ("0", "1"), [(0, 1), (1, 0)], [0, 1], capacities=[3, 1]))
    call("solve", "n.json", "aas", "--duplex", "half").is_refusal("share its capacity", "choose full duplex")
    told = json.loads(call.good("solve", "n.json", "aas", "--pieces", "3", "--json"))
    assert (told["steps"], told["message_times"], told["fractional"]) == (3, "1", "1")


def test_an_interrupt_of_the_last_proof_keeps_the_schedule(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found stays found while it is asked whether another number of pieces could do better."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(searched, "fractional_bound", interrupted)
    answer = call("solve", "line:4", "broadcast", "--pieces", "2", "--switching", "store-and-forward")
    assert answer.code == 0
    assert answer.err == "pavane: note: interrupted: this is the best so far\n"
    assert "reached     4 steps" in answer.out

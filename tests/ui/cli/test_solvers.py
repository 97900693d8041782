"""`pavane solvers`, and settings of solvers in `pavane solve`."""

from __future__ import annotations

import json

import pytest

from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.solvers import SOLVERS
from pavane.ui.cli.solvers import supported
from tests.ui.cli.calls import Call


def test_every_solver_is_listed(call: Call) -> None:
    """A line each: name, what it supports, what it does."""
    lines = call.good("solvers").splitlines()
    assert lines[0].split() == ["solver", "supports", "what", "it", "does"]
    assert [line.split()[0] for line in lines[1:]] == list(SOLVERS)
    for line, solver in zip(lines[1:], SOLVERS.values(), strict=True):
        assert line.endswith((type(solver).__doc__ or "").split("\n")[0])
        assert " | ".join(supported(solver)) in line


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("greedy", ["any messages; any switching; combining or not"]),
        ("ejection", ["private; wormhole or tdm; no combining"]),
        ("table", ["private; any switching; no combining"]),
        ("cp-sat", ["private, broadcast or reduction; any switching; no combining"]),
        ("rotation", ["broadcast or reduction; wormhole or store-and-forward; no combining"]),
    ],
)
def test_what_a_solver_supports_is_read_from_it(name: str, expected: list[str]) -> None:
    """In short words: messages, switching, combining."""
    assert supported(SOLVERS[name]) == expected


def test_a_solver_is_described_with_its_settings(call: Call) -> None:
    """Each setting with its default, type and meaning."""
    lines = call.good("solvers", "ejection").splitlines()
    assert lines[0].startswith("solver    ejection: Ejection search")
    assert lines[1].startswith(
        "supports  private; wormhole or tdm; no combining; at most 100,000 messages; at most 20,"
    )
    shown = {line.split()[0]: line for line in lines[3:]}
    assert list(shown) == ["paths=all", "most_paths=32", "detour=2", "most_trials=40000000", "most_branches=1000"]
    assert "whole number" in shown["detour=2"]
    assert shown["detour=2"].endswith("how many channels more than the shortest a path may have.")
    assert call.good("solvers", "table").splitlines()[-1] == "settings  none"


def test_solvers_as_json(call: Call) -> None:
    """All, or one."""
    rows = json.loads(call.good("solvers", "--json"))
    assert [row["solver"] for row in rows] == list(SOLVERS)
    one = json.loads(call.good("solvers", "ejection", "--json"))
    assert one in rows
    assert {"name": "most_paths", "type": "whole number", "default": 32, "help": ""} in one["settings"]
    (supports,) = one["supports"]
    assert supports["where"] == "at most 20,000 messages but in slots"
    assert (supports["patterns"], supports["switching"]) == (["private"], ["wormhole", "tdm"])
    assert supports["combining"] is False


def test_settings_of_the_solver_are_used(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--set` and `--evaluations` reach the solver."""
    seen: list[tuple[object, Budget]] = []
    kind = type(SOLVERS["ejection"])
    usual = kind.__call__

    def watched(self: object, problem: Problem, steps: int | None, seed: int, budget: Budget) -> Result:
        seen.append((self, budget))
        result = usual(self, problem, steps, seed, budget)  # type: ignore[arg-type]
        assert isinstance(result, Result)
        return result

    monkeypatch.setattr(kind, "__call__", watched)
    words = ["--set", "most_paths=3", "--set", "detour=0", "--evaluations", "5000", "--json"]
    found = json.loads(call.good("solve", "ring:4", "aas", "--method", "ejection", *words))
    assert (found["steps"], found["solver"]) == (2, "ejection")
    ((solver, budget),) = seen
    assert repr(solver).startswith("Ejection(name='ejection', paths='all', most_paths=3, detour=0,")
    assert budget.evaluations == 5000


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("solvers auto", "expected a solver, got auto, which chooses among those that `pavane solvers` lists"),
        ("solve ring:4 aas --set detour=1", "--set 'detour=1' needs a solver to set; add --method NAME"),
        ("solve ring:4 aas --method ejection --set name=x", "the name of ejection cannot be set"),
        ("solve ring:4 aas --evaluations 0", "Invalid value for '--evaluations'"),
    ],
)
def test_what_cannot_be_set_is_refused(words: str, text: str, call: Call) -> None:
    """One line and exit 2."""
    assert call(*words.split()).is_refusal(text)

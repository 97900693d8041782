"""Random problems, mutated files and spoiled schedules; `python -m fuzzing` looks at as many as one likes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from fuzzing import files
from fuzzing.__main__ import main
from fuzzing.blocks import KINDS, Seen, made_block, write_test
from fuzzing.examinations import Found, examined
from fuzzing.files import Sample, failure_of, form_of, mutated_file, samples, shortest_failing
from fuzzing.minimal import smallest_failing
from fuzzing.problems import drawn_problem
from fuzzing.spoiled import disagreement

from pavane.errors import PavaneError
from pavane.io.registry import NETWORK_FORMATS
from pavane.model.messages import PATTERN_OF
from pavane.model.problem import Problem
from tests.problems import problem_of


@pytest.mark.parametrize("first", range(0, 24, 8))
def test_no_random_problem_gets_a_wrong_word(first: int) -> None:
    """No crash, no invalid schedule, no false claim, no lost answer; how long it took depends on the machine."""
    for number in range(first, first + 8):
        closely = number % 8 in (0, 2)
        found = examined(drawn_problem(5, number), number, limit=0.5, most_tried=10_000, closely=closely)
        assert [line for line in found.failures if not line.startswith("overrun")] == [], found.text


def test_all_kinds_and_rules_are_drawn() -> None:
    """All collectives and rules are there, fat routers, pure switches and one-way links."""
    for is_small in (False, True):
        drawn = [drawn_problem(0, number, is_small=is_small) for number in range(400)]
        assert {problem.collective.kind for problem in drawn} == set(PATTERN_OF)
        for rule, values in (
            ("switching", {"wormhole", "store-and-forward"}),
            ("switches", {"hold", "pass"}),
            ("ports", {"all", 1, 2, 3}),
            ("duplex", {"full", "half"}),
            ("routing", {"minimal", "any", "dimension-order", "west-first", "north-last"}),
            ("combining", {False, True}),
        ):
            assert {getattr(problem.rules, rule) for problem in drawn} == values
        processors = {len(those) for problem in drawn for those in problem.network.processors_on}
        assert {0, 1, 2} <= processors
        assert any((problem.network.opposite < 0).any() for problem in drawn)
        assert any(problem.network.capacities is not None for problem in drawn)
        assert any(problem.collective.pieces > 1 for problem in drawn)
        assert any(problem.collective.sizes for problem in drawn)


@pytest.mark.parametrize(
    "kind", ["problems", "files", "spoiled", "checks", "slots", "tables", "timed", "trees", "joint"]
)
def test_a_short_campaign_finds_nothing(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Part of a block of problems, files, schedules and cross-checks, of a series of their own."""
    monkeypatch.setitem(KINDS, kind, replace(KINDS[kind], size=KINDS[kind].size // 5))
    seen = made_block(kind, 1, 0)
    assert seen is not None
    assert [line for _, line in seen.failures if not line.startswith("overrun")] == []
    assert seen.counts[kind] == KINDS[kind].size


@pytest.mark.parametrize("number", [15_776, 18_914])
def test_judges_agree_where_much_is_wrong(number: int) -> None:
    """However many violations of one rule there are, all are compared."""
    assert disagreement(0, number) is None


def test_files_of_every_format_are_mutated() -> None:
    """Every format that is read has a sample, and most mutations are still taken for files of some format."""
    forms = {sample.form or form_of(sample, sample.data) for sample in samples()}
    assert set(NETWORK_FORMATS) | {"pavane/network/1", "pavane/problem", "pavane/schedule/1"} <= forms
    drawn = [mutated_file(2, number) for number in range(300)]
    assert {sample.name for sample, _ in drawn} == {sample.name for sample in samples()}
    networks = [one for one in drawn if one[0].kind == "network"]
    assert sum(form_of(*one) is not None for one in networks) > 0.7 * len(networks)
    assert mutated_file(2, 7) == mutated_file(2, 7)


def test_a_crash_of_a_reader_is_seen_and_made_small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What no reader may raise is told, with as little of the file as it takes, as a test that fails."""

    def reader(data: bytes, *_: object) -> None:
        if b"boom" in data:
            raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(files, "parse_network_or_problem", reader)
    sample = Sample("a.txt", b"some text with boom in it, and more")
    failure = failure_of(sample, sample.data)
    assert failure is not None
    assert failure.startswith("crash: ZeroDivisionError")
    assert shortest_failing(sample, sample.data) == b"boom"


@pytest.mark.parametrize("text", ["", "no", "no " * 1_000])
def test_a_refusal_that_says_nothing_or_too_much_is_seen(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """A refusal is a line that can be read."""

    def reader(*_: object) -> None:
        raise PavaneError(text)

    monkeypatch.setattr(files, "parse_network_or_problem", reader)
    assert f"refusal of {len(text)} characters" in (failure_of(Sample("a.txt", b""), b"") or "")


def test_a_failing_problem_is_made_small() -> None:
    """What does not matter for the failure is left out."""
    problem = problem_of("mesh:3x3", "AAS", ports=1)

    def is_failing(one: Problem) -> bool:
        return len(one.collective.senders) >= 2 and 4 in one.collective.receivers

    small = smallest_failing(problem, is_failing)
    assert (len(small.collective.senders), small.collective.receivers, small.rules.ports) == (2, (4,), "all")


@pytest.mark.parametrize("kind", KINDS)
def test_a_failure_becomes_a_test(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is Python, and runs."""
    monkeypatch.setattr("fuzzing.blocks.found_of", lambda *_: Found(3, "", failures=["invalid: this"]))
    path = write_test(tmp_path, kind, 0, 3, "invalid: this")
    names: dict[str, object] = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    (test,) = (names[name] for name in names if name.startswith("test_"))
    assert callable(test)
    test()  # nothing is wrong with it in truth


def test_a_campaign_goes_on_where_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Finished blocks are not made again, the figures are those of all, and two processes find the same."""
    wanted = {"files": "1000", "spoiled": "250"}
    monkey = [part for kind in KINDS for part in (f"--{kind}", wanted.get(kind, "0"))]
    monkey += ["--seed", "4"]
    assert main([*monkey, "--keep", str(tmp_path / "a")]) == 0
    first = json.loads(capsys.readouterr().out)
    assert (first["files"], first["spoiled"], first["failures"]) == (1_000, 250, {})
    assert main([*monkey, "--keep", str(tmp_path / "a")]) == 0
    assert json.loads(capsys.readouterr().out) == first
    assert main([*monkey, "--keep", str(tmp_path / "b"), "--workers", "2"]) == 0
    second = json.loads(capsys.readouterr().out)
    assert {**second, "milliseconds": 0} == {**first, "milliseconds": 0}


def test_what_is_wrong_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A campaign that finds something fails, and leaves a test behind."""

    def look(_: int, number: int, seen: Seen) -> None:
        seen.add(number, "judges differ: of course" if number == 3 else None, spoiled=1)

    monkeypatch.setitem(KINDS, "spoiled", type(KINDS["spoiled"])(10, look, KINDS["spoiled"].make_test))
    none = [part for kind in KINDS if kind != "spoiled" for part in (f"--{kind}", "0")]
    arguments = [*none, "--spoiled", "10", "--keep", str(tmp_path)]
    assert main(arguments) == 1
    assert (tmp_path / "test_spoiled_0_3.py").exists()

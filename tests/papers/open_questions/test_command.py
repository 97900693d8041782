"""`python -m papers open`."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from papers.open_questions.command import requested_questions

import papers.open_questions
from papers.open_questions import QUESTIONS
from tests.ui.cli.calls import Call


@pytest.fixture(autouse=True)
def few_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave of the last question what takes a moment, and of the others nothing."""
    last = replace(QUESTIONS[-1], cases=QUESTIONS[-1].cases[-4:])
    monkeypatch.setattr(papers.open_questions, "QUESTIONS", (*QUESTIONS[:-1], last))


def test_the_questions_are_listed(call: Call) -> None:
    """A line each, with the number that answers it."""
    lines = call.good("open", "list").splitlines()
    assert len(lines) == len(QUESTIONS)
    assert lines[0].startswith("open 1  ")
    told = json.loads(call.good("open", "list", "--json"))
    assert [one["number"] for one in told] == [question.number for question in QUESTIONS]


def test_a_question_is_answered(call: Call, tmp_path: Path) -> None:
    """As text, as Markdown, as JSON, and as a picture."""
    words = ("open", "6", "--workers", "1")
    picture = tmp_path / "six.svg"
    assert "All 4 figures are proven optimal" in call.good(*words, "--plot", str(picture))
    assert picture.read_bytes().startswith(b"<?xml")
    assert "| `slim-fly:8` | 128 | 12 | 2 |" in call.good(*words, "--markdown")
    (told,) = json.loads(call.good(*words, "--json"))
    assert (told["question"], [row["steps"] for row in told["rows"]]) == (6, [2, 11, 11, 22])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["0"], "there is no open question '0'"),
        (["6", "--method", "umda"], "answered by auto"),
        (["6", "--seeds", "3"], "answered by auto"),
        (["list", "--markdown"], "leave out the rest"),
        (["6", "1", "--plot", "x.svg"], "draws one open question"),
        (["6", "--plot", "x.txt"], "a picture ends in"),
    ],
)
def test_what_cannot_be_is_refused(call: Call, arguments: list[str], text: str) -> None:
    """One line, exit 2."""
    call("open", *arguments).is_refusal(text)


def test_what_takes_hours_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """Without numbers all questions are meant but those, and a line each says how to ask for them."""
    hours = [question.number for question in QUESTIONS if question.command is not None]
    assert [one.number for one in requested_questions([])] == [
        one.number for one in QUESTIONS if one.number not in hours
    ]
    lines = capsys.readouterr().err.splitlines()
    assert [f"open {number} takes hours and is left out" in line for number, line in zip(hours, lines, strict=True)]
    assert f"python -m papers open {hours[0]} --time 1" in lines[0]

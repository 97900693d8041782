"""The questions together: numbers, workers, what is kept, and the page."""

import json
from dataclasses import replace

import pytest
from papers.open_questions.plots import FIGURES

from papers import answer
from papers.open_questions import QUESTIONS, Row, answered, question_numbered, row_of
from pavane.errors import InputError, PavaneError
from pavane.parallel.tasks import WorkerLost
from pavane.search.options import SearchOptions

MOST_SECONDS_REDONE = 0.25
"""What took no longer is searched for anew."""


def test_questions_are_found_by_their_numbers() -> None:
    """Every number once; others are refused."""
    numbers = [question.number for question in QUESTIONS]
    assert numbers == sorted(set(numbers))
    assert all(question_numbered(str(question.number)) is question for question in QUESTIONS)
    assert set(FIGURES) == set(numbers)
    with pytest.raises(InputError, match="there is no open question '0'; choose 1, 2, 3"):
        question_numbered("0")


def test_workers_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two questions in one go, each with its rows in the order of its cases."""
    chosen = [replace(question_numbered("6"), cases=question_numbered("6").cases[:3]), question_numbered("1")]
    chosen[1] = replace(chosen[1], cases=chosen[1].cases[:1])

    def rows_by_number(workers: int) -> list[tuple[int, list[Row]]]:
        found = answered(chosen, SearchOptions(), workers)
        return [(question.number, [dict(row, seconds=0) for row in rows]) for question, rows in found]

    alone = rows_by_number(1)
    assert [(number, len(rows)) for number, rows in alone] == [(6, 3), (1, 1)]
    assert rows_by_number(2) == alone


def test_a_row_that_is_lost_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question without one of its rows has no answer."""
    monkeypatch.setattr("papers.open_questions._row", lambda *_: WorkerLost("its process was killed"))
    with pytest.raises(PavaneError, match="a row of open question 1 was lost: its process was killed"):
        list(answered([question_numbered("1")], SearchOptions()))


@pytest.mark.parametrize("number", [str(question.number) for question in QUESTIONS])
def test_what_is_kept_can_be_found_again(number: str) -> None:
    """Rows that took a moment are as a new search finds them; the remedy is `make questions`."""
    question = question_numbered(number)
    found = answer.stored(question)
    assert found is not None
    kept = found["rows"]
    assert len(kept) == len(question.cases)
    quick = [index for index, row in enumerate(kept) if row["seconds"] <= MOST_SECONDS_REDONE]
    assert quick
    for index in quick[:8]:
        fresh = json.loads(json.dumps(row_of(question, index, SearchOptions())))
        assert dict(fresh, seconds=0) == dict(kept[index], seconds=0)


def test_the_page_is_made_of_what_is_kept() -> None:
    """papers/open-questions.md says what the kept files say; the remedy is `python -m papers.answer --page`."""
    assert answer.PAGE.read_text(encoding="utf-8") == answer.page()


def test_every_question_has_its_figure() -> None:
    """The files that the page shows are there."""
    assert all((answer.HERE / answer.figure_of(question)).exists() for question in QUESTIONS)

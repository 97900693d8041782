"""Pictures of open questions."""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pavane.errors import InputError
from pavane.plot.figures import figure_bytes
from pavane.plot.open_questions import plot_question
from pavane.studies.open_questions import QUESTIONS, Question

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: str(question.number))
def test_every_question_has_a_picture(question: Question) -> None:
    """It is drawn of the kept rows."""
    sys.path.insert(0, str(DOCS))
    try:
        rows = importlib.import_module("answer_questions").kept(question)["rows"]
    finally:
        sys.path.remove(str(DOCS))
    assert figure_bytes(plot_question(question, rows), "svg").startswith(b"<?xml")


def test_a_question_without_a_picture_is_refused() -> None:
    """One line says which have one."""
    with pytest.raises(InputError, match="no picture of open question 99; choose 1, 2, 3"):
        plot_question(replace(QUESTIONS[0], number=99), [])

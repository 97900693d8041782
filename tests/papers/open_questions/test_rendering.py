"""Answered questions as text and as Markdown."""

from __future__ import annotations

from papers.open_questions.larger_networks import QUESTION
from papers.open_questions.rendering import markdown_of, text_of

ROWS = [
    {
        "network": "kautz:2,5",
        "processors": 48,
        "degree": 2,
        "diameter": 5,
        "collective": kind,
        "bound": 4,
        "steps": 4,
        "checked": True,
    }
    for kind in ("OAB", "AAB", "OAS", "AAS")
]


def test_text_has_no_marks_of_markdown() -> None:
    """Title, table, answer and proof, aligned and bare."""
    said = text_of(QUESTION, ROWS)
    assert said.startswith(f"6. {QUESTION.title}\n{QUESTION.text}\n")
    assert "`" not in said
    assert "All 4 figures are proven optimal" in said


def test_a_part_of_a_page_has_everything() -> None:
    """What was asked, the answer, what is proven, the picture and the table."""
    said = markdown_of(QUESTION, ROWS, "figures/six.svg")
    assert said.startswith(f"## 6. {QUESTION.title}\n\n**Question.** ")
    assert f"![{QUESTION.title}](figures/six.svg)" in said
    assert "| `kautz:2,5` | 48 | 2 | 5 | 4 | 4 | 4 | 4 |" in said
    assert "![" not in markdown_of(QUESTION, ROWS)

"""What tests reach, and why they do not reach the rest."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from fuzzing.covered import KEPT, NO_REASON, WHERE, lines_of, main, reason_of, rooms, together, unreached, within
from fuzzing.uncovered import REASONS

SOURCES = Path(__file__).parents[1] / "src" / "pavane"


def _told(statements: int, missing: dict[str, list[int]]) -> dict[str, Any]:
    missed = sum(len(lines) for lines in missing.values())
    return {
        "summary": {"num_statements": statements, "covered_lines": statements - missed},
        "functions": {name: {"missing_lines": lines} for name, lines in missing.items()},
    }


FILES = within(
    {
        "src/pavane/text.py": _told(10, {}),
        "src/pavane/ui/plot/one.py": _told(30, {"fill": [3, 4], "": []}),
        "/elsewhere/src/pavane/ui/plot/two.py": _told(10, {}),
    }
)


def test_rooms_add_up() -> None:
    """Files of a room together, and all of them."""
    assert list(rooms(FILES))[2:] == [
        "| the rest | 1 | 10 | 100.0 % |",
        "| ui | 2 | 40 | 95.0 % |",
        "| all | 3 | 50 | 96.0 % |",
    ]


def test_what_is_not_reached_wants_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """By file and function; without one the page says so."""
    assert unreached(FILES) == [("ui/plot/one.py", "fill", [3, 4], None)]
    assert any(NO_REASON in line for line in lines_of(FILES))
    monkeypatch.setitem(REASONS, "ui/plot/*:fill", "nobody fills")
    assert reason_of("ui/plot/one.py", "fill") == "nobody fills"
    lines = list(lines_of(FILES))
    assert lines[lines.index(WHERE) - 2] == "| 2 | 1 | nobody fills |"
    assert lines[-3:] == ["Nobody fills:", "", "- `ui/plot/one.py`: fill (2)"]


def test_two_runs_reach_what_one_of_them_does() -> None:
    """Lines and sums, of the same sources."""
    one = {"a.py": _told(10, {"f": [3, 4], "g": [7]})}
    other = {"a.py": _told(10, {"f": [4, 5], "g": []})}
    assert together(one, other) == together(other, one) == {"a.py": _told(10, {"f": [4], "g": []})}


def test_what_is_kept_is_about_the_whole_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernels alone are a look between two changes."""
    monkeypatch.setattr("sys.argv", ["covered", "--kernels", "--write"])
    with pytest.raises(SystemExit) as refused:
        main()
    assert refused.value.code == 2


def test_everything_that_is_not_reached_has_a_reason() -> None:
    """The remedy is a test, or a line in fuzzing/uncovered.py; then `make coverage`."""
    assert NO_REASON not in KEPT.read_text(encoding="utf-8")


@pytest.mark.parametrize("pattern", REASONS)
def test_reasons_are_about_files_that_there_are(pattern: str) -> None:
    """A pattern that fits no file is left from one that is gone."""
    place = pattern.partition(":")[0]
    assert any(fnmatch(file.relative_to(SOURCES).as_posix(), place) for file in SOURCES.rglob("*.py"))

"""The benchmark of store-and-forward: tables are whole, and what is missed is told."""

from __future__ import annotations

import pytest
from benchmarks import stored
from benchmarks.stored import PARTS, Part, main, rows

from pavane.model.problem import Rules

QUICK = Part({"ring:4": 2, "star:3": 1}, Rules("store-and-forward"), 5.0)


def test_every_row_has_a_cell_for_each_column(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tables are whole, and the code says that something was missed: no schedule of the star has one step."""
    monkeypatch.setattr(stored, "PARTS", {"quick": QUICK})
    assert main([]) == 1
    head, rule, ring, star = capsys.readouterr().out.strip().split("\n")[2:]
    assert {line.count("|") for line in (head, rule, ring, star)} == {10}
    assert ring.startswith("| `ring:4` | 2 | 2 | 1.000 | yes | translated |")
    assert (ring.split()[-2], star.split()[-2]) == ("yes", "NO")


def test_what_is_asked_for_is_reached_where_it_is_quick() -> None:
    """The first lines of each table are as asked."""
    for name in ("all-ports", "one-port"):
        part = PARTS[name]
        few = Part(dict(list(part.targets.items())[:2]), part.rules, part.seconds)
        assert [row[-1] for row in rows(few)] == ["yes", "yes"]


def test_an_unknown_part_is_refused() -> None:
    """One line says which there are."""
    with pytest.raises(SystemExit):
        main(["half-ports"])

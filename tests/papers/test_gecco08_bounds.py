"""Tables 1, 2 and 8 of gecco08: nothing of them is printed back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from papers.gecco08_bounds import PARAMETERS, SIZES
from papers.tables import PaperLine, RedoOptions, table_named

from papers import gecco08_bounds


def lines(number: str) -> dict[str, PaperLine]:
    """Redo a table."""
    return {line.where: line for line in table_named("gecco08", number).redo(RedoOptions())}


def test_every_cell_of_table_1() -> None:
    """Six rows of six columns, among them [4], and the star of generalized Moore graphs."""
    found = lines("1")
    assert len(found) == 36
    for diameter, row in SIZES.items():
        for name, printed in zip(("(1)", "(2)", "(3)", "[4]", "Kautz", "Moore"), row, strict=True):
            paper = found[f"diameter {diameter}, {name}"].paper
            assert paper.rstrip("*") == (str(printed or "-"))
    assert [found[f"diameter {d}, [4]"].mark for d in SIZES] == ["equal"] * 3 + ["quoted"] * 3
    assert [found[f"diameter {d}, Moore"].paper for d in SIZES] == ["10", "14*", "30*", "-", "-", "-"]
    assert (found["diameter 6, Moore"].ours, found["diameter 6, Moore"].mark) == ("126*", "new")


def test_table_2_by_its_own_formula() -> None:
    """Each cell is what its formula gives, but for Heawood's AAS."""
    found = lines("2")
    other = {where for where, line in found.items() if str(line.facts["by its formula"]) != line.paper}
    assert other == {"heawood, AAS"}
    assert found["heawood, AAS"].note.startswith("its own formula gives 9, as Table 6 has")


def test_every_column_of_table_8_is_counted() -> None:
    """d, B_C, 2 Delta, Sigma, (5) and (6) of each network, and the row of degree 1 once more as half duplex."""
    found = lines("8")
    assert len(found) == 6 * (len(PARAMETERS) + 1)
    for name, (degree, width, doubled, total, old, new) in PARAMETERS.items():
        told = {column: found[f"{name}, {column}"].paper for column in ("d", "Sigma", "(5)", "(6)")}
        assert told == {"d": str(degree), "Sigma": str(total), "(5)": str(old), "(6)": str(new)}
        assert found[f"{name}, B_C as bisection width"].paper == str(width)
        assert found[f"{name}, B_C and 2 Delta of one split"].paper == f"{width}, {doubled}"
        assert [found[f"{name}, {bound}"].facts["from the paper's columns"] for bound in ("(5)", "(6)")] == [old, new]
    assert found["Octagon 8, B_C as bisection width"].ours == "8"
    assert found["Octagon 8, (5)"].ours == "4"
    assert found["16-gon, (6)"].ours == "16"
    assert found["Levi 30, Sigma"].reading.startswith("the Levi graph is the Tutte-Coxeter graph")
    assert all(line.reading for line in found.values() if line.mark == "cannot be as printed")
    assert all(line.mark == "equal" for where, line in found.items() if "half duplex" in where)


def test_ours_does_not_come_from_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    """If other figures were printed, ours would be the same."""

    def ours(table: Iterator[PaperLine]) -> list[tuple[str, str]]:
        return [(line.where, line.ours) for line in table if "of one split" not in line.where]

    name = "Kautz 12"
    before = ours(gecco08_bounds._counted(name))
    monkeypatch.setitem(PARAMETERS, name, (4, 99, 98, 97, 96, 95))
    after = ours(gecco08_bounds._counted(name))
    assert before == after

"""The benchmark of what parts of the program are good for: a row that needs a part is printed without it."""

from __future__ import annotations

import pytest
from benchmarks import without
from benchmarks.cases import Case
from benchmarks.without import main

from pavane.model.problem import Rules


def test_rows_that_need_a_part_are_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A row that takes more steps without a solver is printed; what other parts do as well is not."""
    case = Case("ring:4", "AAB", rules=Rules(ports=1, combining=True))
    monkeypatch.setattr(without, "ROWS", {case.label: case})
    main(["rotation", "bisection", "exchange: as few as it can", "--time", "0"])
    assert not capsys.readouterr().out
    main(["combining", "--time", "0"])
    assert capsys.readouterr().out == "ring:4, AAB, 1-port: 2 (optimal), without 3\n"


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """One line says which names there are."""
    with pytest.raises(SystemExit) as refused:
        main(["sorcery"])
    assert refused.value.code == 2
    assert capsys.readouterr().err.startswith("no solver, argument or stage 'sorcery'; choose ")

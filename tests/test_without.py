"""The benchmark of what parts of the program are good for: a row that needs a part is printed without it."""

from __future__ import annotations

import pytest
from benchmarks import without
from benchmarks.cases import Case
from benchmarks.without import main


def test_rows_that_need_a_part_are_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A proof that one solver alone finds is lost without it; what other parts do as well is not printed."""
    case = Case("star:3", "allreduce")
    monkeypatch.setattr(without, "ROWS", {case.label: case})
    main(["rotation", "bisection", "exchange: as few as it can", "--time", "0"])
    assert not capsys.readouterr().out
    main(["cp-sat", "--time", "0"])
    assert capsys.readouterr().out == "star:3, ALLREDUCE: 4 (optimal), without 4\n"


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """One line says which names there are."""
    with pytest.raises(SystemExit) as refused:
        main(["sorcery"])
    assert refused.value.code == 2
    assert capsys.readouterr().err.startswith("no solver, argument or stage 'sorcery'; choose ")

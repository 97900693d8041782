"""The table of a study of faults, and its summary."""

from __future__ import annotations

from dataclasses import replace

from pavane.campaign.faults import FaultRow, Replan, faults
from pavane.campaign.faults.table import summary, text_table
from pavane.model.collectives import named
from pavane.networks import network

KAUTZ = network("kautz:3,2")


def test_equal_rows_are_grouped() -> None:
    """The table of gecco08 is short: the faults that cost most, then all other; figures that got worse are marked."""
    study = faults(KAUTZ, ["oab", "aab", "oas", "aas"])
    lines = text_table(study)
    assert [line.split() for line in lines[:2]] == [["fault", "OAB", "AAB", "OAS", "AAS"], ["no", "fault", *"2447"]]
    assert lines[-1].split() == ["all", "other", "(31)", "2", "6*", "4", "9*"]
    assert len(text_table(study, whole=True)) == 38
    assert any("faults by steps: 31 at 4, 2 at 5, 3 at 6" in line for line in summary(study))


def test_message_times_stand_beside_steps() -> None:
    """Where messages are cut into pieces, steps by pieces stand in brackets, and a line says so."""
    ring = network("ring:4")
    study = faults(ring, [named("AAB", ring, pieces=2), "AAB"])
    lines = [line.split("  ") for line in text_table(study)]
    assert [text.strip() for text in lines[0] if text][:2] == ["fault", "AAB 2 pieces"]
    assert "no fault      3 (3/2)    2" in text_table(study)
    assert any(
        line.startswith("worst       AAB 2 pieces  6 steps (3), 3 (3/2) without a fault; faults by steps: ")
        for line in summary(study)
    )
    assert any(line.startswith("pieces      in brackets: message times") for line in summary(study))
    assert not any(line.startswith("pieces") for line in summary(faults(ring, ["AAB"])))


def test_an_interrupted_study_says_so() -> None:
    """What was not planned is marked in the table and counted below it."""
    study = faults(network("ring:4"), ["aas", "oas"])
    row = FaultRow(study.rows[0].fault, (Replan("not planned"), study.rows[0].replans[1]))
    part = replace(study, rows=(row, *study.rows[1:]), interrupted=True)
    assert any("not planned" in line for line in text_table(part, whole=True))
    assert "interrupted 1 of 10 not planned" in summary(part)
    assert not any("interrupted" in line for line in summary(study))

"""Re-planning for faults: what each costs, the table of gecco08 section 5, and what an interrupt leaves."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import msgspec
import pytest
from papers.gecco08 import printed_with_fault
from papers.problems import KINDS

from pavane.campaign.fault_study import FaultRow, Replan, faults
from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.model.collectives import named, pairs
from pavane.model.faults import faulty
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.tasks import WorkerLost
from pavane.search.fewest_steps import find_or_interrupt
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from tests.scripted import interrupt_at, put

KAUTZ = network("kautz:3,2")


def planned(fault: str, kind: str, rules: Rules | None = None) -> Result:
    """Re-plan a collective without one channel."""
    tail, head = (KAUTZ.router(name) for name in fault.split(">"))
    (channel,) = [c for c in KAUTZ.out_channels[tail] if KAUTZ.heads[c] == head]
    broken = KAUTZ.without(channels=[channel])
    return solve(Problem(broken, named(kind, broken), rules or Rules()))


def test_faults_that_leave_no_schedule() -> None:
    """Parted processors, a lost root and a lonely processor are told apart, and are no errors of a study."""
    path = network("mesh:3")
    study = faults(path, ["oab", "aas"], kind="router")
    outcomes = [[replan.outcome for replan in row.replans] for row in study.rows]
    assert outcomes == [["no root", "optimal"], ["disconnects", "disconnects"], ["optimal", "optimal"]]
    assert study.impossible(0) == {"no root": ["router 0"], "disconnects": ["router 1"]}
    pair = network("mesh:2")
    assert [row.replans[0].outcome for row in faults(pair, ["aas"], kind="processor").rows] == ["nothing"] * 2


def test_only_the_messages_count() -> None:
    """A fault that parts processors without business with each other disconnects nothing."""
    path = network("mesh:4")
    study = faults(path, [pairs([(0, 1), (3, 2)])])
    assert [row.replans[0].outcome for row in study.rows] == ["disconnects", "optimal", "disconnects"]


def test_table_5_of_gecco08() -> None:
    """The whole table with shortest paths, proven: an out-channel of the root costs most, AAS takes 9 everywhere."""
    study = faults(KAUTZ, KINDS)
    assert study.is_proven
    assert tuple(replan.steps for replan in study.no_fault.replans) == printed_with_fault("none")
    for row in study.rows:
        assert tuple(replan.steps for replan in row.replans) == printed_with_fault(row.fault.name.replace(">", "-"))


def test_detours_win_steps_back() -> None:
    """With any routing OAS takes 4 steps unless the root has lost a channel."""
    study = faults(KAUTZ, ["oas"], Rules(routing="any"))
    assert study.histogram(0) == {4: 33, 6: 3}
    assert study.worst(0) == 6
    assert study.is_proven


def test_saved_plans_are_what_planning_gives() -> None:
    """A fault that stands for another has the same figure as that one planned by itself."""
    study = faults(network("mesh:2x3"), ["aas", "oas"])
    assert any(row.replans[0].same_as for row in study.rows)
    for row in study.rows:
        for column, replan in zip(study.columns, row.replans, strict=True):
            left = faulty(column.problem, row.fault)
            alone = solve(left)
            assert (alone.num_steps, alone.status) == (replan.steps, replan.outcome)


def test_ordered_routing_needs_a_whole_grid() -> None:
    """A lost router is refused under west-first routing."""
    with pytest.raises(InputError, match="needs a whole grid"):
        faults(network("mesh:3x3"), ["aab"], Rules(routing="west-first"), kind="router")


@pytest.mark.parametrize("fault", ["01>10", "12>20", "32>21"])
def test_all_to_all_scatter(fault: str) -> None:
    """All-to-all scatter takes 9 steps with shortest paths, as in the paper, and 8 with any."""
    minimal, free = planned(fault, "AAS"), planned(fault, "AAS", Rules(routing="any"))
    assert (minimal.num_steps, minimal.status) == (9, "optimal")
    assert (free.num_steps, free.status) == (8, "optimal")


def test_what_leaves_nothing_to_study_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bad settings, no collective, too many messages, and more faults than a study has room for."""
    with pytest.raises(InputError, match="`options` is 0"):
        faults(network("ring:4"), ["aas"], options=0)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="fault kind 'cable'"):
        faults(network("ring:4"), ["aas"], kind="cable")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no collective was named; give at least one, for example aas"):
        faults(network("ring:4"), [])
    with pytest.raises(InputError, match=r"AAS on torus:128x128 has 268,419,072 messages; at most 50,000,000 fit"):
        faults(network("torus:128x128"), ["aas"])
    monkeypatch.setattr("pavane.campaign.fault_study.MOST_FAULTS", 3)
    with pytest.raises(InputError, match="network ring:4 has 4 link faults; at most 3 fit"):
        faults(network("ring:4"), ["aas"], kind="link")


class Interrupted:
    """Stands for a search that somebody interrupts at its n-th call."""

    def __init__(self, calls: int) -> None:
        self.calls = calls

    def __call__(self, problem: Problem, *options: Any, **settings: Any) -> Result:
        """Answer, or be interrupted."""
        self.calls -= 1
        if not self.calls:
            raise KeyboardInterrupt
        return find_or_interrupt(problem, *options, **settings)


def test_an_interrupt_keeps_what_is_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is planned after an interrupt; what was before is in the table, and the rest is marked in it."""
    path, kinds = network("mesh:2x3"), ["aas", "oas"]
    whole = faults(path, kinds)
    called = Interrupted(6)
    monkeypatch.setattr("pavane.campaign.runs.find_or_interrupt", called)
    part = faults(path, kinds)
    assert called.calls == 0
    assert not part.is_proven
    assert part.num_missing > 0
    assert not whole.num_missing
    planned = 0
    for mine, full in zip((part.no_fault, *part.rows), (whole.no_fault, *whole.rows), strict=True):
        for replan, expected in zip(mine.replans, full.replans, strict=True):
            if replan.outcome == "not planned":
                assert replan.steps is None
            else:
                assert (replan.outcome, replan.steps, replan.same_as) == (
                    expected.outcome,
                    expected.steps,
                    expected.same_as,
                )
                planned += replan.same_as is None
    assert planned == 5
    assert all("not planned" not in part.impossible(at) for at in range(2))


def test_a_search_that_was_interrupted_ends_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C within a search that has a schedule already is not taken for its answer."""
    put(monkeypatch, "greedy", interrupt_at(6))
    study = faults(network("random-regular:8,3,1"), ["oas", "aas"])
    assert study.num_missing


def test_its_short_form_counts_faults() -> None:
    """Faults, not re-plans."""
    made = faults(network("ring:4"), ["broadcast", "aas"], kind="link", options=SearchOptions(seconds=5.0))
    assert repr(made) == "<FaultStudy: broadcast (OAB), alltoall (AAS) on ring:4, 4 faults>"


def test_equal_rows_are_grouped() -> None:
    """The table of gecco08 is short: the faults that cost most, then all other; figures that got worse are marked."""
    study = faults(KAUTZ, ["oab", "aab", "oas", "aas"])
    lines = list(study.table(groups=True).lines())
    assert [line.split() for line in lines[:2]] == [["fault", "OAB", "AAB", "OAS", "AAS"], ["no", "fault", *"2447"]]
    assert lines[-1].split() == ["all", "other", "(31)", "2", "6*", "4", "9*"]
    assert len(study.table().rows) == 37
    assert any("faults by steps: 31 at 4, 2 at 5, 3 at 6" in line for line in study.summary())


def test_figures_that_are_not_proven_have_their_bounds_beside_them() -> None:
    """Values are numbers in files, and an interrupted study marks what is missing."""
    study = faults(network("ring:4"), ["aas", "oas"])
    (first, other), rest = study.rows[0].replans, study.rows[1:]
    assert first.run is not None
    loose = Replan("feasible", msgspec.structs.replace(first.run, figure=9, bound=8, proven=False))
    part = dataclasses.replace(study, rows=(FaultRow(study.rows[0].fault, (loose, Replan("not planned"))), *rest))
    table = part.table()
    assert table.titles == ["fault", "AAS", "AAS bound", "OAS", ""]
    assert table.rows[1][1:4] == [9, 8, "not planned"]
    assert (table.cells()[1][1], part.num_missing, part.is_proven) == ("9*", 1, False)
    assert other.steps == 3


def test_pieces_are_named_below() -> None:
    """Steps by pieces are message times."""
    ring = network("ring:4")
    summary = faults(ring, [named("AAB", ring, pieces=2), "AAB"]).summary()
    assert "pieces      steps by 2 pieces are message times" in summary
    assert summary[0].startswith("worst       AAB 2 pieces  6 steps, 3 without a fault; faults by steps: ")


def test_finished_plans_are_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same study reads them from its file; another seed or time limit is another plan."""
    made: list[str] = []

    def noted(problem: Problem, *options: Any, **settings: Any) -> Result:
        made.append(problem.network.name)
        return find_or_interrupt(problem, *options, **settings)

    monkeypatch.setattr("pavane.campaign.runs.find_or_interrupt", noted)
    file = tmp_path / "runs.jsonl"
    first = faults(network("ring:5"), ["aas"], file=file)
    assert len(made) == len(file.read_text().splitlines()) == 2
    assert faults(network("ring:5"), ["aas"], file=file).rows == first.rows
    assert len(made) == 2
    faults(network("ring:5"), ["aas"], options=SearchOptions(seed=1), file=file)
    faults(network("ring:5"), ["aas"], options=SearchOptions(seconds=50.0), file=file)
    assert len(made) == 6


def test_what_is_lost_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A re-plan whose worker was killed twice has no answer, and is made again next time."""
    monkeypatch.setattr("pavane.campaign.runs._search", lambda *_: WorkerLost("killed"))
    found = faults(network("ring:4"), ["aas"], file=tmp_path / "runs.jsonl")
    assert [(replan.outcome, replan.steps) for replan in found.no_fault.replans] == [("failed", None)]
    assert (tmp_path / "runs.jsonl").read_text() == ""

"""What an atlas knows: judged when it is read, carried over to other numbers, and never more than is proven."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pavane.atlas.atlas_file import SHIPPED, AtlasFile, AtlasRow, shipped_file
from pavane.atlas.blobs import packed_bound, packed_problem, packed_schedule, read_bound, read_schedule_columns
from pavane.atlas.forms import form_of
from pavane.atlas.known import all_known, known_by_key, known_of, row_of, stored_problem
from pavane.errors import InputError
from pavane.judge.certificates import proven_steps
from pavane.judge.result import Provenance, Result
from pavane.judge.rules import verify
from pavane.model.bound import Bound
from pavane.model.schedule import Schedule
from pavane.search.synthesis import solve
from tests.atlas.relabelling import relabelled
from tests.problems import problem_of

PROBLEM = problem_of("octagon", "AAS")
FOUND = solve(PROBLEM)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return an atlas that knows the octagon."""
    path = tmp_path / "atlas.sqlite"
    with AtlasFile(path, is_written=True) as atlas:
        atlas.keep([row_of(FOUND, seconds=2.0)])
    return path


def silent(text: str) -> None:
    """Take no note."""
    raise AssertionError(text)


def test_a_known_problem_is_found_under_other_numbers(path: Path) -> None:
    """Whoever asks gets a schedule in their own numbers, valid, with the solver that found it, said to be stored."""
    other = relabelled(PROBLEM, 3)
    with AtlasFile(path) as atlas:
        known = known_of(atlas, other, silent)
        assert known_of(atlas, problem_of("octagon", "AAB"), silent).result is None
    assert known.is_settled
    assert known.result is not None
    assert known.result.problem is other
    assert known.result.schedule is not None
    assert verify(other, known.result.schedule) == []
    assert known.result.num_steps == FOUND.num_steps
    assert known.result.bound is not None
    assert proven_steps(other, known.result.bound) >= known.result.bound.steps
    about = known.result.provenance
    assert (about.solver, about.is_claimed) == (f"atlas: {FOUND.provenance.solver}", True)


def test_effort_is_known(path: Path) -> None:
    """A problem that had as much time, and as many evaluations, is not searched again for that."""
    with AtlasFile(path) as atlas:
        known = known_of(atlas, PROBLEM, silent)
        unknown = known_of(atlas, problem_of("octagon", "AAB"), silent)
    assert known.has_effort(2.0, None)
    assert not known.has_effort(2.5, None)
    assert not known.has_effort(1.0, 100)
    assert not unknown.has_effort(None, None)


def test_what_came_from_an_atlas_keeps_its_finder(path: Path) -> None:
    """Kept again, a schedule has the name of its solver, not that of the atlas."""
    with AtlasFile(path) as atlas:
        found = known_of(atlas, PROBLEM, silent).result
    assert found is not None
    assert row_of(found).figures.solver == FOUND.provenance.solver


def test_a_row_keeps_what_the_judge_proves() -> None:
    """A bound that is claimed too high is not kept, an exhaustive search only as a claim."""
    bounds = (
        Bound(9, "exhaustive", {}),
        Bound(7, "router", {"routers": [0]}),
        Bound(3, "injection", FOUND.bounds[-1].certificate),
    )
    row = row_of(Result(PROBLEM, FOUND.schedule, bounds, Provenance("mine")))
    assert row.figures.exhaustive == 9
    assert row.figures.bound is None or row.figures.bound <= 4
    assert row.figures.bound != 7


# -- forged rows


def spoilt(change: str) -> AtlasRow:
    """Return the row of the octagon with something forged."""
    row = row_of(FOUND)
    schedule = read_schedule_columns(row.schedule)
    bound = read_bound(row.certificate)
    shorter = Schedule.from_transfers([t._replace(step=max(0, t.step - 1)) for t in schedule])
    parts: dict[str, dict[str, Any]] = {
        "fewer steps than the schedule has": {"figures": replace(row.figures, steps=3)},
        "no schedule": {"schedule": None},
        "no bytes": {"schedule": b"junk"},
        "text": {"schedule": "text"},
        "a schedule with conflicts": {
            "figures": replace(row.figures, steps=shorter.num_steps),
            "schedule": packed_schedule(shorter),
        },
        "a schedule of another problem": {
            "figures": replace(row.figures, steps=1),
            "schedule": packed_schedule(solve(problem_of("line:2", "AAS")).schedule or schedule),
        },
        "a higher bound than is proven": {
            "figures": replace(row.figures, bound=9),
            "certificate": packed_bound(replace(bound, steps=9)),
        },
        "a higher bound than its certificate says": {"figures": replace(row.figures, bound=9)},
        "a certificate of junk": {"certificate": packed_bound(Bound(4, "router", {"routers": "all"}))},
        "a certificate without prices": {"certificate": packed_bound(Bound(4, "prices", {"channels": [[]]}))},
        "text for a certificate": {"certificate": "text"},
        "a number for prices": {"certificate": packed_bound(Bound(4, "prices", {"channels": 5}))},
        "an exhaustive search": {
            "figures": replace(row.figures, bound=9),
            "certificate": packed_bound(Bound(9, "exhaustive", {})),
        },
    }
    return replace(row, **parts[change])


@pytest.mark.parametrize(
    "change",
    [
        "fewer steps than the schedule has",
        "no schedule",
        "no bytes",
        "text",
        "a schedule with conflicts",
        "a schedule of another problem",
    ],
)
def test_forged_schedules_are_dropped(change: str, tmp_path: Path) -> None:
    """A schedule that fails is told in one line and dropped; the bound beside it stays."""
    _dropped(spoilt(change), tmp_path / "atlas.sqlite", "a schedule of", is_bound_left=True)


@pytest.mark.parametrize(
    "change",
    [
        "a higher bound than is proven",
        "a higher bound than its certificate says",
        "a certificate of junk",
        "a certificate without prices",
        "text for a certificate",
        "a number for prices",
        "an exhaustive search",
    ],
)
def test_forged_bounds_are_dropped(change: str, tmp_path: Path) -> None:
    """A bound that is not proven is told in one line and dropped; the schedule beside it stays."""
    _dropped(spoilt(change), tmp_path / "atlas.sqlite", "a bound of", is_bound_left=False)


def _dropped(row: AtlasRow, path: Path, text: str, *, is_bound_left: bool) -> None:
    with AtlasFile(path, is_written=True) as atlas:
        atlas.keep([row])
    for _ in range(2):  # who only reads leaves the file as it is
        told: list[str] = []
        with AtlasFile(path) as atlas:
            known = known_of(atlas, PROBLEM, told.append)
        assert len(told) == 1
        assert text in told[0]
        assert " of alltoall (AAS) on octagon is dropped: " in told[0]
        assert "\n" not in told[0]
        assert not known.is_settled
        assert known.result is not None
        assert (known.result.schedule is None) == is_bound_left
        assert (known.result.bound is not None) == is_bound_left
    with AtlasFile(path, is_written=True) as atlas:
        known_of(atlas, PROBLEM, told.append)
        known_of(atlas, PROBLEM, silent)
        atlas.keep([row_of(FOUND)])
        assert known_of(atlas, PROBLEM, silent).is_settled


def test_any_column_may_be_forged(path: Path) -> None:
    """Whatever a forger writes into a row, reading it raises nothing but one clear line."""
    columns = ("steps", "bound", "schedule", "certificate", "solver", "seed", "version", "problem")
    for column in columns:
        for value in (None, -1, 2**62, 1.5, "x" * 100, b"\x00" * 50, b""):
            if column == "problem" and value is None:
                continue
            with closing(sqlite3.connect(path)) as file:
                old = file.execute(f"SELECT {column} FROM problems").fetchone()[0]
                file.execute(f"UPDATE problems SET {column} = ?", (value,))
                file.commit()
            told: list[str] = []
            with AtlasFile(path) as atlas:
                known = known_of(atlas, PROBLEM, told.append)
                list(all_known(atlas, told.append))
            assert known.result is None or known.result.num_steps in (None, FOUND.num_steps)
            with closing(sqlite3.connect(path)) as file:
                file.execute(f"UPDATE problems SET {column} = ?", (old,))
                file.commit()


# -- rows by their keys


def test_rows_are_shown_as_they_were_kept_first(path: Path) -> None:
    """By its key a row has the names and numbers of whoever kept it first."""
    with AtlasFile(path, is_written=True) as atlas:
        atlas.keep([row_of(solve(relabelled(PROBLEM, 3)))])
        (said,) = atlas.figures()
        found = known_by_key(atlas, said.key, silent)
        assert found is not None
        assert found.problem == PROBLEM
        assert found.status == "optimal"
        assert known_by_key(atlas, "0" * 64, silent) is None


def test_a_row_of_another_problem_is_told(path: Path) -> None:
    """A row whose problem is not that of its key cannot be shown."""
    other = row_of(FOUND)
    with AtlasFile(path, is_written=True) as atlas:
        atlas.remove(other.figures.key)
        atlas.keep([replace(other, problem=packed_problem(problem_of("ring:4", "AAS")))])
        told: list[str] = []
        assert [found for _, found in all_known(atlas, told.append)] == [None]
        assert "its problem does not match its key" in told[0]
        row = atlas.row(other.figures.key)
        assert row is not None
        with pytest.raises(InputError, match="does not match its key"):
            stored_problem(row)


def test_a_small_row_cannot_ask_for_much(path: Path) -> None:
    """A few bytes describe a problem of 16 million messages; its row is told, and nothing is listed for it."""
    huge = problem_of("ring:4000", "AAS")
    row = replace(row_of(FOUND), problem=packed_problem(huge))
    with AtlasFile(path, is_written=True) as atlas:
        atlas.remove(row.figures.key)
        atlas.keep([row])
        told: list[str] = []
        assert [found for _, found in all_known(atlas, told.append)] == [None]
    assert "its problem has 15,996,000 deliveries; at most 5,000,000 are read" in told[0]


def test_a_short_schedule_of_a_large_problem_is_dropped_at_once(path: Path) -> None:
    """Fewer messages than there are cannot be all; the messages of the problem are not even listed."""
    large = problem_of("ring:300", "AAS")
    row = row_of(FOUND)
    form = form_of(large)
    with AtlasFile(path, is_written=True) as atlas:
        atlas.keep([replace(row, figures=replace(row.figures, key=form.key, bound=None), certificate=None)])
        told: list[str] = []
        known = known_of(atlas, large, told.append, form)
    assert known.result is None
    assert "it carries 56 messages, and there are 89,700" in told[0]
    assert "messages" not in vars(form.renumbering)


# -- the atlas of the package


def test_the_shipped_atlas_is_whole_and_small() -> None:
    """It has a few megabytes, more than a thousand problems, most of them proven; the examples of all families too."""
    assert shipped_file().stat().st_size < 10 * 2**20
    with AtlasFile(SHIPPED) as atlas:
        rows = list(atlas.figures())
        assert len(rows) > 2_000
        assert sum(row.is_closed for row in rows) > 0.9 * len(rows)
        assert all(row.canonical for row in rows)
        for family in ("octagon", "kautz:3,2", "fat-tree:4", "dgx-1"):
            for kind in ("OAB", "OAS", "AAB", "AAS"):
                known = known_of(atlas, problem_of(family, kind), silent)
                assert known.result is not None
                assert known.result.schedule is not None


def test_rows_of_the_shipped_atlas_hold() -> None:
    """A row in forty is judged here, `pavane atlas verify shipped` judges all."""
    with AtlasFile(SHIPPED) as atlas:
        keys = [row.key for row in atlas.figures()]
        for key in keys[::40]:
            known_by_key(atlas, key, silent)


def test_the_shipped_atlas_is_only_read() -> None:
    """Whoever opens it for writing reads it."""
    with AtlasFile(SHIPPED, is_written=True) as atlas:
        assert not atlas.is_written
        assert atlas.is_shipped

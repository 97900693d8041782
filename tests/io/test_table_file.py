"""Table files: small, read as they were written, refused in one line where they are not so."""

from __future__ import annotations

import contextlib
import copy
import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.errors import InputError, PavaneError
from pavane.io import parse_schedule, read_problem, read_schedule, schedule_bytes, write_schedule
from pavane.io.table_file import MOST_NUMBER
from pavane.judge.result import Provenance, Result
from pavane.model.channel_kinds import grid_translations
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.symmetric_schedule import Clock, SymmetricSchedule
from pavane.networks import network
from pavane.search.tables import solve_by_table

COLUMNS = (
    "translations",
    "steps",
    "senders",
    "messages",
    "run_offsets",
    "run_kinds",
    "run_lengths",
    *("row_clocks", "row_phases"),
    *("routers", "receivers", "run_processors"),
)


def solved(text: str = "torus:4x4") -> Result:
    """Return an all-to-all by its table."""
    result = solve_by_table(Problem(network(text), "alltoall"))
    assert result is not None
    return result


def assert_same(one: SymmetricSchedule, other: SymmetricSchedule) -> None:
    """Check that two tables are the same, entry by entry."""
    assert one.num_steps == other.num_steps
    for name in COLUMNS:
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert [clock.moduli for clock in one.clocks] == [clock.moduli for clock in other.clocks]
    for mine, theirs in zip(one.clocks, other.clocks, strict=True):
        assert np.array_equal(mine.increments, theirs.increments)


# -- round trips


@pytest.mark.parametrize("name", ["table.json", "table.json.gz"])
@pytest.mark.parametrize("text", ["torus:6x4", "torus:4x4x4"])
def test_tables_are_read_as_they_were_written(text: str, name: str, tmp_path: Path) -> None:
    """A table survives a file, packed or not, and the problem with it."""
    result = solved(text)
    result.save(tmp_path / name)
    again = read_schedule(tmp_path / name).result()
    assert read_problem(tmp_path / name) == again.problem == result.problem
    assert isinstance(again.table, SymmetricSchedule)
    assert isinstance(result.table, SymmetricSchedule)
    assert_same(again.table, result.table)
    assert (again.provenance.solver, again.claims) == (result.provenance.solver, result.bounds)


def test_a_network_of_the_catalogue_is_written_as_its_text(tmp_path: Path) -> None:
    """A file says a network in words only where these mean the same network."""
    write_schedule(tmp_path / "t.json", solved())
    content = json.loads((tmp_path / "t.json").read_text())
    assert content["problem"]["network"] == "torus:4x4"
    assert content["problem"]["collective"] == {"kind": "AAS"}
    assert content["translations"] == {"sizes": [4, 4]}
    known = network("torus:4x4")
    for name in ("torus:4x4", "mine", "torus:4x5"):
        other = Network(name, known.num_routers, known.channels.tolist())
        result = solve_by_table(Problem(other, "alltoall"))
        assert result is not None
        content = json.loads(schedule_bytes(result))
        assert content["problem"]["network"]["name"] == name
        assert parse_schedule(json.dumps(content).encode(), "t.json").result().problem == result.problem


def test_a_large_table_is_a_small_file(tmp_path: Path) -> None:
    """The schedule of 268 million transfers takes less than 64 KiB."""
    solved("torus:128x128").save(tmp_path / "t.json.gz")
    assert (tmp_path / "t.json.gz").stat().st_size < 2**16


COMPOSED = (
    ("mesh:3x4", "alltoall", Rules("store-and-forward")),
    ("mesh:3x3x3", "alltoall", Rules("store-and-forward")),
    ("rails:4,3", "alltoall", Rules("store-and-forward", switches="pass")),
    ("kary-tree:2,3", "alltoall", Rules()),
    ("fat-tree:4", "alltoall", Rules(ports=1)),
)


def composed(text: str, kind: str, rules: Rules) -> Result:
    """Return a collective on a network whose routers do not look alike, by its table."""
    result = solve_by_table(Problem(network(text), kind, rules))
    assert result is not None
    return result


@pytest.mark.parametrize(("text", "kind", "rules"), COMPOSED)
def test_tables_of_other_kinds_are_read_as_they_were_written(text: str, kind: str, rules: Rules) -> None:
    """Exchanges of a mesh, and paths over switches, survive a file, with bounds, and are judged again."""
    result = composed(text, kind, rules)
    content = schedule_bytes(result)
    again = parse_schedule(content, "table.json").result()
    assert schedule_bytes(again) == content
    assert again.status == result.status
    assert again.problem == result.problem
    assert again.table is not None
    assert result.table is not None
    assert again.table.expand(again.problem) == result.table.expand(result.problem)


@pytest.mark.parametrize(
    ("case", "change", "text"),
    [
        (0, lambda file: file["exchanges"]["sizes"].pop(), "do not make a mesh of 12 routers"),
        (0, lambda file: file["exchanges"]["starts"][1].pop(), "do not have an entry for each pair or displacement"),
        (0, lambda file: file["exchanges"]["firsts"][0].pop(), "do not have an entry for each pair or displacement"),
        (0, lambda file: file.pop("exchanges"), "either `translations` and `rows`, or `exchanges`"),
        (0, lambda file: file.update(rows=3), "expected `object . null`, got `int`"),
        (2, lambda file: file["translations"]["routers"][0].pop(), "in `routers` of `translations` does not have 19"),
        (2, lambda file: file["rows"]["receivers"].pop(), "and another column is not as long"),
        (2, lambda file: file["rows"]["processors"].pop(), "and a column of these is not as long"),
        (2, lambda file: file["rows"]["receivers"].__setitem__(0, 2**40), "a number of `receivers` is too large"),
    ],
)
def test_tables_of_other_kinds_that_do_not_fit(case: int, change: Any, text: str) -> None:
    """Columns of the wrong length, and files of no table, are refused in one line."""
    content = json.loads(schedule_bytes(composed(*COMPOSED[case])))
    change(content)
    with pytest.raises(InputError, match=text):
        parse_schedule(json.dumps(content).encode(), "table.json")


def leaves(content: Any) -> list[tuple[Any, Any]]:
    """Return the place of every number of a file: what holds it, and under which key or index."""
    held = list(content.items() if isinstance(content, dict) else enumerate(content))
    inside = [place for _, value in held if isinstance(value, (dict, list)) for place in leaves(value)]
    return inside + [(content, key) for key, value in held if isinstance(value, int)]


@pytest.mark.parametrize(("text", "kind", "rules"), [*COMPOSED, ("torus:4x4", "alltoall", Rules())])
def test_any_number_of_a_table_may_be_wrong(text: str, kind: str, rules: Rules) -> None:
    """A file with a few numbers changed is refused, or is a valid table as the judge of schedules has it."""
    content = json.loads(schedule_bytes(composed(text, kind, rules)))
    rng = random.Random(3)
    for _ in range(60):
        spoiled = copy.deepcopy(content)
        (part,) = (spoiled[key] for key in ("exchanges", "rows") if key in spoiled)
        for _ in range(rng.choice([1, 2])):
            place, key = rng.choice(leaves(rng.choice(list(part.values()))))
            place[key] = rng.choice([-1, 0, 1, 2, 5, 16, 2**31 - 1, 2**40, 2**47])
        with contextlib.suppress(PavaneError):
            result = parse_schedule(json.dumps(spoiled).encode(), "table.json").result()
            assert result.expanded().num_steps == content["steps"]


whole = st.integers(-(2**40), 2**40)
small = st.integers(-(2**31), 2**31 - 1)


@st.composite
def tables(draw: st.DrawFn) -> SymmetricSchedule:
    """Draw any columns, valid or not: a file says what they are."""
    num_rows = draw(st.integers(0, 5))
    num_runs = draw(st.lists(st.integers(0, 3), min_size=num_rows, max_size=num_rows))

    def column(entries: st.SearchStrategy[int], length: int) -> Any:
        return draw(st.lists(entries, min_size=length, max_size=length))

    moduli = draw(st.lists(st.integers(1, 9), max_size=2))
    clock = Clock(tuple(moduli), np.array(column(whole, 4 * len(moduli)), dtype=np.int64).reshape(4, len(moduli)))
    clocks = (clock,) * draw(st.integers(0, 2))
    dimensions = len(moduli) if clocks else 0
    has_permutations = draw(st.booleans())
    permutations = np.array([draw(st.permutations(range(16)))], dtype=np.int32)
    return SymmetricSchedule(
        draw(st.integers(1, MOST_NUMBER)),
        permutations if has_permutations else grid_translations((4, 4)),
        np.array(column(whole, num_rows), dtype=np.int64),
        np.array(column(small, num_rows), dtype=np.int32),
        np.array(column(whole, num_rows), dtype=np.int64),
        np.concatenate([[0], np.cumsum(num_runs, dtype=np.int64)]),
        np.array(column(small, sum(num_runs)), dtype=np.int32),
        np.array(column(small, sum(num_runs)), dtype=np.int32),
        clocks,
        np.array(column(st.integers(-1, 3), num_rows), dtype=np.int32),
        np.array(column(whole, num_rows * dimensions), dtype=np.int64).reshape(num_rows, dimensions),
    )


@given(tables(), st.integers(1, 3), st.sampled_from(["wormhole", "store-and-forward", "tdm"]))
def test_any_columns_are_read_as_they_were_written(table: SymmetricSchedule, pieces: int, switching: Any) -> None:
    """What a table says is left to the judge, and what a file says is the table."""
    torus = network("torus:4x4")
    problem = Problem(torus, named("alltoall", torus, pieces=pieces), Rules(switching))
    made = object.__new__(Result)  # a result that the judge would refuse cannot be made
    for name, value in {"problem": problem, "schedule": None, "table": table, "bounds": ()}.items():
        object.__setattr__(made, name, value)
    for name in ("claims",):
        object.__setattr__(made, name, ())
    object.__setattr__(made, "provenance", Provenance("x"))
    claim = parse_schedule(schedule_bytes(made), "t.json")
    assert claim.problem == problem
    assert isinstance(claim.content, SymmetricSchedule)
    assert_same(claim.content, table)
    with contextlib.suppress(PavaneError):
        claim.result()


# -- refusals


def with_(path: str, value: Any) -> str:
    """Return a table file with another value at a path like `rows.steps.0`; None leaves the key out."""
    content = json.loads(schedule_bytes(solved()))
    *keys, last = [int(key) if key.isdecimal() else key for key in path.split(".")]
    place = content
    for key in keys:
        place = place[key]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return json.dumps(content)


@pytest.mark.parametrize(
    ("path", "value", "text"),
    [
        ("problem", None, "missing required field `problem`"),
        ("problem.network", "nonsense", "unknown network family 'nonsense'"),
        ("problem.network", "torus:9999999x9999999", "give smaller parameters"),
        ("problem.network", 7, "expected `str | object`, got `int`"),
        ("problem.collective.pieces", 49_000_000, "15 rows cannot carry 784,000,000 pieces"),
        ("steps", 0, "expected `int` >= 1"),
        ("steps", 2**60, "expected `int` <="),
        ("translations.sizes", [4, 5], "do not make a grid of 16 processors"),
        ("translations.permutations", [[0]], "either `sizes` or `permutations`"),
        ("translations", {"permutations": [[0, 1]]}, "does not have 16 processors"),
        ("translations", {"permutations": [[2**40] * 16]}, "a number of `permutations` is too large"),
        ("rows.steps", [1], "another column is not as long"),
        ("rows.steps", [2**48] * 15, "the sums of differences are too large"),
        ("rows.runs.0", -1, "runs, and a column of these is not as long"),
        ("rows.kinds", [], "runs, and a column of these is not as long"),
        ("rows.kinds.0", 2**33, "a number of `kinds` is too large"),
        ("rows.phases", [[0] * 15] * 3, "3 lists of phases, and its clocks 2 dimensions"),
        ("rows.phases.0", [0], "another column is not as long"),
        ("rows.clocks.0.moduli.0", 0, "expected `int` >= 1"),
        ("rows.clocks.0.increments.0", [1], "a clock has no increment for each of its moduli"),
        ("rows.colour", 1, "unknown field `colour`"),
        ("bounds", [{"steps": 2}], "missing required field `argument`"),
        ("provenance", {"solver": "a\nb"}, "not printable"),
    ],
)
def test_spoiled_files_get_one_line(path: str, value: Any, text: str) -> None:
    """Whatever is wrong with a table file, one line says what, and where."""
    with pytest.raises(InputError, match=re.escape(text)) as caught:
        parse_schedule(with_(path, value).encode(), "t.json")
    assert str(caught.value).startswith("t.json: ")
    assert "\n" not in str(caught.value)


def test_another_network_is_refused(tmp_path: Path) -> None:
    """A table file says itself which network it is for."""
    solved().save(tmp_path / "t.json")
    with pytest.raises(InputError, match="says itself which network"):
        read_schedule(tmp_path / "t.json", network("torus:4x4"))

"""Sizes of messages as people write them: lists, and tables with or without commas."""

from __future__ import annotations

from pathlib import Path

import pytest

from pavane.errors import InputError
from pavane.io.sizes import sizes_of
from pavane.model.collectives import in_pieces, named
from pavane.model.messages import Collective
from pavane.networks import network

RING = network("ring:4")
TABLE = "0,1,2,3\n4,0,5,6\n1,1,0,1\n0,0,2,0\n"


def of(kind: str, **members: object) -> Collective:
    """Return a collective on a ring of 4."""
    return named(kind, RING, **members)  # type: ignore[arg-type]


def read(text: str, collective: Collective) -> Collective:
    """Return the collective with the sizes that a text says."""
    return in_pieces(collective, 1, sizes_of(text, collective, RING.num_processors))


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file that a test writes its table to."""
    monkeypatch.chdir(tmp_path)
    return Path("t.csv")


def test_a_list_says_single_messages() -> None:
    """What is not listed has one unit; 0 takes a message out."""
    assert read("0>1:3, 2>0 : 0", of("alltoall")).sizes == ((0, 1, 3), (2, 0, 0))
    for kind in ("allgather", "reduce-scatter"):
        assert read("3:2,1:1,0:5", of(kind)).sizes == ((0, 5), (3, 2))
    assert read("0:7", of("reduce")).sizes == ((0, 7),)
    # One end is enough where the other is the root.
    assert read("2:3,1>3:0", of("scatter", root=1)).sizes == ((1, 2, 3), (1, 3, 0))
    assert read("2:3,3>1:0", of("gather", root=1)).sizes == ((2, 1, 3), (3, 1, 0))


@pytest.mark.parametrize("text", [TABLE, TABLE.replace(",", ";"), TABLE.replace(",", "\t"), TABLE.replace(",", "  ")])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\n\n"])
def test_a_table_has_a_row_for_each_sender(text: str, ending: str, written: Path) -> None:
    """Commas, semicolons, tabs or blanks stand between its numbers; the diagonal does not travel."""
    written.write_bytes(text.replace("\n", ending).encode("utf-8-sig"))
    sizes = read("t.csv", of("alltoall")).sizes
    expected = {(o, t): int(n) for o, row in enumerate(TABLE.split()) for t, n in enumerate(row.split(","))}
    assert {size[:2]: size[2] for size in sizes} == {
        ends: units for ends, units in expected.items() if ends[0] != ends[1] and units != 1
    }


@pytest.mark.parametrize("text", ["9,2,0,5", "9\n2\n0\n5\n", "9 2 0 5"])
def test_one_number_a_processor(text: str, written: Path) -> None:
    """As the counts of MPI's v-collectives: the root's own number may be anything, for it does not travel."""
    written.write_text(text)
    assert read("t.csv", of("scatter")).sizes == ((0, 1, 2), (0, 2, 0), (0, 3, 5))
    assert read("t.csv", of("gather")).sizes == ((1, 0, 2), (2, 0, 0), (3, 0, 5))
    assert read("t.csv", of("allgather")).sizes == ((0, 9), (1, 2), (2, 0), (3, 5))
    assert read("t.csv", of("reduce-scatter")).sizes == ((0, 9), (1, 2), (2, 0), (3, 5))


@pytest.mark.parametrize(
    ("kind", "text", "error"),
    [
        ("alltoall", "0>1", "'0>1' is not a size; write a list like '0>5:3,1>4:2'"),
        ("alltoall", "1:3", "'1:3' is not a size; write a list like '0>5:3,1>4:2'"),
        ("allgather", "0>1:3", "'0>1:3' is not a size; write a list like '0:3,1:2'"),
        ("alltoall", "0>1:x", "'0>1:x' is not a size"),
        ("alltoall", "t.csv", "`sizes` 't.csv': 't.csv' is not a size; write a list"),
        ("alltoall", "0>9:2", "a size is given for message 0>9, which it does not have; leave it out"),
    ],
)
def test_lists_that_cannot_be(kind: str, text: str, error: str) -> None:
    """One line says which entry is wrong and what is wanted."""
    # What is no list is taken for a file, unless files may not be opened.
    collective = of(kind)
    with pytest.raises(InputError) as refused:
        in_pieces(collective, 1, sizes_of(text, collective, 4, may_open=False))
    assert error in str(refused.value)


@pytest.mark.parametrize(
    ("kind", "text", "error"),
    [
        (
            "alltoall",
            "a,b,c,d\n" + TABLE,
            "t.csv, line 1, column 1: 'a' is not a number of units; write a whole",
        ),
        ("alltoall", TABLE.replace("5", "-5"), "t.csv, line 2, column 3: '-5' is not a number of units"),
        ("alltoall", TABLE.replace("5", ""), "t.csv, line 2, column 3: '' is not a number of units"),
        ("alltoall", "1,2\n3\n", "does not fit AAS; give 4 rows of 4 numbers, 0 where nothing is sent"),
        ("gather", "1,2,3,4,5", "does not fit AOG; give 4 numbers"),
        ("allgather", TABLE, "AAB has a size for each processor; give one row, or one column"),
        ("scatter", TABLE, "row 2, column 1 gives units to message 1>0, which OAS does not have; write 0 there"),
        ("broadcast", "3,2,0,0", "number 2 gives units to message 1, which OAB does not have; write 0 there"),
    ],
)
def test_tables_that_do_not_fit(kind: str, text: str, error: str, written: Path) -> None:
    """One line says where the table is wrong and what is wanted."""
    written.write_text(text)
    with pytest.raises(InputError) as refused:
        read("t.csv", of(kind))
    assert error in str(refused.value)
    assert str(refused.value).startswith("t.csv")


def test_files_that_are_no_tables(written: Path) -> None:
    """No file, and one that is no text."""
    with pytest.raises(InputError, match=r"^none\.csv: cannot be read"):
        read("none.csv", of("alltoall"))
    written.write_bytes(b"\xff\xfe1,2")
    with pytest.raises(InputError, match=r"^t\.csv, line 1: this is not UTF-8 text"):
        read("t.csv", of("alltoall"))

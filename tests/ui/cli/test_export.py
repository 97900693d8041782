"""`pavane export`: schedules in formats of others."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from pavane.io import write_schedule
from pavane.io.exports import EXPORTS
from pavane.judge.result import Result
from pavane.model.collectives import in_pieces
from pavane.model.schedule import Schedule, Transfer
from tests.problems import problem_of
from tests.ui.cli.calls import Call


def test_the_formats_are_listed(call: Call) -> None:
    """Each on a line of its own, its name first and one sentence about it; --json also has endings and files."""
    lines = call.good("export", "--list").splitlines()
    assert [line.split()[0] for line in lines] == list(EXPORTS)
    for line, export in zip(lines, EXPORTS.values(), strict=True):
        assert line.endswith(export.about)
        assert len(line) <= 120
    told = json.loads(call.good("export", "--list", "--json"))
    assert [row["name"] for row in told] == list(EXPORTS)
    assert told[0] == {"name": "csv", "about": EXPORTS["csv"].about, "ending": ".csv", "files": 1}
    assert {row["name"]: row["files"] for row in told}["simgrid"] == 3


def test_a_piece_has_at_least_a_byte(call: Call) -> None:
    """Messages in pieces have as many bytes at least; formats that cannot carry sizes say so in one line."""
    call.good("solve", "ring:4", "aab", "--pieces", "3", "--method", "greedy", "-o", "cut.json")
    answer = call("export", "cut.json", "--to", "goal", "--bytes", "2")
    assert answer.is_refusal("--bytes 2: a message in 3 pieces needs at least 3 bytes")
    assert "send 21846b to" in call.good("export", "cut.json", "--to", "goal", "--bytes", "64KiB")
    assert "send 1b" in call.good("export", "cut.json", "--to", "goal", "--bytes", "3")
    call.good("solve", "ring:4", "aab", "--sizes", "0:3,1:0", "--method", "greedy", "-o", "sized.json")
    answer = call("export", "sized.json", "--to", "msccl-xml", "-o", "out.xml")
    assert answer.is_refusal("sized.json: msccl-xml cannot carry this schedule: messages have sizes of their own")
    assert not Path("out.xml").exists()


@pytest.mark.parametrize("name", [name for name in EXPORTS if EXPORTS[name].num_files == 1])
def test_one_file_goes_to_stdout_or_where_it_is_asked_for(call: Call, tmp_path: Path, name: str) -> None:
    """Without -o the text is printed, with -o FILE nothing is printed and the file has the same, -o FOLDER names it."""
    call.good("solve", "ring:4", "aab", "-o", "ring.json")
    text = call.good("export", "ring.json", "--to", name)
    assert text
    assert call.good("export", "ring.json", "--to", name, "-o", "out") == ""
    assert (tmp_path / "out").read_text(encoding="utf-8") == text
    (tmp_path / "folder").mkdir()
    assert call.good("export", "ring.json", "--to", name, "-o", "folder") == ""
    (made,) = (tmp_path / "folder").iterdir()
    assert made.name == f"ring{EXPORTS[name].ending}"
    assert made.read_text(encoding="utf-8") == text


def test_several_files_go_into_a_folder(call: Call, solved: Path, tmp_path: Path) -> None:
    """A folder is made where there is none, and gets files named after the schedule."""
    folder = tmp_path / "new"
    assert call.good("export", solved, "--to", "simgrid", "-o", folder, "--bytes", "2kB") == ""
    names = {file.name for file in folder.iterdir()}
    assert names == {"ring.platform.xml", "ring.transfers.csv", "ring.replay.py"}
    rows = csv.DictReader(io.StringIO((folder / "ring.transfers.csv").read_text(encoding="utf-8")))
    assert {row["bytes"] for row in rows} == {"2000"}


def test_a_strange_name_does_not_get_into_programs(call: Call, solved: Path, tmp_path: Path) -> None:
    """Files are named after the schedule file by letters that every program can bear."""
    strange = tmp_path / 'a "b" é.json'
    strange.write_bytes(solved.read_bytes())
    call.good("export", strange, "--to", "simgrid", "-o", tmp_path / "out")
    assert {file.name.partition(".")[0] for file in (tmp_path / "out").iterdir()} == {"a__b___"}
    compile((tmp_path / "out" / "a__b___.replay.py").read_text(encoding="utf-8"), "replay", "exec")


def test_an_invalid_schedule_is_not_exported(call: Call, solved: Path) -> None:
    """The schedule is judged first: exit 1."""
    told = json.loads(solved.read_text(encoding="utf-8"))
    told["steps"][0].pop()
    solved.write_text(json.dumps(told), encoding="utf-8")
    answer = call("export", solved, "--to", "csv")
    answer.is_one_line(1)
    assert "ring.json: the schedule breaks a rule (never-delivered)" in answer.err


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        ([], ["no schedule file was named"]),
        (["ring.json"], ["no format was named; add --to and one of csv, "]),
        (["ring.json", "--to", "tdm"], ["there is no format 'tdm'; did you mean slot-tables?"]),
        (["ring.json", "--to", "csv", "--bytes", "4"], ["csv says nothing about sizes; leave --bytes out"]),
        (["ring.json", "--to", "goal", "--bytes", "0"], ["--bytes 0: a message needs at least one byte"]),
        (["ring.json", "--to", "goal", "--bytes", "x"], ["--bytes 'x' is not a size"]),
        (["ring.json", "--to", "simgrid"], ["simgrid makes 3 files; name a folder for them: -o FOLDER"]),
        (["ring.json", "--to", "simgrid", "-o", "ring.json"], ["ring.json: simgrid makes 3 files; name a folder"]),
        (["ring.json", "--to", "simgrid", "-o", "no/where"], ["no/where: the folder cannot be made: no such file"]),
        (
            ["ring.json", "--to", "csv", "-o", "no/where.csv"],
            ["no/where.csv: cannot be written: there is no directory"],
        ),
        (["ring.json", "--to", "csv", "--json"], ["--json belongs to --list"]),
        (["ring.json", "--list"], ["--list goes with --json only"]),
        (["none.json", "--to", "csv"], ["none.json: cannot be read: no such file"]),
        (["octagon", "--to", "mpi-c"], ["octagon is a network, and mpi-c carries schedules", "csv, dot or booksim"]),
        (["kautz:2,2", "--to", "booksim"], ["kautz:2,2: booksim cannot carry this network: ", "is one-way"]),
        (["octagn", "--to", "booksim"], ["did you mean octagon?"]),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    call: Call, solved: Path, arguments: list[str], texts: list[str]
) -> None:
    """Bad input: exit 2 and one line that says what, where and how to mend it."""
    assert solved.name == "ring.json"
    assert call("export", *arguments).is_refusal(*texts)


def test_networks_are_exported_too(call: Call, tmp_path: Path) -> None:
    """A network of the catalogue, or a file of one, in the formats that carry networks."""
    call.good("networks", "octagon", "-o", "mine.json")
    anynet = call.good("export", "octagon", "--to", "booksim")
    assert anynet.startswith("router 0 node 0 router 1 ")
    assert call.good("export", "mine.json", "--to", "booksim") == anynet
    call.good("export", "octagon", "--to", "booksim", "-o", "o.anynet")
    assert (tmp_path / "o.anynet").read_text() == anynet
    assert "octagon" in call.good("export", "octagon", "--to", "dot")
    rows = list(csv.DictReader(io.StringIO(call.good("export", "kautz:2,2", "--to", "csv"))))
    assert rows[0] == {"channel": "0", "tail": "01", "head": "10", "capacity": "1"}
    assert len(rows) == 12


def test_many_pieces_make_a_message_larger(call: Call, tmp_path: Path) -> None:
    """Where nobody says how large a message is, every piece has a byte at least."""
    made = problem_of("line:2", "OAB")
    cut = replace(made, collectives=(in_pieces(made.collective, 1025),))
    transfers = [Transfer(piece, 0, 1, (0,), (piece,)) for piece in range(1025)]
    write_schedule(tmp_path / "cut.json", Result(cut, Schedule.from_transfers(transfers)))
    assert call.good("export", "cut.json", "--to", "goal").count("send 1b to") == 1025


def test_the_ending_of_the_file_chooses_the_form(call: Call, tmp_path: Path) -> None:
    """-o FILE.v writes Verilog, FILE.vhd VHDL and so on; stdout, a folder and other endings have text."""
    call.good("solve", "ring:4", "aas", "--switching", "tdm", "--ports", "1", "--method", "greedy", "-o", "ring.json")
    begins = {"v": "// Slot", "vhd": "-- Slot", "csv": "router,slot", "json": '{"format": "pavane/slot-tables/1"'}
    for ending, begin in begins.items():
        call.good("export", "ring.json", "--to", "slot-tables", "-o", f"tables.{ending}")
        assert (tmp_path / f"tables.{ending}").read_text().startswith(begin)
    assert call.good("export", "ring.json", "--to", "slot-tables").startswith(
        "Slot tables of alltoall (AAS) on ring:4, tdm: "
    )

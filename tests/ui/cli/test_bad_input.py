"""Bad input: one line that says what, where and how to mend it; exit code 2; never a traceback."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from pavane.io import write_problem
from pavane.model.collectives import alltoall
from pavane.model.problem import Problem
from pavane.networks import ring
from tests.ui.cli.calls import PROGRAM, Answer, Call, in_a_process

MOST_MEMORY = 400 * 2**20


# -- options: their other refusals are tested where they are raised


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("solve rnig:4 aas", "unknown network family 'rnig'; did you mean ring? `pavane networks` lists them"),
        ("solve ring aas", "network ring: too few parameters; write ring:N[,oneway], for example ring:8"),
        ("networks dgx-a100:99999999", "it would have 3,199,999,968 channels; give smaller parameters"),
        ("solve ring:4 aass", "unknown collective 'aass'; did you mean aas?"),
        ("solve ring:4 mns --senders 9", "--senders '9': processor 9 is out of range; the network has"),
        ("solve ring:4 mns --senders=", "--senders '': '' is neither a processor nor a range"),
        ("solve ring:4 mns --senders 99999999999", "is not a whole number that can be used"),
        ("solve ring:4 oab --root x", "--root 'x' names no single processor; processors are numbered 0 to 3"),
        ("solve ring:4 pairs", "pairs needs --pairs, for example --pairs '0>5,1>4'"),
        ("solve ring:4 aas --root 0", "aas does not take --root; it goes from all to all"),
        ("bounds ring:4 gather --receivers 0", "gather does not take --receivers; it takes --root and --senders"),
        ("solve ring:4 aas --ports many", "--ports 'many' is not a whole number that can be used"),
        ("solve ring:4 aas --duplex=", "duplex '' is not known; choose full or half"),
        ("faults dgx-a100:2 aas --switches pas", "switches 'pas' is not known; choose hold or pass"),
        ("solve ring:4 aas --method gredy", "unknown method 'gredy'; did you mean greedy?"),
        ("solve ring:4 aas --steps 0", "steps 0: a schedule has at least one step; give 1 or more"),
        ("solve ring:4 aas --time nan", "time nan: expected more than 0 seconds"),
        ("solve 'ring:4 less 0-9' aas", "less '0-9': these are no two routers of ring:4; write A-B or A>B with 0, 1"),
        ("solve 'ring:4 less 0>2' aas", "less '0>2': ring:4 has no channel from router 0 to router 2"),
        ("solve 'line:4 less 0-1' aas", "processor 1 (router 1) cannot be reached from processor 0 (router 0)"),
        ("solve ring:4 aas --pieces nan", "--pieces 'nan' is not a whole number; give 1 or more"),
        ("solve ring:4 aas --pieces 1,,2", "--pieces '1,,2' is not a whole number; give 1 or more"),
        ("solve ring:4 aas --pieces 1,0", "pieces 0: every message is cut into 1 to 50,000,000 pieces"),
        ("solve ring:4 aas --sizes 0>1", "--sizes '0>1': '0>1' is not a size; write a list like '0>5:3,1>4:2'"),
        ("solve ring:2 aas --sizes sizes.csv", "sizes.csv, line 1, column 2: 'x' is not a number of units"),
        ("solve ring:4@ aas", "a parameter is missing; write ring:4@M for M copies joined by rails"),
        ("solve n.txt@2 aas", "n.txt@2: there is no such file; for copies of n.txt joined by rails say --nodes 2"),
        ("solve n.txt aas --nodes 1.5", "--nodes '1.5' is not a whole number that can be used; give 2 or more"),
        ("networks bare.json --nodes 2", "bare has no processors that rails could join; give it some"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused(arguments: str, text: str, call: Call) -> None:
    """A refusal of the library names options as they are typed."""
    Path("n.txt").write_text("0 1\n1 2\n")
    Path("sizes.csv").write_text("0,x\n1,0\n")
    bare = {"format": "pavane/network/1", "name": "bare", "routers": ["a"], "channels": [], "processors": []}
    Path("bare.json").write_text(json.dumps(bare))
    assert call(*shlex.split(arguments)).is_refusal(text)


@pytest.mark.parametrize("option", ["COLLECTIVE aas", "--ports all", "--pairs 0>1", "--pieces auto"])
def test_options_that_contradict_a_problem_file_are_refused(option: str, call: Call, tmp_path: Path) -> None:
    """A problem file says all that these options say."""
    write_problem(tmp_path / "p.json", Problem(ring(4), alltoall(ring(4))))
    arguments = option.removeprefix("COLLECTIVE ").split(" ")
    expected = f"p.json is a whole problem, so it does not go with {option.split(' ')[0]}; change the file instead"
    assert call("solve", "p.json", *arguments).is_refusal(expected)


# -- files


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "the file is empty"),
        (b"{", "truncated"),
        (b'{"format": "pavane/schedule/1", "steps": [[{"from": 0', "truncated"),
        (b'{"format": "pavane/schedule/9"}', "says format 'pavane/schedule/9'"),
        (b'{"hello": "world"}', "says no format"),
        (b'{"a": NaN}', "malformed"),
        (b'{"a":' * 100_000, ""),
        (b"\xff\xfe\x00\x01nonsense", ""),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", ""),
        (b"9" * 100_000, ""),
        (b'{"nodes": [{"id": 0}], "edges": [{"source": 0, "target": 10e30}]}', ""),
    ],
    ids=lambda value: repr(value[:24]),
)
def test_files_that_are_something_else_are_refused_by_every_command(content: bytes, text: str, call: Call) -> None:
    """Truncated, foreign, deep and binary files get one line that names the file."""
    Path("input.dat").write_bytes(content)
    for command in (["solve", "input.dat", "aas"], ["bounds", "input.dat", "aas"], ["networks", "input.dat"],
                    ["show", "input.dat"], ["verify", "input.dat"]):  # fmt: skip
        assert call(*command).is_refusal("input.dat", text)


FORGED = "x\nstatus      optimal\n\x1b[8m"
"""Would print a line of a report, and hide what follows."""


@pytest.mark.parametrize(
    "content",
    [
        {"format": "pavane/network/1", "name": FORGED, "routers": ["a", "b"], "channels": [[0, 1]], "processors": [0]},
        {"format": "pavane/network/1", "name": "n", "routers": [FORGED, "b"], "channels": [[0, 1]], "processors": [0]},
        {"format": FORGED},
        {"nodes": [{"id": FORGED}, {"id": 1}], "edges": [{"source": 1, "target": FORGED}]},
        {"nodes": [{"id": 1}], "edges": [{"source": 1, "target": FORGED}]},
        {"nodes": [{"id": 1, FORGED: 3, "processors": FORGED}], "edges": []},
        {"msccl_type": "topology", "name": FORGED, "links": [[0, 1], [1, 0]]},
        {FORGED: 1, "network": {}},
    ],
    ids=str,
)
def test_names_and_words_forge_no_lines(content: object, call: Call, tmp_path: Path) -> None:
    """Line ends and control characters of names and of what was typed are written out where a refusal quotes them."""
    (tmp_path / "forged.json").write_text(json.dumps(content))
    assert call("solve", "forged.json", "oab").is_refusal()
    for words in (("solve", FORGED, "aas"), ("solve", "ring:4", FORGED), ("--" + FORGED,), (FORGED,)):
        assert call(*words).is_refusal()


def test_names_of_files_forge_no_lines(call: Call, tmp_path: Path) -> None:
    """A file may be called anything; its network is called by what can be printed of that."""
    (tmp_path / "a\x1b[8mb\nc.txt").write_text("0 1\n1 0 2 3\n")
    answer = call("networks", "a\x1b[8mb\nc.txt")
    answer.is_one_line(2)
    assert "a\\x1b[8mb" in answer.err
    (tmp_path / "a\x1b[8mb\nc.txt").write_text("0 1\n1 2\n")
    told = call.good("networks", "a\x1b[8mb\nc.txt")
    assert told.replace("\n", "").isprintable()
    assert "name               a\ufffd[8mb\ufffdc\n" in told


@pytest.mark.parametrize("key", ["argument", "solver", "version"])
@pytest.mark.parametrize("word", [FORGED, "a\u2028b", "a\rb"])
def test_words_of_a_schedule_file_forge_no_lines(key: str, word: str, solved: Path, call: Call) -> None:
    """Reports repeat them, so they must be printable."""
    held = json.loads(solved.read_text())
    (held["bounds"][0] if key == "argument" else held["provenance"])[key] = word
    solved.write_text(json.dumps(held))
    for command in ("verify", "show"):
        assert call(command, solved).is_refusal("ring.json: ", f"`{key}` is", "not printable")


def test_paths_that_are_no_files_are_refused_by_every_command(call: Call, tmp_path: Path) -> None:
    """A directory, a pipe, a missing file, and a name that no file can have."""
    os.mkfifo(tmp_path / "pipe")
    for path, text in (
        (".", ".: it is a directory; name a file"),
        ("./pipe", "pipe: it is not a regular file; name a file"),
        ("./missing.json", "missing.json: cannot be read: no such file or directory"),
        ("./" + "a" * 300, "cannot be read: file name too long"),
        ("a" * 300, ""),
    ):
        for command in (["solve", path, "aas"], ["networks", path], ["show", path], ["verify", path]):
            assert call(*command).is_refusal(text)


def limited(*arguments: str | Path) -> tuple[Answer, int]:
    """Run a command in a process of its own and return what it said, and its peak memory in bytes."""
    script = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)\n"
        "print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
        "sys.stdout.flush(); sys.stdout.buffer.write(done.stdout)\n"
    )
    command = [sys.executable, "-c", script, *PROGRAM, *map(str, arguments)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout
    figures, _, err = said.partition("\n")
    code, kilobytes = map(int, figures.split())
    return Answer(code, "", err), kilobytes * (1 if sys.platform == "darwin" else 1024)


@pytest.mark.parametrize(
    ("command", "start", "size", "text"),
    [
        ("solve", b"", 2**30, "1,024 MiB are too many for a network or problem; at most 256 MiB are read"),
        ("verify", b'{"format": "pavane/schedule/1",', 2**29, "malformed"),
        ("solve", b"0 1\n", 300 * 2**20, "300 MiB are too many"),
        ("networks", b"9" * 2**20, 64 * 2**20, "line 1: the line is longer than 65536 bytes; this is not a"),
    ],
    ids=lambda value: repr(value[:20]) if isinstance(value, bytes) else str(value)[:12],
)
def test_a_huge_file_of_nonsense_is_refused_unread(
    command: str, start: bytes, size: int, text: str, tmp_path: Path
) -> None:
    """A gigabyte of nonsense does not get into memory."""
    path = tmp_path / "huge"
    path.write_bytes(start)
    os.truncate(path, size)
    answer, memory = limited(command, path, *(["aas"] if command == "solve" else []))
    assert answer.is_refusal(str(path), text)
    assert memory < MOST_MEMORY


# -- output


def test_output_is_refused_before_the_search(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that cannot be written is known before the work that would fill it."""

    def searched(*_: object, **__: object) -> None:
        raise AssertionError("the search began")

    monkeypatch.setattr(import_module("pavane.search.synthesis"), "solve", searched)
    os.mkfifo(tmp_path / "pipe")
    for path, text in (
        ("missing/s.json", "missing/s.json: cannot be written: there is no directory missing"),
        (str(tmp_path), f"{tmp_path}: it is a directory; name a file"),
        ("pipe", "pipe: it is not a regular file; name a file"),
    ):
        assert call("solve", "ring:4", "aas", "-o", path).is_refusal(text)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_a_refusal_goes_to_stderr_of_the_program(tmp_path: Path) -> None:
    """The program itself exits with 2 and one line."""
    assert in_a_process("solve", "rnig:4", "aas").is_refusal("did you mean ring?")
    (tmp_path / "p.json").write_text(json.dumps({"network": 5}))
    assert in_a_process("bounds", tmp_path / "p.json").is_refusal("p.json: not what was expected there")

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
from tests.io.permissions import closed
from tests.ui.cli.calls import PROGRAM, Answer, Call, in_a_process

MOST_MEMORY = 400 * 2**20


# -- networks, collectives, rules


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        ("solve rnig:4 aas", ["unknown network family 'rnig'; did you mean ring?", "`pavane networks` lists them"]),
        ("solve hypercub:3 aas", ["unknown network family 'hypercub'; did you mean hypercube?"]),
        ("networks xyzzy", ["unknown network family 'xyzzy'; `pavane networks` lists them"]),
        ("solve ring aas", ["network ring: too few parameters; write ring:N[,oneway], for example ring:8"]),
        ("solve ring:4,5 aas", ["too many parameters; write ring:N[,oneway]"]),
        ("solve ring:four aas", ["'four' is not a whole number; write ring:N[,oneway], for example ring:8"]),
        ("solve ring:1 aas", ["network ring:1: N is 1; give 2 or more"]),
        ("solve ring:-4 aas", ["N is -4; give 2 or more"]),
        ("solve ring:99999999999999999999 aas", ["99999999999999999999 is too large a number"]),
        ("solve hypercube:40 aas", ["it would have", "channels; give smaller parameters"]),
        ("solve octagon:8 aas", ["network octagon:8: it takes no parameters"]),
        ("solve ring:4*0 aas", ["0 processors per router; give 1 or more"]),
        ("solve mesh:4,4 aas", ["write mesh:AxB..."]),
        ("solve ring:4 aass", ["unknown collective 'aass'; did you mean aas?"]),
        ("solve ring:4 xyzzy", ["unknown collective 'xyzzy'; choose one of oab, oas,"]),
        ("solve ring:4 mns --senders 9", ["--senders '9': processor 9 is out of range; the network has"]),
        ("solve ring:4 mns --receivers 2-9", ["--receivers '2-9': processor 9 is out of range"]),
        ("solve ring:4 mns --senders 3-1", ["the range 3-1 runs backwards; write 1-3"]),
        ("solve ring:4 mns --senders a", ["--senders 'a': 'a' is neither a processor nor a range nor a router"]),
        ("solve ring:4 mns --senders 0,,1", ["'' is neither a processor nor a range"]),
        ("solve ring:4 mns --senders=", ["--senders '': '' is neither a processor nor a range"]),
        ("solve ring:4 mns --senders 0,0", ["sender 0 is listed twice; list it once"]),
        ("solve ring:4 mnb --senders 0 --receivers 0", ["has nothing to send; name at least one sender and one other"]),
        ("solve ring:4 mns --senders 99999999999", ["is not a whole number that can be used"]),
        ("solve ring:4 oab --root 4", ["sender 4 is out of range; ring:4 has processors 0 to 3"]),
        ("solve ring:4 aog --root 4", ["receiver 4 is out of range; ring:4 has processors 0 to 3"]),
        ("solve ring:4 oab --root x", ["--root 'x' names no single processor; processors are numbered 0 to 3"]),
        ("solve fat-octagon:2 oab --root 00", ["--root '00' names no single processor"]),
        ("solve ring:4 pairs", ["pairs needs --pairs, for example --pairs '0>5,1>4'"]),
        ("solve ring:4 pairs --pairs 0", ["--pairs '0': '0' is not a pair; write a list like '0>5,1>4'"]),
        ("solve ring:4 pairs --pairs 0>9", ["end of a pair 9 is out of range"]),
        ("solve ring:4 pairs --pairs 1>1", ["processor 1 would send to itself; leave that pair out"]),
        ("solve ring:4 pairs --pairs 0>1,0:1", ["the pair (0, 1) is listed twice; list it once"]),
        ("solve ring:4 aas --ports 0", ["ports 0: a processor needs at least one port; give all, or 1 or more"]),
        ("solve ring:4 aas --ports -1", ["ports -1: a processor needs at least one port"]),
        ("solve ring:4 aas --ports many", ["--ports 'many' is not a whole number that can be used"]),
        ("solve ring:4 aas --switching magic", ["switching 'magic' is not known; choose wormhole or"]),
        ("solve ring:4 aas --duplex double", ["duplex 'double' is not known; choose full or half"]),
        ("solve ring:4 aas --routing east", ["routing 'east' is not known; choose"]),
        ("solve ring:4 aas --method magic", ["unknown method 'magic'; choose auto or"]),
        ("solve ring:4 aas --method gredy", ["unknown method 'gredy'; did you mean greedy?"]),
        ("solve ring:4 aas --steps 0", ["steps 0: a schedule has at least one step; give 1 or more"]),
        ("solve ring:4 aas --workers 0", ["workers 0: a search needs at least one; give 1 or more"]),
        ("solve ring:4 aas --time 0", ["time 0.0: expected more than 0 seconds"]),
        ("solve ring:4 aas --time nan", ["time nan: expected more than 0 seconds"]),
        ("solve 'ring:4 less 0-9' aas", ["less '0-9': these are no two routers of ring:4; write A-B or A>B with 0, 1"]),
        ("solve 'ring:4 less 0' aas", ["less '0': these are no two routers"]),
        ("solve 'ring:4 less 0-2' aas", ["has no link between routers 0 and 2 left to cut"]),
        ("solve 'ring:4 less 0>2' aas", ["less '0>2': ring:4 has no channel from router 0 to router 2"]),
        ("solve 'line:4 less 1-2' aas --ports 1", ["cannot be reached from", "on line:4 less 1-2; add a channel"]),
        ("solve 'ring:3,oneway less 0>1' aas --ports 1", ["cannot be reached from processor"]),
        ("solve 'line:4 less 0-1' aas", ["processor 1 (router 1) cannot be reached from processor 0 (router 0)"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_cannot_be_used_is_refused(arguments: str, texts: list[str], call: Call) -> None:
    """Unknown families, bad parameters, members, ports, rules and faults."""
    assert call(*shlex.split(arguments)).is_refusal(*texts)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("solve dgx-a100:2 aas --switches open", "switches 'open' is not known; choose hold or pass"),
        ("solve dgx-a100:2 aas --switches PASS", "switches 'PASS' is not known; choose hold or pass"),
        ("bounds dgx-a100:2 aas --switches=", "switches '' is not known; choose hold or pass"),
        ("faults dgx-a100:2 aas --switches pas", "switches 'pas' is not known; choose hold or pass"),
        ("solve dgx-a100:2 aas --switching wormhole --switches pass", "messages pass every router anyway; choose"),
        ("solve ring:4 aas --switching=", "switching '' is not known; choose wormhole or store-and-forward"),
        ("solve ring:4 aas --duplex=", "duplex '' is not known; choose full or half"),
        ("solve ring:4 aas --routing=", "routing '' is not known; choose minimal or any"),
        ("solve ring:4 aas --pieces 0", "pieces 0: every message is cut into 1 to 50,000,000 pieces; give a number"),
        ("solve ring:4 aas --pieces -1", "--pieces '-1' is not a whole number; give 1 or more, like 6, several"),
        ("solve ring:4 aas --pieces 1.5", "--pieces '1.5' is not a whole number; give 1 or more"),
        ("solve ring:4 aas --pieces nan", "--pieces 'nan' is not a whole number; give 1 or more"),
        ("solve ring:4 aas --pieces 99999999999999", "is not a whole number; give 1 or more"),
        ("solve ring:4 aas --pieces 1,,2", "--pieces '1,,2' is not a whole number; give 1 or more"),
        ("solve ring:4 aas --pieces 1,0", "pieces 0: every message is cut into 1 to 50,000,000 pieces"),
        ("solve ring:4 aas --pieces=", "--pieces '' is not a whole number; give 1 or more"),
        ("solve ring:4 aas --pieces 50000000", "has 600,000,000 pieces; at most 50,000,000 fit, so give fewer"),
        ("bounds ring:4 aas --pieces 5,-1", "--pieces '5,-1' is not a whole number; give 1 or more"),
        ("solve ring:4 aas --sizes 0>1", "--sizes '0>1': '0>1' is not a size; write a list like '0>5:3,1>4:2'"),
        ("solve ring:4 aas --sizes=", "--sizes '': '' is not a size; write a list like '0>5:3,1>4:2'"),
        ("solve ring:4 aas --sizes 0>1:-1", "message 0>1 has size -1; give its units, 0 to 50,000,000"),
        ("solve ring:4 aas --sizes 0>1:nan", "'0>1:nan' is not a size; write a list like"),
        ("solve ring:4 aas --sizes 0>1:99999999999999999999", "is not a size; write a list like"),
        ("solve ring:4 aas --sizes 0>1:2,0>1:3", "the size of message 0>1 is given twice; give it once"),
        ("solve ring:4 aas --sizes 0>9:1", "a size is given for message 0>9, which it does not have; leave it out"),
        ("solve ring:4 oab --sizes 0:0", "has nothing to send; name at least one sender and one other receiver of a"),
        ("solve ring:4 aas --sizes missing.csv", "missing.csv: cannot be read: no such file or directory"),
        ("solve ring:4@1 aas", "network ring:4@1: M is 1; give 2 or more"),
        ("solve ring:4@-2 aas", "network ring:4@-2: M is -2; give 2 or more"),
        ("solve ring:4@ aas", "a parameter is missing; write ring:4@M for M copies joined by rails"),
        ("solve ring:4@2.5 aas", "'2.5' is not a whole number; write ring:4@M for M copies joined by rails"),
        ("solve ring:4@99999999999999999999 aas", "is too large a number; write ring:4@M for M copies joined by rails"),
        ("solve ring:4@9999999 aas", "it would have 159,999,984 channels; give smaller parameters, for at most"),
        ("solve @2 aas", "unknown network family ''; `pavane networks` lists them"),
        ("solve n.txt@2 aas", "n.txt@2: there is no such file; for copies of n.txt joined by rails say --nodes 2"),
        ("solve n.txt aas --nodes 1", "--nodes 1 joins no machines; give 2 or more"),
        ("solve n.txt aas --nodes -1", "--nodes -1 joins no machines; give 2 or more"),
        ("solve n.txt aas --nodes 1.5", "--nodes '1.5' is not a whole number that can be used; give 2 or more"),
        ("solve n.txt aas --nodes=", "--nodes '' is not a whole number that can be used; give 2 or more"),
        ("solve n.txt aas --nodes 99999999999", "is not a whole number that can be used; give 2 or more"),
        ("networks n.txt --nodes 99999999", "channels; give smaller parameters, for at most 4,000,000"),
        ("networks bare.json --nodes 2", "bare has no processors that rails could join; give it some"),
        ("networks dgx-a100:0", "network dgx-a100:0: N is 0; give 1 or more"),
        ("networks dgx-a100:99999999", "it would have 3,199,999,968 channels; give smaller parameters"),
        ("networks dgx-h100:nan", "'nan' is not a whole number; write dgx-h100:N, for example dgx-h100:2"),
        ("networks dgx-h100:2,3", "too many parameters; write dgx-h100:N, for example dgx-h100:2"),
        ("networks rails:2", "too few parameters; write rails:N,G[,INSIDE,RAIL], for example rails:4,4"),
        ("networks rails:2,4,3,0", "RAIL is 0; give 1 or more"),
        ("networks rails:2,4,9999999", "channel 0 has capacity 9999999; give whole numbers from 1 to 1,000,000"),
        ("networks rails:1000000,1000000", "it would have 4,000,000,000,000 channels; give smaller parameters"),
        ("networks dgx-2:3", "cables are published for two boxes; give 1 or 2, or join boxes by rails: dgx-2@3"),
        ("networks mi250:x", "'x' is not a whole number; write mi250:N"),
        ("networks mi250:99999999", "channels; give smaller parameters, for at most 4,000,000"),
        ("networks ndv2:-1", "network ndv2:-1: N is -1; give 1 or more"),
        ("networks nvl:1", "network nvl:1: N is 1; give 2 or more"),
        ("networks nvl:72,1", "too many parameters; write nvl:N, for example nvl:72"),
        ("networks dgx-1:2", "it takes no parameters; write dgx-1"),
    ],
)  # fmt: skip
def test_rules_of_machines_and_pieces_refuse_what_nobody_means(arguments: str, text: str, call: Call) -> None:
    """Switches, pieces, sizes, copies, joined machines and their families, each with numbers that are none."""
    Path("n.txt").write_text("0 1\n1 2\n")
    bare = {"format": "pavane/network/1", "name": "bare", "routers": ["a"], "channels": [], "processors": []}
    Path("bare.json").write_text(json.dumps(bare))
    assert call(*shlex.split(arguments)).is_refusal(text)


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ("0,1\n-1,0\n", "line 2, column 1: -1 is not a number of units; write 0 or more"),
        ("0,x\n1,0\n", "line 1, column 2: 'x' is not a whole number of units; write a number like 3"),
        ("nan,1\n1,0\n", "line 1, column 1: 'nan' is not a whole number of units"),
        ("0,99999999999\n1,0\n", "line 1, column 2: '99999999999' is not a whole number of units"),
        ("0,1,2\n", "the table of sizes does not fit AAS; give 2 rows of 2 numbers, 0 where nothing is sent"),
        ("", "sizes.csv: the file is empty"),
        ("\0", "sizes.csv"),
    ],
)
def test_tables_of_sizes_that_are_none_are_refused(table: str, text: str, call: Call) -> None:
    """The line and the column of what is wrong."""
    Path("sizes.csv").write_text(table)
    assert call("solve", "ring:2", "aas", "--sizes", "sizes.csv").is_refusal("sizes.csv", text)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("aas --root 0", "aas does not take --root; it goes from all to all"),
        ("aas --senders 0", "aas does not take --senders; it goes from all to all; mns takes"),
        ("alltoall --receivers 0", "mns takes senders and receivers"),
        ("aab --senders 0", "mnb takes senders and receivers"),
        ("oab --senders 0", "oab does not take --senders; it takes --root and --receivers"),
        ("gather --receivers 0", "gather does not take --receivers; it takes --root and --senders"),
        ("mnb --root 0", "mnb does not take --root; it takes --senders and --receivers"),
        ("oas --pairs 0>1", "oas does not take --pairs; it takes --root and --receivers"),
        ("pairs --pairs 0>1 --root 0", "pairs does not take --root; it takes --pairs"),
        ("aar --root 1", "aar does not take --root"),
    ],
)
def test_options_that_contradict_the_collective_are_refused(arguments: str, text: str, call: Call) -> None:
    """The text says what the collective takes."""
    for command in ("solve", "bounds"):
        assert call(command, "ring:4", *arguments.split(" ")).is_refusal(text)


@pytest.mark.parametrize(
    "option",
    [
        *("COLLECTIVE aas", "--switching wormhole", "--ports all", "--duplex full", "--routing any", "--combining"),
        *("--root 0", "--senders 0", "--receivers 0", "--pairs 0>1"),
    ],
)
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
        (b'{"format": "pavane/network/1", "name": Infinity}', ""),
        (b'{"a":' * 100_000, ""),
        (b'{"format": ' + b"[" * 100_000, ""),
        (b"[1, 2, 3]", ""),
        (b"\xff\xfe\x00\x01nonsense", ""),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", ""),
        (b"PK\x03\x04\x14\0\0\0", ""),
        (b"<html><body>404</body></html>", ""),
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
def test_names_in_files_forge_no_lines(content: object, call: Call, tmp_path: Path) -> None:
    """Line ends and control characters of names are refused, and written out where the refusal quotes them."""
    (tmp_path / "forged.json").write_text(json.dumps(content))
    answer = call("solve", "forged.json", "oab")
    answer.is_one_line(2)
    assert answer.err.rstrip("\n").isprintable()


@pytest.mark.parametrize("words", [("solve", FORGED, "aas"), ("solve", "ring:4", FORGED), ("--" + FORGED,), (FORGED,)])
def test_words_of_the_command_line_forge_no_lines(words: tuple[str, ...], call: Call) -> None:
    """What was typed is quoted as text."""
    answer = call(*words)
    answer.is_one_line(2)
    assert answer.err.rstrip("\n").isprintable()


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
def test_words_of_a_schedule_file_forge_no_lines(key: str, solved: Path, call: Call) -> None:
    """Reports repeat them, so they must be printable."""
    held = json.loads(solved.read_text())
    (held["bounds"][0] if key == "argument" else held["provenance"])[key] = FORGED
    solved.write_text(json.dumps(held))
    for command in ("verify", "show"):
        answer = call(command, solved)
        answer.is_one_line(2)
        assert answer.err.rstrip("\n").isprintable()
        assert f"`{key}` is" in answer.err


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


def test_files_without_permission_are_refused(call: Call, tmp_path: Path) -> None:
    """A directory may be closed to the user, for reading as for writing."""
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / "n.txt"
    path.write_text("0 1\n")
    for command in ("solve {} aas", "networks {}", "show {}"):
        words = command.format(path).split(" ")
        call.good(*words)
        with closed(folder):
            assert call(*words).is_refusal(f"{path}: cannot be read: permission denied")
    with closed(folder):
        assert call("verify", path).is_refusal(f"{path}: cannot be read: permission denied")
        assert call("solve", "ring:4", "aas", "-o", folder / "s.json").is_refusal("s.json: cannot be written: ")


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
        ("verify", bytes(range(128, 256)), 2**30, "1,024 MiB are too many"),
        ("show", b'{"a": "', 2**29, "512 MiB are too many"),
        ("verify", b'{"format": "pavane/schedule/1",', 2**29, "malformed"),
        ("solve", b"0 1\n", 300 * 2**20, "300 MiB are too many"),
        ("networks", b"9" * 2**20, 64 * 2**20, "line 1: the line is longer than 65536 bytes; this is not a"),
        ("networks", b"0 1\n", 64 * 2**20, "line 2: the line is longer than 65536 bytes"),
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


def test_output_that_fails_in_the_middle_leaves_the_old_file(tmp_path: Path) -> None:
    """Where the system stops taking bytes, the old file stays and nothing else is left behind."""
    path = tmp_path / "s.json"
    path.write_text("old")
    script = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)); " + PROGRAM[-1]
    done = subprocess.run(
        [sys.executable, "-c", script, "solve", "kautz:3,2", "aas", "--json", "-o", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert Answer(done.returncode, done.stdout, done.stderr).is_refusal(f"{path}: cannot be written: file too large")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_refusal_goes_to_stderr_of_the_program(tmp_path: Path) -> None:
    """The program itself exits with 2 and one line."""
    assert in_a_process("solve", "rnig:4", "aas").is_refusal("did you mean ring?")
    (tmp_path / "p.json").write_text(json.dumps({"network": 5}))
    assert in_a_process("bounds", tmp_path / "p.json").is_refusal("p.json: not what was expected there")

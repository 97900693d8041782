"""Files of others on the command line: networks, and schedules to judge and to show."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.io.formats.samples import ALLGATHER, SAMPLES, SCHEDULES, Sample
from tests.ui.cli.calls import Call

GPU_FORMATS = {"nvidia-smi", "nccl", "msccl", "taccl", "teccl-topology"}
"""Formats that describe machines of GPUs, whose default rules are noted."""

each = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)


@each
def test_networks_of_others_are_solved(sample: Sample, call: Call, tmp_path: Path) -> None:
    """`pavane solve FILE` answers; notes go to stderr, a line each, and the answer to stdout."""
    (tmp_path / sample.name).write_text(sample.text)
    answer = call("solve", sample.name, "aab", "--json")
    assert answer.code == 0
    assert json.loads(answer.out)["network"] in (Path(sample.name).stem, "three in a row", "box", "dgx-1")
    notes = json.loads(answer.out).get("notes", [])
    lines = answer.err.splitlines()
    assert lines == [f"pavane: note: {text}" for text in notes]
    of_file = [line for line in lines if "is a machine of GPUs" not in line]
    assert (len(of_file) < len(lines)) == (sample.form in GPU_FORMATS)
    for line, part in zip(of_file, sample.notes, strict=True):
        assert line.startswith(f"pavane: note: {sample.name}: ")
        assert part in line


@each
def test_networks_of_others_are_described_and_shown(sample: Sample, call: Call, tmp_path: Path) -> None:
    """`networks`, `show` and `bounds` take them as well, with the format named."""
    (tmp_path / "file").write_text(sample.text)
    told = call("networks", "file", "--from", sample.form, "--json")
    assert (told.code, json.loads(told.out)[0]["channels"]) == (0, len(sample.channels))
    shown = call("show", "file", "--from", sample.form)
    assert (shown.code, shown.out.count("\n  router ")) == (0, len(sample.routers))
    assert call("bounds", "file", "aab", "--from", sample.form).code == 0


def test_notes_of_several_networks_stand_with_each(call: Call, tmp_path: Path) -> None:
    """`networks --json` tells them in the network's own row, and `show` and `bounds` on stderr."""
    (tmp_path / "plain.txt").write_text("0 1\n1 2\n")
    (tmp_path / "fast.dot").write_text("graph { a -- b [bandwidth=10]; b -- c [bandwidth=40] }")
    answer = call("networks", "fast.dot", "plain.txt", "fast.dot", "--json")
    said = "fast.dot: `bandwidth` 10 and 40 became capacities 1 and 4"
    assert [row.get("notes") for row in json.loads(answer.out)] == [[said], None, [said]]
    assert answer.err == f"pavane: note: {said}\n"
    for words in (("show", "fast.dot"), ("bounds", "fast.dot", "aas"), ("networks", "fast.dot")):
        assert call(*words).err == f"pavane: note: {said}\n"
        told = json.loads(call(*words, "--json").out)
        assert (told[0] if isinstance(told, list) else told)["notes"] == [said]


def test_notes_are_told_once(call: Call, tmp_path: Path) -> None:
    """An allreduce has two phases on one network, and says what there is to say once."""
    (tmp_path / "n.yml").write_text("topology: [Ring]\nnpus_count: [3]\nlatency: [5]\n")
    assert call("solve", "n.yml", "allreduce").err.count("latencies are left out") == 1


def test_a_format_that_is_not_known_or_has_no_file(call: Call, tmp_path: Path) -> None:
    """The names that there are, are listed."""
    (tmp_path / "n.txt").write_text("0 1\n")
    assert call("solve", "n.txt", "aas", "--from", "visio").is_refusal(
        "--from 'visio' is not a format", "choose one of adjacency-list"
    )
    assert call("solve", "ring:4", "aas", "--from", "dot").is_refusal("--from dot goes with a file, and ring:4 is")
    assert call("solve", "n.txt", "aas", "--from", "dot").is_refusal("n.txt, line 1: '0', where `graph` or")
    assert call.good("networks", "n.txt", "--from", "edge-list")


STATUS = {"chunks.json": "optimal in start-ups and TCO"}
"""How good schedules of others are, where more is said than that they are optimal."""


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules_of_others_are_judged_and_shown(name: str, call: Call, tmp_path: Path) -> None:
    """`verify` finds them valid and says what they cost, `show` prints them, and makes a page that plays them."""
    (tmp_path / name).write_text(SCHEDULES[name])
    judged = call("verify", name)
    assert (judged.code, judged.out.splitlines()[-1]) == (0, f"verdict     valid, {STATUS.get(name, 'optimal')}")
    assert re.search(r"^bound       .* \(.*\): ", judged.out, re.MULTILINE)
    assert re.search(r"^cost        .*the bound", judged.out, re.MULTILINE)
    # With its pieces, where there are some, and over the switch, where there is one.
    assert re.search(r"01 \[0(\.0 0\.1)?\]|103:p2 \[0>2\.1\]", call("show", name).out)
    assert call("show", name, "-o", "page.html").code == 0
    assert (tmp_path / "page.html").stat().st_size
    assert call("solve", name).code == 0


def test_a_schedule_of_others_that_breaks_a_rule(call: Call, tmp_path: Path) -> None:
    """Exit 1 with the violations; `show` says the first and exits with 1, too."""
    spoiled = json.loads(json.dumps(ALLGATHER))
    spoiled["steps"][1]["sends"].pop()
    (tmp_path / "bad.json").write_text(json.dumps(spoiled))
    answer = call("verify", "bad.json")
    assert (answer.code, answer.out.splitlines()[-1]) == (1, "verdict     invalid")
    assert "violation   never-delivered: message 3 never reaches processor 1" in answer.out
    call("show", "bad.json").is_one_line(1)


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_schedule_of_others_that_is_cut_off(name: str, call: Call, tmp_path: Path) -> None:
    """One line and exit 2, from every command."""
    (tmp_path / name).write_text(SCHEDULES[name][:300])
    for command in ("verify", "show", "solve"):
        assert call(command, name).is_refusal(name)

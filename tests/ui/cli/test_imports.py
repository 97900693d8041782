"""Networks from files of others on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.io.formats.samples import SAMPLES, Sample
from tests.ui.cli.calls import Call

GPU_FORMATS = {"nvidia-smi", "nccl"}
"""Formats that describe machines of GPUs, whose default rules are noted."""

each = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)


@each
def test_networks_of_others_are_solved(sample: Sample, call: Call, tmp_path: Path) -> None:
    """`pavane solve FILE` answers; notes go to stderr, a line each, and the answer to stdout."""
    (tmp_path / sample.name).write_text(sample.text)
    answer = call("solve", sample.name, "aab", "--json")
    assert answer.code == 0
    assert json.loads(answer.out)["network"] == Path(sample.name).stem
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
    (tmp_path / "fast.txt").write_text("a b {'bandwidth': 10}\nb c {'bandwidth': 40}\n")
    answer = call("networks", "fast.txt", "plain.txt", "fast.txt", "--json")
    said = "fast.txt: `bandwidth` 10 and 40 became capacities 1 and 4"
    assert [row.get("notes") for row in json.loads(answer.out)] == [[said], None, [said]]
    assert answer.err == f"pavane: note: {said}\n"
    for words in (("show", "fast.txt"), ("bounds", "fast.txt", "aas"), ("networks", "fast.txt")):
        assert call(*words).err == f"pavane: note: {said}\n"
        told = json.loads(call(*words, "--json").out)
        assert (told[0] if isinstance(told, list) else told)["notes"] == [said]


def test_a_format_that_is_not_known_or_has_no_file(call: Call, tmp_path: Path) -> None:
    """The names that there are, are listed."""
    (tmp_path / "n.txt").write_text("0 1\n")
    assert call("solve", "n.txt", "aas", "--from", "visio").is_refusal(
        "--from 'visio' is not a format", "choose one of adjacency-list"
    )
    assert call("solve", "ring:4", "aas", "--from", "nccl").is_refusal("--from nccl goes with a file, and ring:4 is")
    assert call("solve", "n.txt", "aas", "--from", "nccl").is_refusal("n.txt: not XML that can be read: ")
    assert call.good("networks", "n.txt", "--from", "edge-list")

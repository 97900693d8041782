"""Private messages of programs that copy, as messages that move."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pavane.io import Claim, read_schedule
from pavane.io.files import Note
from tests.io.formats.claims import broken, claim_of
from tests.io.formats.samples import algorithm
from tests.io.formats.test_msccl_xml import block, program

COMPLETE = [[int(a != b) for a in range(4)] for b in range(4)]
WANTED = [(0, [1], 5), (2, [3], 6)]
"""Messages from 0 to 1, called 5, and from 2 to 3, called 6."""
SENT = [(5, 0, 1), (6, 2, 3)]


def ends(claim: Claim) -> list[tuple[int, int, int]]:
    """Return step, sender and receiver of each transfer."""
    return [(t.step, t.sender, t.receiver) for t in claim.schedule]


@pytest.mark.parametrize(
    "steps",
    [
        [(1, [*SENT, (5, 0, 2)])],
        [(1, SENT), (1, [(5, 1, 2)]), (1, [(5, 2, 3), (6, 2, 0)])],
        [(1, [(5, 0, 3)]), (1, SENT)],
    ],
    ids=["a bystander", "past the target", "a step of nothing else"],
)
def test_copies_that_serve_nobody_are_left_out(steps: list[Any], tmp_path: Path) -> None:
    """A copy for a bystander and a sending on by the target are left out with their steps, and told."""
    claim = claim_of(tmp_path / "a.json", algorithm(COMPLETE, WANTED, steps))
    assert broken(claim) == set()
    assert ends(claim) == [(0, 0, 1), (0, 2, 3)]
    with pytest.warns(Note, match="of private messages that are not needed"):
        read_schedule(tmp_path / "a.json")


def test_relays_stay(tmp_path: Path) -> None:
    """What comes to its target over others keeps its whole way."""
    steps = [(1, [(5, 0, 2), (6, 2, 3)]), (1, [(5, 2, 1), (5, 0, 3)])]
    claim = claim_of(tmp_path / "a.json", algorithm(COMPLETE, WANTED, steps))
    assert broken(claim) == set()
    assert ends(claim) == [(0, 0, 2), (0, 2, 3), (1, 2, 1)]


@pytest.mark.parametrize(
    ("steps", "rules"),
    [
        ([(1, [(5, 0, 2), (6, 2, 3)])], {"never-delivered"}),
        ([(1, [*SENT, (5, 3, 2)])], {"not-held"}),
        ([(1, SENT), (1, [(5, 0, 1)])], {"delivered-twice", "copied"}),
        ([(1, SENT), (1, [])], {"empty-step"}),
    ],
    ids=["lost", "not held", "twice", "an empty step"],
)
def test_what_is_wrong_stays_for_the_judge(steps: list[Any], rules: set[str], tmp_path: Path) -> None:
    """A message that is lost, sent by somebody without it or delivered twice is judged as it stands in the file."""
    assert broken(claim_of(tmp_path / "a.json", algorithm(COMPLETE, WANTED, steps))) == rules


def test_programs_of_msccl_copy(tmp_path: Path) -> None:
    """An alltoall that leaves the message from GPU 0 to GPU 1 with GPU 2, too, is read without that copy."""
    copied = {(0, 2): ["s i1 s0"], (2, 0): ["r i0 s0"]}
    blocks = {
        (here, there): block(
            there, there, there, f"s i{there} o{here}", f"r i0 o{there}", *copied.get((here, there), [])
        )
        for here in range(3)
        for there in range(3)
        if here != there
    }
    text = program("alltoall", [(3, "".join(blocks[ends] for ends in blocks if ends[0] == here)) for here in range(3)])
    claim = claim_of(tmp_path / "a.xml", text)
    assert broken(claim) == set()
    assert ends(claim) == sorted((0, *pair) for pair in blocks)

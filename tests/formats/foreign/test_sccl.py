"""Algorithms of SCCL, judged by the same judge."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.formats import read_problem
from tests.formats.foreign.claims import broken, claim_of
from tests.formats.foreign.samples import ALLGATHER, RING_LINKS, algorithm

COMPLETE = [[int(a != b) for a in range(3)] for b in range(3)]
PAIRS3 = [(a, b) for a in range(3) for b in range(3) if a != b]


@pytest.mark.parametrize(
    ("kind", "links", "chunks", "steps"),
    [
        ("AAB", COMPLETE, [(p, [0, 1, 2], p) for p in range(3)], [(1, [(a, a, b) for a, b in PAIRS3])]),
        ("OAB", COMPLETE, [(1, [0, 1, 2], 0)], [(1, [(0, 1, 0), (0, 1, 2)])]),
        ("OAS", COMPLETE, [(0, [p], p) for p in range(3)], [(1, [(1, 0, 1), (2, 0, 2)])]),
        ("AOG", COMPLETE, [(p, [0], p) for p in range(3)], [(1, [(1, 1, 0), (2, 2, 0)])]),
        (
            "AAS",
            COMPLETE,
            [(a, [b], 3 * b + a) for b in range(3) for a in range(3)],
            [(1, [(3 * b + a, a, b) for a, b in PAIRS3])],
        ),
        ("AOR", COMPLETE, [(p, [2], 0) for p in range(3)], [(1, [(0, 0, 2), (0, 1, 2)])]),
        ("AAR", COMPLETE, [(a, [b], b) for b in range(3) for a in range(3)], [(1, [(b, a, b) for a, b in PAIRS3])]),
        ("MNB", COMPLETE, [(0, [0, 1, 2], 0), (1, [0, 1, 2], 1)], [(1, [(0, 0, 1), (0, 0, 2), (1, 1, 0), (1, 1, 2)])]),
        ("MNS", COMPLETE, [(0, [1], 0), (0, [2], 1), (1, [2], 2)], [(1, [(0, 0, 1), (1, 0, 2), (2, 1, 2)])]),
        ("PAIRS", RING_LINKS, [(0, [1], 5), (2, [3], 6)], [(1, [(5, 0, 1), (6, 2, 3)])]),
    ],
)
def test_collectives_are_known_by_what_is_wanted(
    kind: str, links: list[list[int]], chunks: list[Any], steps: list[Any], tmp_path: Path
) -> None:
    """Who has what before and after tells the collective, and the schedule is valid."""
    claim = claim_of(tmp_path / "a.json", algorithm(links, chunks, steps))
    assert claim.problem.collective.kind == kind
    assert claim.problem.rules.switching == "store-and-forward"
    assert broken(claim) == set()
    assert read_problem(tmp_path / "a.json") == claim.problem


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda steps: steps[1]["sends"].pop(), "never-delivered"),
        (lambda steps: steps[0]["sends"].append([0, 0, 1]), "channel-capacity"),
        (lambda steps: steps[1]["sends"].__setitem__(0, [0, 0, 2]), "broken-path"),
        (lambda steps: steps[0]["sends"].append([1, 2, 3]), "not-held"),
        (lambda steps: steps[1]["sends"].append([0, 2, 1]), "delivered-twice"),
        (lambda steps: steps[1]["sends"].append([9, 2, 1]), "unknown-message"),
        (lambda steps: steps.append({"rounds": 1, "sends": []}), "empty-step"),
        (lambda steps: steps[1]["sends"].append([0, 9, 1]), "wrong-ends"),
    ],
)
def test_what_a_schedule_of_sccl_breaks_is_named(change: Any, rule: str, tmp_path: Path) -> None:
    """A foreign schedule that breaks a rule is read, and judged."""
    content = copy.deepcopy(ALLGATHER)
    change(content["steps"])
    found = broken(claim_of(tmp_path / "a.json", content))
    assert rule in found or (rule == "wrong-ends" and "broken-path" in found)


def test_rounds_are_steps(tmp_path: Path) -> None:
    """Three messages over two channels in a step of two rounds are two steps; in one round they are too many."""
    chunks = [(0, [0, 1], 0), (2, [2, 1], 1), (3, [3, 1], 2)]
    links = [[0, 0, 0, 0], [2, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    links[0][2] = links[0][3] = 1
    wanted = [(c[0], [1], c[2]) for c in chunks]
    for rounds, rules in ((2, set()), (1, {"channel-capacity"})):
        steps = [(1, [(1, 2, 0), (2, 3, 0)]), (rounds, [(0, 0, 1), (1, 0, 1), (2, 0, 1)])]
        claim = claim_of(tmp_path / "a.json", algorithm(links, wanted, steps))
        assert claim.schedule.num_steps == 1 + rounds
        assert broken(claim) - {"port-capacity"} == rules


def test_limits_of_switches_are_judged_as_ports(tmp_path: Path) -> None:
    """One at a time out of each processor: two sends in a step of one round are too many, in two rounds they fit."""
    chunks = [(0, [0, 1, 2], 0)]
    limits = [[[p], [q for q in range(3) if q != p], 1, "out"] for p in range(3)]
    limits += [[[q for q in range(3) if q != p], [p], 1, "in"] for p in range(3)]
    for rounds, rules in ((1, {"port-capacity"}), (2, set())):
        content = algorithm(COMPLETE, chunks, [(rounds, [(0, 0, 1), (0, 0, 2)])])
        content["topology"]["switches"] = limits
        claim = claim_of(tmp_path / "a.json", content)
        assert claim.problem.rules.ports == 1
        assert broken(claim) == rules


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (ALLGATHER | {"instance": {"chunks": 2}}, "it cuts every message into 2 parts"),
        (ALLGATHER | {"instance": {"chunks": 1, "pipeline": 3}}, "its steps overlap (pipeline)"),
        (algorithm(COMPLETE, [(p, [0, 1, 2], 0) for p in range(3)], []), "(allreduce), which is two collectives here"),
        (algorithm(COMPLETE, [(0, [1], 0), (0, [1], 1)], []), "two messages go from 0 to 1, and here one does"),
        (algorithm(COMPLETE, [(0, [0, 1, 2], 0), (0, [0, 1, 2], 1)], []), "processor 0 broadcasts several messages"),
        (algorithm(COMPLETE, [(0, [7], 0)], []), "chunks[0] names a processor beyond 2"),
        (algorithm(COMPLETE, [(0, [0], 0)], []), "its collective asks for nothing to be sent"),
        (algorithm(COMPLETE, [(0, [0, 1, 2], 0)], [(0, [])]), "steps[0]: 0 rounds; give 1 to"),
        (algorithm(COMPLETE, [(0, [0, 1, 2], 0)], [(1, [(0, -1, 2)])]), "steps[0]: [0, -1, 2] names no processors"),
        (
            ALLGATHER | {"topology": None},
            "not what was expected there: expected `object`, got `null` - at `$.topology`",
        ),
    ],
)
def test_what_cannot_be_said_here_is_refused(content: dict[str, Any], said: str, tmp_path: Path) -> None:
    """One line that names the file and says what to do."""
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        claim_of(tmp_path / "a.json", content)
    assert str(caught.value).startswith(str(tmp_path / "a.json"))

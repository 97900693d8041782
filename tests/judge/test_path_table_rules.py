"""The judge of path tables: each rule refuses the smallest table that breaks it, and it agrees with the other judge."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pavane.errors import InputError
from pavane.judge.rules import verify
from pavane.model.path_table import PathTable
from tests.checker import judge
from tests.model.test_path_table import STORED, path_case
from tests.problems import problem_of


def changed(table: PathTable, column: str, at: int, value: int) -> PathTable:
    """Return a table with one entry of a column changed."""
    values = getattr(table, column).copy()
    values[at] = value
    return replace(table, **{column: values})


@pytest.mark.parametrize(
    ("spec", "rules"),
    [("rails:128,8", STORED), ("rails:1250,8", {}), ("kary-tree:10,3", {}), ("fat-tree:16", {"ports": 1})],
)
def test_large_networks_are_accepted(spec: str, rules: dict[str, Any]) -> None:
    """Valid tables of networks of any size have no violations."""
    problem, table = path_case(spec, **rules)
    assert verify(problem, table) == []


def test_each_rule() -> None:
    """A table that breaks one rule is refused with the name of that rule."""
    problem, table = path_case("rails:4,3", **STORED)
    assert verify(problem, table) == []
    first = int(np.flatnonzero(table.senders == 0)[0])
    second = int(np.flatnonzero(table.senders > 0)[0])
    spoiled = {
        "channel-capacity": changed(table, "steps", first, int(table.steps[first]) + 1),
        "broken-path": changed(table, "channels", 0, int(table.channels[0]) + 4),
        "wrong-ends": changed(table, "receivers", 0, 12),
        "unknown-message": changed(table, "messages", 0, 0),
        "not-held": changed(table, "steps", second, 0),
        "never-delivered": changed(table, "messages", first, 1 + int(table.messages[first]) % 11),
        "empty-step": replace(table, num_steps=table.num_steps + 1),
    }
    for rule, each in spoiled.items():
        assert rule in {violation.rule for violation in verify(problem, each)}, rule


def test_ports() -> None:
    """A table for two ports is refused where processors have one."""
    _, table = path_case("rails:4,3")
    rules = {violation.rule for violation in verify(problem_of("rails:4,3", "AAS", ports=1), table)}
    assert rules == {"port-capacity"}


def test_stored_messages_pass_switches_only() -> None:
    """Under store-and-forward a transfer over a router with a processor is refused, and over switches that hold."""
    _, whole = path_case("rails:4,3")
    problem = problem_of("rails:4,3", "AAS", **STORED)
    assert {violation.rule for violation in verify(problem, whole)} == {"too-many-hops"}
    _, table = path_case("rails:4,3", **STORED)
    holding = problem_of("rails:4,3", "AAS", switching="store-and-forward")
    assert "too-many-hops" in {violation.rule for violation in verify(holding, table)}


def test_symmetry() -> None:
    """Permutations that do not keep channels, homes or each other, or leave channels in place, are refused."""
    problem, table = path_case("kary-tree:2,3")
    routers, processors = table.router_shifts, table.processor_shifts
    still = routers.copy()
    # Replicas of the middle level stay where they are: both channels from a lowest switch are then one's translates.
    still[2, 12:16] = np.arange(12, 16)
    turned = processors.copy()
    turned[0] = turned[0][::-1]
    spoiled = {
        "an entry for each router and processor": replace(table, router_shifts=routers[:2]),
        "is not a permutation": replace(table, router_shifts=np.zeros_like(routers)),
        "does not keep the channels": replace(table, router_shifts=np.roll(routers, 1, axis=1)),
        "takes a processor away": replace(table, processor_shifts=turned),
        "do not take processor 0": replace(table, router_shifts=routers[:2], processor_shifts=processors[:2]),
    }
    for text, each in spoiled.items():
        assert any(text in violation.text for violation in verify(problem, each)), text
    assert {violation.rule for violation in verify(problem, replace(table, router_shifts=still))} == {"not-symmetric"}


def test_other_problems() -> None:
    """A path table has no meaning for copies, slots and half duplex."""
    _, table = path_case("rails:4,3")
    others: list[tuple[str, dict[str, Any]]]
    others = [("AAB", {}), ("AAS", {"switching": "tdm"}), ("AAS", {"duplex": "half"})]
    for kind, rules in others:
        with pytest.raises(InputError, match="a path table is for alltoall among all processors"):
            verify(problem_of("rails:4,3", kind, **rules), table)


@pytest.mark.parametrize(("spec", "rules"), [("rails:4,3", STORED), ("kary-tree:2,2", {}), ("fat-tree:4", {})])
def test_spoiled_tables(spec: str, rules: dict[str, Any]) -> None:
    """The judge of path tables refuses what the judge of schedules refuses, and accepts what it accepts."""
    problem, table = path_case(spec, **rules)
    rng = np.random.default_rng(7)
    num_refused = 0
    for _ in range(80):
        column = ("steps", "steps", "channels", "senders", "receivers")[int(rng.integers(5))]
        values = getattr(table, column)
        spoiled = changed(table, column, int(rng.integers(len(values))), int(rng.choice(values)))
        is_refused = bool(verify(problem, spoiled))
        schedule = spoiled.expand(problem)
        assert is_refused == bool(verify(problem, schedule)) == bool(judge(problem, schedule))
        num_refused += is_refused
    assert num_refused > 40

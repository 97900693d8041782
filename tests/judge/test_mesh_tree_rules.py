"""The judge of trees along lines: each rule refuses the smallest table that breaks it, and it agrees with others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pavane.errors import InputError
from pavane.judge.rules import verify, verify_step
from pavane.model.collectives import in_pieces, named
from pavane.model.mesh_trees import MeshTrees
from pavane.model.problem import Problem
from pavane.networks import network
from tests.checker import judge
from tests.model.test_mesh_trees import tree_case, written_out
from tests.problems import problem_of


def moved(table: MeshTrees, where: tuple[int, int, int], start: int) -> MeshTrees:
    """Return a table with another start of one leg."""
    starts = table.starts.copy()
    starts[where] = start
    return replace(table, starts=starts)


def turned(table: MeshTrees, router: int, axis: int) -> MeshTrees:
    """Return a table in which a message has another first dimension."""
    first_axes = table.first_axes.copy()
    first_axes[router] = axis
    return replace(table, first_axes=first_axes)


@pytest.mark.parametrize("spec", ["mesh:63x63", "mesh:41x55", "mesh:12x12x12", "mesh:5x6x7", "mesh:5x5x5x5"])
def test_large_meshes_are_accepted(spec: str) -> None:
    """Valid tables of meshes of any size have no violations, and neither have their steps, written out."""
    problem, table = tree_case(spec)
    assert verify(problem, table) == []
    for step in (0, table.num_steps // 3, table.num_steps - 1):
        assert verify_step(problem, table, step)[1] == []


def test_each_rule() -> None:
    """A table that breaks one rule is refused with the name of that rule."""
    problem, table = tree_case("mesh:3x3")
    assert verify(problem, table) == []
    # Two messages of one class, whose last legs downwards begin and end on the same lines.
    ends = np.where(table.lengths(1)[1] > 0, table.starts[1, 1] + table.lengths(1)[1], 0)
    last = int(np.argmax(ends))
    same = np.flatnonzero((table.first_axes == table.first_axes[last]) & (ends > 0) & (ends < ends[last]))
    earlier = int(ends[same].max() - table.lengths(1)[1, last])
    wrong = np.zeros((2, 9), dtype=np.int64)
    spoiled = {
        "not-held": moved(table, (1, 1, last), 0),
        "outside-period": moved(table, (1, 1, last), 5),
        "channel-capacity": moved(table, (1, 1, last), earlier),
        "empty-step": replace(table, num_steps=6),
        "broken-path": replace(table, starts=wrong),
    }
    for rule, each in spoiled.items():
        assert rule in {violation.rule for violation in verify(problem, each)}, rule
    texts = {
        "a message has no first dimension": turned(table, 3, 2),
        "do not make the 9 routers": replace(table, sizes=(3, 4)),
        "whole numbers for each message": replace(table, first_axes=table.first_axes[:-1]),
        "1 to 281,474,976,710,656 steps": replace(table, num_steps=0),
        "is not within 5 steps": moved(table, (1, 1, last), np.iinfo(np.int64).max),
    }
    for text, each in texts.items():
        assert any(text in violation.text for violation in verify(problem, each)), text


def test_both_phases_of_an_allreduce_have_as_many_steps() -> None:
    """An allreduce of an odd number of steps is refused, and one with steps to spare."""
    problem, table = tree_case("mesh:3x3", "ALLREDUCE")
    assert verify(problem, table) == []
    assert verify(problem, replace(table, num_steps=table.num_steps + 1))[0].rule == "outside-period"
    assert verify(problem, replace(table, num_steps=table.num_steps + 2))[0].rule == "empty-step"


def test_other_networks_and_problems() -> None:
    """A table of a mesh is refused for a network without its links, and has no meaning for other rules."""
    _, table = tree_case("mesh:3x3")
    assert verify(problem_of("ring:9", "AAB"), table)[0].text == "no channel leads from router 0 to router 3"
    assert verify(problem_of("torus:3x3", "AAB"), table) == []
    mesh = network("mesh:3x3")
    several = Problem(mesh, in_pieces(named("AAB", mesh), 2))
    others: list[dict[str, Any]] = [{"ports": 1}, {"duplex": "half"}, {"switching": "tdm", "wrap": False}]
    for other in (
        problem_of("mesh:3x3", "AAS"),
        several,
        *(problem_of("mesh:3x3", "AAB", **rules) for rules in others),
    ):
        with pytest.raises(InputError, match="trees along lines are for allgather, reduce-scatter and allreduce"):
            verify(other, table)


@pytest.mark.parametrize("spec", ["mesh:3x3", "mesh:3x5", "mesh:5x5", "mesh:3x2x2", "mesh:3x3x3"])
def test_spoiled_tables(spec: str) -> None:
    """A spoiled table is accepted exactly if two judges of schedules accept what it gives, written out plainly."""
    rng = np.random.default_rng(5)
    num_refused = 0
    for number in range(40):
        problem, table = tree_case(spec, ("AAB", "AAR", "ALLREDUCE")[number % 3])
        starts, first_axes = table.starts.copy(), table.first_axes.copy()
        for _ in range(1 + number % 2):
            leg, way, router = (int(rng.integers(size)) for size in starts.shape)
            if rng.random() < 0.8:
                starts[leg, way, router] = int(rng.integers(table.num_phase_steps(problem)))
            else:
                first_axes[router] = int(rng.integers(len(table.sizes)))
        spoiled = replace(table, starts=starts, first_axes=first_axes)
        is_refused = bool(verify(problem, spoiled))
        num_refused += is_refused
        if any("is not within" in violation.text for violation in verify(problem, spoiled)):
            continue  # there is no schedule of so many steps to write out
        schedule = written_out(problem, spoiled)
        assert bool(verify(problem, schedule)) == is_refused
        assert bool(judge(problem, schedule)) == is_refused
    assert 5 < num_refused < 40

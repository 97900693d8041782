"""Rehearsals call the kernels that are to be compiled."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import pavane
from pavane.io.request import Request
from pavane.jit.compiling import compiled
from pavane.parallel.pools import Workers
from pavane.search.warm_up_runs import NOT_REHEARSED, REHEARSALS, RehearsalOfBounds, rehearsed
from pavane.solvers import SOLVERS

CALLED = {
    "combining": {"fill", "anneal_reach", "anneal_paths", "anneal_trees"},
    "evolutionary algorithms": {
        *("all_conflicts", "found", "run_generations"),
        *("number_values", "grow_trees", "sample_trees", "repair_all"),
    },
    "annealing": {"start_genes", "count_anew", "anneal"},
    "ejection": {"insert_all", "list_ways", "insert_through_time", "reroute", "let_wait", "take_hops"},
    "packing": {
        *(
            "fit_first",
            "fit_window",
            "fill_free_step",
            "spread_loads",
            "fill_planned_step",
            "weigh_messages",
            "close_step",
        ),
        *("insert_with_ejection", "reroute"),
    },
    "packing along plans": {"weigh_pairs", "fill_free_step", "drop_scheduled", "gather_paths", "sweep"},
    "broadcast": {
        *("match_neighbours", "repair", "match_through_switches", "reach_farther", "place_sums"),
        *("measure_heights", "shut_all_but_rising", "keep_flow", "fill_flow", "mark_surplus"),
    },
    "bounds": {"add_loads", "list_ways"},
}
"""The kernels that each part calls."""

QUICK = ("evolutionary algorithms", "ejection", "bounds")
"""The parts that take a moment although nothing is compiled."""


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """Run kernels as they are, and collect the names of those that would be compiled."""
    names: set[str] = set()

    def note_name(kernel: Callable[..., object], _: tuple[Any, ...]) -> Callable[..., object]:
        names.add(kernel.__name__)
        return kernel

    monkeypatch.setattr("pavane.jit.compiling._machine_code", note_name)
    compiled.cache_clear()
    yield names
    compiled.cache_clear()


@pytest.mark.parametrize("name", QUICK)
def test_kernels_are_called(name: str, called: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that solvers of one kind need."""
    monkeypatch.setattr("pavane.search.warm_up_runs.REHEARSALS", {name: REHEARSALS[name]})
    assert list(rehearsed(Workers(), lambda _: None)) == [name]
    assert called >= CALLED[name]


def test_every_kernel_is_called_by_a_part_or_left_out_for_a_reason() -> None:
    """Whoever adds a kernel has it compiled by `pavane warm-up`, or says why not."""
    assert CALLED.keys() == REHEARSALS.keys()
    rehearsed_kernels = set().union(*CALLED.values())
    assert not rehearsed_kernels & NOT_REHEARSED.keys()
    assert _compiled_kernels() == rehearsed_kernels | NOT_REHEARSED.keys()


def _compiled_kernels() -> set[str]:
    """Return the names of all functions that the package has compiled, as its sources hand them to `compiled`."""
    found: set[str] = set()
    for path in Path(pavane.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for call in ast.walk(ast.parse(text)) if "compiled" in text else ():
            if not isinstance(call, ast.Call) or not call.args:
                continue
            function = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            # A class may name the kernel that its base compiles: kernel = staticmethod(anneal_paths).
            is_named = function == "staticmethod" and "compiled(self.kernel)" in text
            if is_named or function in ("compiled", "_compiled"):
                kernel = call.args[0]
                found.add(kernel.attr if isinstance(kernel, ast.Attribute) else getattr(kernel, "id", ""))
    assert "kernel" in found
    return found - {"kernel"}


@pytest.mark.parametrize("name", REHEARSALS)
def test_solvers_can_work_on_their_problems(name: str) -> None:
    """No rehearsal is refused."""
    for rehearsal in REHEARSALS[name]:
        if isinstance(rehearsal, RehearsalOfBounds):
            continue
        problem = Request(rehearsal.network, rehearsal.collective, **rehearsal.rules).problem()
        assert SOLVERS[rehearsal.method].supports(problem)

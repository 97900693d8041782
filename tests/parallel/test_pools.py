"""Workers: a number means processes of this machine; anybody else who hires crews is asked for them."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.parallel.pool import Alone, Crew
from pavane.parallel.pools import ALONE, Workers, workers_of
from pavane.parallel.processes import Processes


def test_a_number_means_processes_of_this_machine() -> None:
    """One is this process; more are no more than there are calls."""
    assert workers_of(1) == ALONE
    assert ALONE.is_alone
    assert isinstance(workers_of(1).crew(5, None), Alone)
    crew = workers_of(4).crew(3, None)
    assert isinstance(crew, Processes)
    assert crew.size == 3
    assert isinstance(workers_of(4).crew(1, None), Alone)
    assert workers_of(4).size_here == 4


def test_others_are_asked_for_their_crews_even_for_one_call() -> None:
    """Who works elsewhere is sent what there is, be it one call; this process does not stand in."""
    hired: list[tuple[int, Any]] = []

    def hire(size: int, shared: Any) -> Crew:
        hired.append((size, shared))
        return Alone(shared)

    elsewhere = Workers(1, hire)
    assert not elsewhere.is_alone
    assert elsewhere.size_here == 1
    elsewhere.crew(1, "problem")
    Workers(8, hire).crew(3, "problem")
    assert hired == [(1, "problem"), (3, "problem")]
    assert workers_of(elsewhere) is elsewhere


@pytest.mark.parametrize("asked", [0, -3])
def test_nobody_is_refused(asked: int) -> None:
    """At least one must work."""
    with pytest.raises(InputError, match=rf"^workers {asked}: a search needs at least one; give 1 or more$"):
        workers_of(asked)


def test_workers_of_this_machine_travel() -> None:
    """What asks for two processes asks for two processes in another process, too."""
    assert pickle.loads(pickle.dumps(Workers(2))) == Workers(2)

"""Workers: a number means processes of this machine; anybody else who hires pools is asked for them."""

from typing import Any

import pytest

from pavane.errors import InputError
from pavane.parallel.pool import Pool, SerialPool
from pavane.parallel.pools import SERIAL, Workers, as_workers
from pavane.parallel.processes import ProcessPool


def test_a_number_means_processes_of_this_machine() -> None:
    """One is this process; more are no more than there are calls."""
    assert as_workers(1) == SERIAL
    assert SERIAL.is_serial
    assert isinstance(as_workers(1).pool(5, None), SerialPool)
    pool = as_workers(4).pool(3, None)
    assert isinstance(pool, ProcessPool)
    assert pool.size == 3
    assert isinstance(as_workers(4).pool(1, None), SerialPool)
    assert as_workers(4).local_size == 4


def test_others_are_asked_for_their_crews_even_for_one_call() -> None:
    """Who works elsewhere is sent what there is, be it one call; this process does not stand in."""
    hired: list[tuple[int, Any]] = []

    def hire(size: int, shared: Any) -> Pool:
        hired.append((size, shared))
        return SerialPool(shared)

    elsewhere = Workers(1, hire)
    assert not elsewhere.is_serial
    assert elsewhere.local_size == 1
    elsewhere.pool(1, "problem")
    Workers(8, hire).pool(3, "problem")
    assert hired == [(1, "problem"), (3, "problem")]
    assert as_workers(elsewhere) is elsewhere


@pytest.mark.parametrize("asked", [0, -3])
def test_nobody_is_refused(asked: int) -> None:
    """At least one must work."""
    with pytest.raises(InputError, match=rf"^workers {asked}: a search needs at least one; give 1 or more$"):
        as_workers(asked)

"""Tables of slots that were written by hand."""

from __future__ import annotations

from dataclasses import replace

from pavane.judge.result import Result
from pavane.model.collectives import pairs
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import ring

ONE_TO_TWO, ZERO_TO_ONE = 2, 0
"""Channels of a ring of four routers."""


def two_packets(num_slots: int = 4, late: int = 3, **rules: int | bool) -> Result:
    """Return a table for a ring of four: 0 sends to 2 in the slot `late`, and to 1 in slot 1."""
    network = ring(4)
    tdm = Rules(switching="tdm", ports=1, **rules)  # type: ignore[arg-type]
    problem = Problem(network, pairs([(0, 1), (0, 2)]), tdm)
    transfers = [Transfer(1, 0, 1, (ZERO_TO_ONE,), (0,)), Transfer(late, 0, 2, (ZERO_TO_ONE, ONE_TO_TWO), (1,))]
    return Result(problem, Schedule.from_transfers(transfers, num_slots))


def twice() -> Result:
    """Return a table of eight slots for a ring of four, in which 0 sends to 2 in the slots 0 and 3."""
    network = ring(4)
    collective = replace(pairs([(0, 2)]), pieces=2)
    problem = Problem(network, collective, Rules(switching="tdm", ports=1))
    path = (ZERO_TO_ONE, ONE_TO_TWO)
    return Result(problem, Schedule.from_transfers([Transfer(0, 0, 2, path, (0,)), Transfer(3, 0, 2, path, (1,))], 8))

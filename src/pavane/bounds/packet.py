"""The bound by one packet (tdm with wrap): in a period shorter than a packet it would meet itself.

Loads prove the same of units with room for one packet. Of those with room for two they prove half of it: one packet of
four slots fills such a unit for two slots.
"""

from __future__ import annotations

from collections.abc import Iterator

from pavane.bounds.phrases import Unit
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "packet"


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the slots of a packet, where there are several."""
    if problem.rules.wrap and problem.rules.packet_slots > 1 and problem.num_messages:
        yield Bound(problem.rules.packet_slots, NAME, {})


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State how long a packet is."""
    return f"a packet has {counted(problem.rules.packet_slots, 'slot')}, and in a shorter period it would meet itself"

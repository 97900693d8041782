"""Time-division multiplexing: what a table of slots shares with a schedule of steps.

A packet that is injected in slot t uses the sender's port in t, channel number i of its path in t + i * (router delay +
link delay), and the receiver's port one router delay after its last channel. It uses each of them for as many slots as
it has, and waits nowhere.
"""

from __future__ import annotations

from dataclasses import replace

from pavane.model.problem import Problem, Rules


def as_steps(problem: Problem) -> Problem:
    """Return the wormhole problem that loads every channel and port as the packets of a tdm problem do.

    A packet of f slots loads a unit as f pieces do, one in each step. So what bounds the load of steps bounds that of
    slots; when packets can be where says nothing about steps.
    """
    rules = problem.rules
    collective = replace(problem.collective, pieces=problem.collective.pieces * rules.packet_slots)
    return Problem(problem.network, collective, Rules(ports=rules.ports, duplex=rules.duplex, routing=rules.routing))

"""Payloads: what the best of an annealing is built to."""

import numpy as np

from pavane.jit import compiled
from pavane.model.collectives import many_to_many_broadcast
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.solvers.combining.kernels import transfer_sets as plain
from pavane.solvers.combining.layout import CombiningLayout
from pavane.solvers.combining.payloads import TreePayloads
from tests.jit.pushed_sets import CASES, WARM


def test_relays_serve_somebody() -> None:
    """A processor that wants nothing gets a message only to send it on."""
    made = network("mesh:3x3")
    problem = Problem(made, many_to_many_broadcast((0, 8), (2, 6)), CASES[0][1])
    layout = CombiningLayout.of(problem)
    work, rng = layout.work(layout.sets(4)), np.random.default_rng(3)
    for step in range(4):
        compiled(plain.fill)(work, step, np.arange(0), rng)
    found = TreePayloads(layout, work.sets, (), 4.0)
    list(found.start(work, rng))
    found.anneal(work, WARM._replace(moves=200), rng)
    sent = {(t.sender, m) for t in found.schedule() for m in t.messages}
    for transfer in found.schedule():
        assert transfer.receiver in (2, 6) or all((transfer.receiver, m) in sent for m in transfer.messages)

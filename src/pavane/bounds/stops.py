"""What stops on the way require of ports: under store-and-forward every hop is sent by a processor and received by one.

Whichever way it goes, a message is sent by its origin and received by its target. At each router between it is received
and sent on by one of the processors there. A pure switch has no ports.
"""

from __future__ import annotations

import numpy as np

from pavane.bounds.prices import CertificatePrices, cheapest_stop
from pavane.model.arrays import Longs, Reals
from pavane.model.problem import Problem


class Stops:
    """The ports that may be too narrow, and what messages that stop there pay and load.

    Injection ports come first, then ejection ports.
    """

    def __init__(self, problem: Problem) -> None:
        network = problem.network
        self._network, self.num_routers = network, network.num_routers
        self.router_of: Longs = network.router_of.astype(np.int64)
        origins, targets = problem.ends.T
        is_local = self.router_of[origins] == self.router_of[targets]
        # A port as wide as its router's channels together is never too narrow for what goes over channels.
        self.senders, self.receivers = (
            np.flatnonzero((ports < degrees[self.router_of]) | np.isin(np.arange(len(ports)), members[is_local]))
            for ports, degrees, members in (
                (problem.injection, network.out_degrees, origins),
                (problem.ejection, network.in_degrees, targets),
            )
        )
        self.num_ports = len(self.senders) + len(self.receivers)
        own = problem.num_sent[self.senders], problem.num_received[self.receivers]
        self.own: Longs = np.concatenate(own).astype(np.int64)
        """What each port carries whichever way messages go."""
        capacity = problem.injection[self.senders], problem.ejection[self.receivers]
        # Without a channel to send or receive on there is no port, and nothing that it would carry.
        self.capacity: Longs = np.maximum(np.concatenate(capacity), 1).astype(np.int64)
        self.processors: Longs = np.concatenate((self.senders, self.receivers))
        """The processor of each port."""

    def columns(self, per_port: Longs) -> tuple[Longs, Longs]:
        """Return the prices of all processors' injection, and of their ejection."""
        injection, ejection = np.zeros((2, len(self.router_of)), dtype=np.int64)
        injection[self.senders], ejection[self.receivers] = np.split(per_port, [len(self.senders)])
        return injection, ejection

    def tolls(self, per_port: Longs) -> Longs:
        """Return what a stop at each router costs: the two ports of its cheapest processor."""
        return cheapest_stop(self._network, CertificatePrices(np.zeros(0, dtype=np.int64), *self.columns(per_port)))

    def loads(self, per_port: Longs, passing: Reals) -> Reals:
        """Return what the ports carry where all that passes each router stops at its cheapest processors alike."""
        injection, ejection = self.columns(per_port)
        is_cheapest = injection + ejection == self.tolls(per_port)[self.router_of]
        num_cheapest = np.bincount(self.router_of, weights=is_cheapest, minlength=self._network.num_routers)
        relayed: Reals = np.where(is_cheapest, (passing / np.maximum(num_cheapest, 1))[self.router_of], 0.0)
        loads: Reals = self.own + relayed[self.processors]
        return loads

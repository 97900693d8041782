"""Links on which a transfer takes as long as the linear model says: noc eq. (1)."""

from __future__ import annotations

from pavane.errors import InputError
from pavane.model.links import PICOSECONDS, Links
from pavane.model.network import Network
from pavane.timing import Costs


def links_of_costs(network: Network, costs: Costs) -> Links:
    """Return links of which a transfer takes as long as the linear model says; what a file says comes first."""
    if not costs.per_byte:
        raise InputError("start times need a bandwidth; give a time per byte above 0")
    return Links.of_network(
        network,
        latency_ps=round(costs.per_hop * PICOSECONDS),
        overhead_ps=round(costs.startup * PICOSECONDS),
        bytes_per_second=max(1, round(1 / costs.per_byte)),
    )

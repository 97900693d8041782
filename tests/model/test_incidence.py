"""The channels at each router, as arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from pavane.model.network import Network
from pavane.networks import network
from tests.model.multigraphs import multigraphs


@given(multigraphs())
def test_each_channel_is_listed_at_its_router(made: Network) -> None:
    """Every channel stands once, at the router that it leaves or enters, in order."""
    for incidence, ends in ((made.outgoing, made.tails), (made.incoming, made.heads)):
        for router in range(made.num_routers):
            listed = incidence.channels[incidence.offsets[router] : incidence.offsets[router + 1]]
            assert np.array_equal(listed, np.flatnonzero(ends == router))


def test_the_arrays_cannot_be_written_to() -> None:
    """What a network remembers is as frozen as the network."""
    made = network("ring:4")
    with pytest.raises(ValueError, match="read-only"):
        made.outgoing.channels[0] = 1

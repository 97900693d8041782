"""Random regular networks."""

import time

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from pavane.networks import random_regular
from pavane.networks.prng import Dice
from pavane.networks.random_networks import _mend
from tests.networks.graphs import is_regular, simple_graph


@given(st.integers(2, 24), st.integers(1, 23), st.integers(0, 2**40))
def test_random_regular(num_routers: int, degree: int, seed: int) -> None:
    """Every possible number of routers and degree gives a connected regular network without parallel links."""
    assume(degree < num_routers and num_routers * degree % 2 == 0 and (degree > 1 or num_routers == 2))
    made = random_regular(num_routers, degree, seed)
    simple_graph(made)
    assert is_regular(made, degree)
    assert made.is_connected


def test_seed() -> None:
    """A network depends on its seed, and on nothing else."""
    assert random_regular(32, 4, 7) == random_regular(32, 4, 7)
    assert random_regular(32, 4, 7).channels.tolist() != random_regular(32, 4, 8).channels.tolist()


def test_same_everywhere() -> None:
    """The network of a seed is the same on every machine and never changes."""
    links = [tuple(channel) for channel in random_regular(8, 3, 1).channels[::2].tolist()]
    expected = "01 05 06 14 16 23 25 27 34 37 45 67"
    assert " ".join(sorted(f"{min(link)}{max(link)}" for link in links)) == expected


def test_large() -> None:
    """A network of 65536 routers is made within seconds."""
    start = time.process_time()
    made = random_regular(65536, 4, 1)
    assert time.process_time() - start < 10
    assert is_regular(made, 4)
    assert made.is_connected


def test_links_that_no_swap_mends_are_drawn_anew() -> None:
    """Two routers have one link; the second would always be its parallel."""
    assert not _mend(2, np.array([[0, 1], [0, 1]]), Dice(0))

"""Two names for one network."""

from __future__ import annotations

import random

from pavane.campaign.same_networks import merged
from pavane.model.network import Network
from pavane.model.problem import Rules
from pavane.networks import network


def groups(specs: list[str], collectives: tuple[str, ...] = ("AAS",), **rules: object) -> list[list[str]]:
    """Return the names of each different network."""
    return [names for names, _ in merged({network(each): Rules(**rules) for each in specs}, collectives)]  # type: ignore[arg-type]


def test_isomorphic_networks_are_one() -> None:
    """The shortest name comes first; networks that only share their figures stay apart."""
    assert groups(["hypercube:2", "ring:4", "line:4"]) == [["ring:4", "hypercube:2"], ["line:4"]]
    cubes = ["torus:4x4", "hypercube:4", "mesh:2x2x2x2", "multi-octagon:2"]
    assert groups(cubes) == [["torus:4x4", "hypercube:4", "mesh:2x2x2x2"], ["multi-octagon:2"]]
    assert groups(["ring:4", "ring:4,oneway", "ring:4"]) == [["ring:4"], ["ring:4,oneway"]]


def test_other_numbers_are_the_same_network() -> None:
    """A network of a file may number its routers as it likes."""
    kautz = network("kautz:3,2")
    image = random.Random(7).sample(range(kautz.num_routers), kautz.num_routers)
    channels = [(image[tail], image[head]) for tail, head in reversed(kautz.channels.tolist())]
    mine = Network("mine", kautz.num_routers, channels)
    ((names, problems),) = merged(dict.fromkeys([network("kautz:3,2"), mine], Rules()), ("AAS",))
    assert names == ["mine", "kautz:3,2"]
    assert problems[0].network is mine


def test_roots_tell_networks_apart() -> None:
    """A line whose processor 0 is in the middle broadcasts sooner than one where it is at the end."""
    links = [(0, 1), (1, 2), (0, 3), (3, 4)]
    middle = Network("middle", 5, [way for a, b in links for way in ((a, b), (b, a))])
    both = dict.fromkeys([network("line:5"), middle], Rules())
    assert [names for names, _ in merged(both, ("AAS",))] == [["line:5", "middle"]]
    assert [names for names, _ in merged(both, ("AAS", "OAB"))] == [["line:5"], ["middle"]]


def test_rows_and_columns_tell_networks_apart() -> None:
    """Where paths go by rows and columns, a torus and a mesh that are one graph are two networks."""
    assert groups(["torus:2x2", "mesh:4x4", "mesh:4x4"], routing="dimension-order") == [["torus:2x2"], ["mesh:4x4"]]


def test_networks_of_one_name_may_differ() -> None:
    """Two files may give their networks one name; both are compared."""
    pair = [Network("net", 2, [(0, 1), (1, 0)]), Network("net", 3, [(0, 1), (1, 2), (2, 0)])]
    assert [
        (names, problems[0].network.num_routers) for names, problems in merged(dict.fromkeys(pair, Rules()), ("AAS",))
    ] == [
        (["net"], 2),
        (["net"], 3),
    ]

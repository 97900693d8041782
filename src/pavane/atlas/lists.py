"""Lists of problems for sweeps: networks, each with collectives and rules; some lists have names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, permutations, product
from math import gcd

from pavane.atlas.cubic_graphs import all_cubic
from pavane.errors import InputError
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import FAMILIES, network
from pavane.networks.layout import circle
from pavane.networks.links import two_way

COLLECTIVES = ("OAB", "OAS", "AAB", "AAS")
PORTS = (Rules(), Rules(ports=1))

OF_PAPERS = (
    *("ring:4", "ring:8", "ring:4,oneway", "ring:8,oneway", "octagon", "petersen", "kautz:3,2", "heawood"),
    *("mesh:4x4", "spidergon:16", "hypercube:3", "hypercube:4", "hypercube:5", "hypercube:6", "kautz:3,3", "levi"),
    *("fat-octagon:2", "bridged-octagons:2", "multi-octagon:3", "coated-mesh:4x4", "hierarchical-rings:4,4"),
    *("hierarchical-rings:4,4,4", "mesh:6x6", "mesh:8x8", "k-ring:3", "hoffman-singleton", "amp:8", "amp:32"),
    *("folded-hypercube:4", "folded-hypercube:5", "torus:4x4", "torus:5x5", "torus:6x6", "torus:8x8"),
)
"""Networks of the papers of at most 64 processors, as the catalogue writes them, and their neighbours."""

MEMBERS = (
    *(f"ring:{size}" for size in range(3, 17)),
    *(f"line:{size}" for size in range(2, 13)),
    *(f"complete:{size}" for size in range(3, 17)),
    *(f"star:{size}" for size in range(4, 13)),
    *(f"hypercube:{dimension}" for dimension in range(1, 7)),
    *(f"folded-hypercube:{dimension}" for dimension in range(3, 6)),
    *(f"mesh:{a}x{b}" for a in range(2, 7) for b in range(a, 7)),
    *(f"torus:{a}x{b}" for a in range(3, 7) for b in range(a, 7)),
    *("mesh:2x2x2", "mesh:3x3x3", "mesh:4x4x4", "torus:3x3x3", "torus:4x4x4", "hyperx:3x3", "hyperx:4x4", "hyperx:5x5"),
    *(f"spidergon:{size}" for size in range(8, 33, 4)),
    *(f"twisted-ladder:{size}" for size in range(6, 17, 2)),
    *(f"amp:{size}" for size in range(6, 33, 2)),
    *("kautz:2,2", "kautz:2,3", "kautz:2,4", "kautz:3,2", "kautz:4,2", "kautz:5,2"),
    *("de-bruijn:2,3", "de-bruijn:2,5", "de-bruijn:3,2", "de-bruijn:3,3", "de-bruijn:4,2"),
    *("fat-octagon:3", "fat-octagon:4", "bridged-octagons:3", "multi-octagon:4", "coated-mesh:3x3", "coated-mesh:5x5"),
    *("dgx-h100:1", "dgx-a100:1", "dgx-2:1", "ndv2:1", "mi250:2", "nvl:8", "nvl:36", "rails:2,4", "rails:2,8"),
)
"""Small members of the families of the catalogue."""

CUBIC_SIZES = (4, 6, 8, 10, 12)
CIRCULANT_SIZES = range(7, 17)
PETERSEN_SIZES = range(4, 13)


def problems_on(
    networks: Iterable[Network],
    collectives: Sequence[str] = COLLECTIVES,
    rules: Sequence[Rules] = PORTS,
    note: Callable[[str], None] = lambda _: None,
) -> Iterator[Problem]:
    """Yield each collective on each network under each of the rules; impossible combinations are noted."""
    for where, kind, how in product(networks, collectives, rules):
        try:
            yield Problem(where, named(kind, where), how)
        except InputError as error:
            note(str(error))


def networks_of(name: str) -> Iterator[Network]:
    """Return the networks of a list by its name."""
    if name not in LISTS:
        raise InputError(f"there is no list {name!r}; choose {' or '.join(LISTS)}")
    return LISTS[name]()


def cubic() -> Iterator[Network]:
    """Yield all connected cubic graphs of up to 12 routers, the smallest first."""
    for size in CUBIC_SIZES:
        yield from all_cubic(size)


def cayley() -> Iterator[Network]:
    """Yield small Cayley graphs: circulants of degree 4, and three cubic ones of the permutations of four."""
    for size in CIRCULANT_SIZES:
        for a, b in combinations(range(1, (size + 1) // 2), 2):
            if gcd(size, a, b) == 1:
                links = [(router, (router + jump) % size) for jump in (a, b) for router in range(size)]
                yield Network(f"circulant-{size}-{a}-{b}", size, two_way(links), positions=circle(size))
    yield _of_permutations("star-graph-4", [(1, 0, 2, 3), (2, 1, 0, 3), (3, 1, 2, 0)])
    yield _of_permutations("pancake-4", [(1, 0, 2, 3), (2, 1, 0, 3), (3, 2, 1, 0)])
    yield _of_permutations("bubble-sort-4", [(1, 0, 2, 3), (0, 2, 1, 3), (0, 1, 3, 2)])


def _of_permutations(name: str, generators: Sequence[tuple[int, ...]]) -> Network:
    """Return the Cayley graph of permutations: each is linked with what a generator, its own inverse, makes of it."""
    words = list(permutations(range(len(generators[0]))))
    number = {word: index for index, word in enumerate(words)}
    links = [
        (number[word], there)
        for word in words
        for generator in generators
        if (there := number[tuple(word[index] for index in generator)]) > number[word]
    ]
    return Network(name, ["".join(map(str, word)) for word in words], two_way(links), positions=circle(len(words)))


def generalized_petersen() -> Iterator[Network]:
    """Yield generalized Petersen graphs: a ring, spokes, and an inner ring that jumps."""
    for size in PETERSEN_SIZES:
        for jump in range(1, (size + 1) // 2):
            around = range(size)
            links = [(i, (i + 1) % size) for i in around]
            links += [(i, size + i) for i in around]
            links += [(size + i, size + (i + jump) % size) for i in around]
            positions = [*circle(size).tolist(), *circle(size, 0.6).tolist()]
            yield Network(f"generalized-petersen-{size}-{jump}", 2 * size, two_way(links), positions=positions)


def shipped() -> Iterator[Network]:
    """Yield the networks of the atlas that comes with the package."""
    for name, some in LISTS.items():
        if name != "shipped":
            yield from some()


LISTS: dict[str, Callable[[], Iterator[Network]]] = {
    "catalogue": lambda: (network(family.example) for family in FAMILIES.values()),
    "papers": lambda: map(network, OF_PAPERS),
    "members": lambda: map(network, MEMBERS),
    "cubic": cubic,
    "cayley": cayley,
    "petersen": generalized_petersen,
    "shipped": shipped,
}
"""Lists of networks by name."""

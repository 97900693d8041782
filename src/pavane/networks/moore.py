"""Moore graphs and generalized Moore graphs (gecco08 section 2): as many routers as degree and girth allow."""

from pavane.model.network import Network
from pavane.networks.layout import circle, circle_of_circles, nested_circles, rows
from pavane.networks.links import cycle, two_way


def petersen() -> Network:
    """Return the Petersen graph: a pentagon, routers 0 to 4, around a pentagram, routers 5 to 9."""
    links = [link for i in range(5) for link in ((i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5))]
    positions = nested_circles((5,)).tolist() + circle(5, 0.5).tolist()
    return Network("petersen", 10, two_way(links), positions=positions)


def utility() -> Network:
    """Return the utility graph: routers 0 to 2 are linked with routers 3 to 5."""
    links = [(house, supply) for house in range(3) for supply in range(3, 6)]
    return Network("utility", 6, two_way(links), positions=rows(3, 3))


def heawood() -> Network:
    """Return the Heawood graph of 14 routers."""
    return _ring_with_chords("heawood", [5, -5] * 7)


def levi() -> Network:
    """Return the Levi graph of 30 routers, which Tutte and Coxeter described."""
    return _ring_with_chords("levi", [-13, -9, 7, -7, 9, 13] * 5)


def hoffman_singleton() -> Network:
    """Return the Hoffman-Singleton graph: five pentagons (routers 0 to 24) and five pentagrams (25 to 49).

    Router j of pentagon h is linked with router h*i + j modulo 5 of pentagram i.
    """
    links = []
    for h in range(5):
        links += [(5 * h + j, 5 * h + (j + 1) % 5) for j in range(5)]
        links += [(25 + 5 * h + j, 25 + 5 * h + (j + 2) % 5) for j in range(5)]
        links += [(5 * h + j, 25 + 5 * i + (h * i + j) % 5) for i in range(5) for j in range(5)]
    return Network("hoffman-singleton", 50, two_way(links), positions=circle_of_circles(10, 5))


def _ring_with_chords(name: str, jumps: list[int]) -> Network:
    """Return a cubic network by its LCF notation: a ring, and a chord from each router i to i + jumps[i]."""
    size = len(jumps)
    chords = [(i, (i + jump) % size) for i, jump in enumerate(jumps)]
    links = cycle(range(size)) + [(a, b) for a, b in chords if a < b]
    return Network(name, size, two_way(links), positions=circle(size))

"""Candidates for a network: all members of the catalogue with some number of processors and degree, and random ones.

The degree of a network is the most channels that leave, or enter, a router with processors, each as often as its
capacity says. What a switch without processors has does not count: there it is the price of the switch.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from math import ceil, factorial, isqrt, sqrt

from pavane.errors import InputError, expect_whole, shortened
from pavane.model.network import Network
from pavane.networks import FAMILIES, network
from pavane.text import counted

MOST_PROCESSORS = 256
"""Networks of more processors are not proposed: there are too many, and some take long to make."""

NUM_RANDOM = 3
"""Random regular networks of each number of routers and degree: seeds 0, 1 and 2."""

LEAST_RANDOM_DEGREE = 3
"""Of degree 2 there is the ring alone."""

Span = int | tuple[int, int]
"""A number, or the least and the most."""

Parameters = Iterable[tuple[int | str, ...]]


def candidates(processors: Span, degree: Span | None = None) -> tuple[Network, ...]:
    """Return the networks of the catalogue with so many processors and such a degree, and random regular ones.

    Args:
        processors: The number of processors, or the least and the most.
        degree: The degree of the routers that carry processors, or the least and the most; any unless given.

    Returns:
        The networks, those of few processors first; each has the name by which `pavane.network` makes it. A network
        that has several names is there under each.

    Example:
        >>> [network.name for network in pavane.candidates(10, 3)][:4]
        ['mesh:2x5', 'torus:2x5', 'spidergon:10', 'coated-mesh:2x3']
    """
    return tuple(proposed(processors, degree))


def proposed(processors: Span, degree: Span | None = None) -> Iterator[Network]:
    """Yield the networks that `candidates` returns, one after the other: a wide range has thousands."""
    sizes = _range(processors, "processors", 2)
    degrees = None if degree is None else _range(degree, "degree", 1)
    if sizes.stop - 1 > MOST_PROCESSORS:
        raise InputError(f"`processors` {sizes.stop - 1}: at most {MOST_PROCESSORS} are proposed for; name networks")
    number = 0
    for size in sizes:
        for made in _of_size(size, degrees):
            number += 1
            yield made
    if not number:
        wanted = _wanted(sizes, degrees)
        raise InputError(f"no network of the catalogue has {wanted}; widen the range, or name networks")


def read_span(text: str, name: str) -> Span:
    """Read a number, or a range like 12-16."""
    ends = re.fullmatch(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?", text, re.ASCII)
    if not ends:
        raise InputError(f"`{name}` {text!r} is neither a number nor a range; write 16, or 12-16")
    return int(ends[1]) if ends[2] is None else (int(ends[1]), int(ends[2]))


def degree_of(network: Network) -> int:
    """Return the most channels that leave, or enter, a router with processors, by their capacities."""
    homes = network.router_of
    return int(max(network.out_degrees[homes].max(initial=0), network.in_degrees[homes].max(initial=0)))


def _range(span: Span, name: str, least: int) -> range:
    """Return the requested numbers; refuse an empty range, and anything that is not a number."""
    if isinstance(span, tuple) and len(span) != 2:
        raise InputError(f"`{name}` is {shortened(span)}; give a number, or the least and the most, like (12, 16)")
    first, last = (expect_whole(end, name, 16) for end in (span if isinstance(span, tuple) else (span, span)))
    if first > last:
        raise InputError(f"`{name}` from {first} to {last} is not a range; give the least first")
    if last < least:
        raise InputError(f"`{name}` {last}: a network to compare has at least {least}; give more")
    return range(max(first, least), last + 1)


def _wanted(sizes: range, degrees: range | None) -> str:
    def text(numbers: range, noun: str) -> str:
        first, last = numbers[0], numbers[-1]
        return counted(first, noun) if first == last else f"{first} to {counted(last, noun)}"

    degree = "" if degrees is None else f" and degree {degrees[0]}" + f" to {degrees[-1]}" * (len(degrees) > 1)
    return text(sizes, "processor") + degree


def _of_size(size: int, degrees: range | None) -> Iterator[Network]:
    """Yield the networks of one number of processors, families in the order of the catalogue."""
    for name, family in FAMILIES.items():
        for parameters in _PARAMETERS[name](size):
            text = family.separator.join(map(str, parameters))
            if degrees is not None and name == "random-regular" and parameters[1] not in degrees:
                continue
            with suppress(InputError):  # a family may take even numbers only, or other limits
                made = network(f"{name}:{text}" if text else name)
                if made.num_processors == size and (degrees is None or degree_of(made) in degrees):
                    yield made


# -- the parameters with which the members of a family may have some number of processors


def _only(size: int) -> Callable[[int], Parameters]:
    """Return none, or the one member there is."""
    return lambda num_processors: [()] if num_processors == size else []


def _itself(size: int) -> Parameters:
    return [(size,)]


def _any_way(size: int) -> Parameters:
    return [(size,), (size, "oneway")]


def _times(each: int, more: int = 0) -> Callable[[int], Parameters]:
    """Return the number of parts of some processors each, where that comes out even."""
    return lambda size: [((size - more) // each,)] if (size - more) % each == 0 else []


def _where(count: Callable[[int], int]) -> Callable[[int], Parameters]:
    """Return the parameter for which a count that grows with it gives the number of processors."""

    def found(size: int) -> Parameters:
        parameter = 1
        while count(parameter) < size:
            parameter += 1
        return [(parameter,)] if count(parameter) == size else []

    return found


def _pairs_where(count: Callable[[int, int], int], least: int = 1) -> Callable[[int], Parameters]:
    """Return the pairs of parameters for which a count that grows with both gives the number of processors."""

    def found(size: int) -> Parameters:
        first = least
        while count(first, 1) <= size:
            second = 1
            while count(first, second) < size:
                second += 1
            if count(first, second) == size:
                yield first, second
            first += 1

    return found


def _factors(size: int, least: int = 2) -> Iterator[tuple[int, ...]]:
    """Yield all ways to write a number as a product, factors ascending; the number alone among them."""
    yield (size,)
    for first in range(least, int(size**0.5) + 1):
        if size % first == 0:
            yield from ((first, *rest) for rest in _factors(size // first, first))


def _grids(size: int) -> Parameters:
    """Return the sizes of grids of two and more dimensions, ascending: others are the same, turned."""
    return [factors for factors in _factors(size) if len(factors) > 1]


def _rings_of_rings(size: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to write a number as a product of factors from 2 up, in every order."""
    for first in range(2, size // 2 + 1):
        if size % first == 0:
            yield first, size // first
            yield from ((first, *rest) for rest in _rings_of_rings(size // first))


def _coats(size: int) -> Parameters:
    return [(short, size // 2 - short) for short in range(1, size // 4 + 1) if size % 2 == 0]


def _trees(size: int) -> Parameters:
    """Return degree and levels of k-ary n-trees, which have two levels or more."""
    pairs = _pairs_where(lambda degree, levels: degree**levels, 2)(size)
    return [parameters for parameters in pairs if parameters != (size, 1)]


def _circulants(size: int) -> Parameters:
    """Return the circulant of degree 4 with the least diameter (Boesch and Wang 1985): jumps b - 1 and b."""
    jump = ceil(sqrt(size / 2))
    return [(size, jump - 1, jump)] if jump > 1 else []


def _norms(norm: Callable[[int, int], int]) -> Callable[[int], Parameters]:
    """Return the pairs, the lesser one first, whose norm is the number of processors."""

    def found(size: int) -> Parameters:
        sides = range(isqrt(size) + 1)
        return [(a, b) for a in sides for b in sides[a:] if norm(a, b) == size]

    return found


def _random(size: int) -> Parameters:
    degrees = range(LEAST_RANDOM_DEGREE, size)
    return [(size, degree, seed) for degree in degrees if size * degree % 2 == 0 for seed in range(NUM_RANDOM)]


_PARAMETERS: dict[str, Callable[[int], Parameters]] = {
    "ring": _any_way,
    "line": _itself,
    "complete": _itself,
    "star": _itself,
    "mesh": _grids,
    "torus": _grids,
    "hypercube": _where(lambda dimensions: 2**dimensions),
    "folded-hypercube": _where(lambda dimensions: 2**dimensions),
    "octagon": _only(8),
    "spidergon": _itself,
    "fat-octagon": _times(8),
    "bridged-octagons": _times(7, 1),
    "multi-octagon": _times(8),
    "coated-mesh": _coats,
    "hierarchical-rings": _rings_of_rings,
    "kautz": _pairs_where(lambda degree, diameter: degree**diameter + degree ** (diameter - 1), 2),
    "de-bruijn": _pairs_where(lambda degree, digits: degree**digits, 2),
    "petersen": _only(10),
    "heawood": _only(14),
    "levi": _only(30),
    "hoffman-singleton": _only(50),
    "utility": _only(6),
    "twisted-ladder": _itself,
    "amp": _itself,
    "cube-connected-cycles": _where(lambda dimensions: dimensions * 2**dimensions),
    "star-graph": _where(factorial),
    "circulant": _circulants,
    "gaussian": _norms(lambda a, b: a * a + b * b),
    "eisenstein": _norms(lambda a, b: a * a + a * b + b * b),
    "fat-tree": _where(lambda degree: degree**3 // 4),
    "kary-tree": _trees,
    "dragonfly": _pairs_where(lambda routers, links: routers * (routers * links + 1)),
    "slim-fly": _where(lambda order: 2 * order**2),
    "hyperx": _grids,
    "dgx-1": _only(8),
    "dgx-2": _times(16),
    "dgx-a100": _times(8),
    "dgx-h100": _times(8),
    "ndv2": _times(8),
    "mi250": _times(16),
    "nvl": _itself,
    "rails": lambda size: [(boxes, size // boxes) for boxes in range(2, size // 2 + 1) if size % boxes == 0],
    "random-regular": _random,
}

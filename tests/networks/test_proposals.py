"""What the catalogue proposes: all members of some size and degree, and random ones."""

from __future__ import annotations

import inspect
from functools import cache
from itertools import product

import networkx as nx
import pytest

from pavane.errors import InputError
from pavane.networks import FAMILIES, network
from pavane.networks.proposals import MOST_PROCESSORS, candidates, degree_of


def names(*asked: int | tuple[int, int]) -> list[str]:
    """Return the names of what is proposed."""
    return [made.name for made in candidates(*asked)]


def test_each_has_what_was_asked_for() -> None:
    """The processors are in the range, the degree is, and the name makes the same network again."""
    found = candidates((12, 16), (1, 4))
    assert [made.num_processors for made in found] == sorted(made.num_processors for made in found)
    for made in found:
        assert 12 <= made.num_processors <= 16
        assert 1 <= degree_of(made) <= 4
        again = network(made.name)
        assert (again.channels.tolist(), again.router_of.tolist()) == (made.channels.tolist(), made.router_of.tolist())
        assert made.is_connected


@cache
def members() -> dict[int, list[str]]:
    """Return whatever one or two small numbers make of a family, by the number of processors."""
    found: dict[int, list[str]] = {}
    for name, family in FAMILIES.items():
        if name in ("random-regular", "circulant"):
            continue  # too many: some are proposed
        signature = inspect.signature(family.maker).parameters.values()
        is_free = any(each.kind is each.VAR_POSITIONAL for each in signature)
        least = (
            2
            if is_free
            else sum(each.default is each.empty for each in signature if each.kind is not each.KEYWORD_ONLY)
        )
        for numbers in product(range(1, 26), repeat=least):
            if family.separator == "x" and list(numbers) != sorted(numbers):
                continue  # the same grid, turned
            if name in ("gaussian", "eisenstein") and list(numbers) != sorted(numbers):
                continue  # the same network, mirrored
            if is_free and 1 in numbers:
                continue  # a dimension of one router is none
            if (
                name in ("hypercube", "folded-hypercube", "cube-connected-cycles", "star-graph", "fat-tree", "slim-fly")
                and numbers[0] > 5
            ):
                continue  # far too large
            if name == "dragonfly" and (numbers[0] > 8 or numbers[1] > 8):
                continue
            if name in ("kautz", "de-bruijn", "kary-tree") and numbers[0] ** numbers[1] > 1000:
                continue  # so are these: they have at least as many routers
            if name == "rails" and numbers[1] == 1:
                continue  # boxes of one processor need no switch inside
            text = family.separator.join(map(str, numbers))
            try:
                made = network(f"{name}:{text}" if text else name)
            except InputError:
                continue
            found.setdefault(made.num_processors, []).append(made.name)
    return found


@pytest.mark.parametrize("size", [4, 6, 8, 10, 12, 16, 24])
def test_no_member_is_missing(size: int) -> None:
    """Whatever one or two small numbers make of a family, with as many processors, is among the candidates."""
    assert members()[size]
    assert set(members()[size]) <= set(names(size))


def test_families_are_all_known() -> None:
    """A family of the catalogue that nobody can propose would be forgotten."""
    from pavane.networks import proposals

    assert set(proposals._PARAMETERS) == set(FAMILIES)


def test_known_ones() -> None:
    """Cubic networks of 14 routers: the Heawood graph among them, and three random ones by names of their own."""
    found = names(14, 3)
    assert {"heawood", "spidergon:14", "torus:2x7", "mesh:2x7"} <= set(found)
    assert [name for name in found if name.startswith("random")] == [f"random-regular:14,3,{seed}" for seed in range(3)]
    assert "ring:14" not in found
    assert names(10, 3)[:2] == ["mesh:2x5", "torus:2x5"]


def test_switches_count_apart() -> None:
    """The degree is that of routers with processors, so networks with large switches are proposed, too."""
    found = names(16, (1, 4))
    assert {"fat-tree:4", "rails:4,4"} <= set(found)
    assert max(network("rails:4,4").out_degrees.tolist()) == 4
    assert degree_of(network("rails:4,4")) == 2
    assert "dgx-2" not in found  # ten channels to the switch
    assert "dgx-2" in names(16)


def test_random_ones_have_even_numbers_of_link_ends() -> None:
    """There is no cubic network of 13 routers, and of degree 2 there is the ring alone."""
    assert [name for name in names(13, (2, 4)) if name.startswith("random")] == [
        f"random-regular:13,4,{seed}" for seed in range(3)
    ]
    made = network("random-regular:13,4,1")
    assert set(dict(nx.Graph(made.channels.tolist()).degree).values()) == {4}


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ((16, 12), "not a range"),
        ((MOST_PROCESSORS + 1,), f"at most {MOST_PROCESSORS} are proposed for"),
        ((1,), "at least 2"),
        (("16",), "`processors` is '16'; give a whole number"),
        (((1, 2, 3),), "give a number, or the least and the most"),
        ((11, 9), "no network of the catalogue has 11 processors and degree 9; widen the range"),
    ],
)
def test_refusals(asked: tuple[object, ...], text: str) -> None:
    """What cannot be proposed for is said in one line."""
    if asked == (16, 12):
        asked = ((16, 12),)
    with pytest.raises(InputError) as refusal:
        candidates(*asked)  # type: ignore[arg-type]
    assert text in str(refusal.value)

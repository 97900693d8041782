"""Lists of problems: what the catalogue and the papers have is in them."""

from __future__ import annotations

from itertools import islice

import pytest

from pavane.atlas.forms import form_of
from pavane.atlas.lists import (
    LISTS,
    MEMBERS,
    OF_PAPERS,
    cayley,
    cubic,
    generalized_petersen,
    networks_of,
    problems_on,
)
from pavane.errors import InputError
from pavane.networks import FAMILIES, network
from pavane.papers.steps_printed import every_printed
from tests.problems import problem_of


def test_every_network_of_the_papers_is_listed() -> None:
    """Whatever the papers print a number of steps of, to 64 processors."""
    small = {some.spec for some in every_printed() if network(some.spec).num_processors <= 64}
    assert small <= {*OF_PAPERS, *(family.example for family in FAMILIES.values())}
    assert all(network(spec).num_processors <= 64 for spec in OF_PAPERS)


def test_problems_are_the_product() -> None:
    """Every network with OAB, OAS, AAB and AAS, with all ports and with one."""
    problems = list(problems_on([network("ring:4"), network("octagon")]))
    assert len(problems) == len({form_of(problem).key for problem in problems}) == 16
    assert {(p.collective.kind, p.rules.ports) for p in problems} == {
        (kind, ports) for kind in ("OAB", "OAS", "AAB", "AAS") for ports in ("all", 1)
    }


def test_what_cannot_be_carried_out_is_told() -> None:
    """A collective without a second processor is left out, with a line."""
    told: list[str] = []
    lonely = network("ring:4").without(processors=[1, 2, 3])
    assert list(problems_on([lonely], ["AAS"], note=told.append)) == []
    assert len(told) == 2
    assert "has nothing to send" in told[0]


def test_cayley_graphs_are_what_they_are_called() -> None:
    """Circulants have degree 4; the star, pancake and bubble-sort graphs of four are cubic, with 24 routers."""
    found = {one.name: one for one in cayley()}
    assert set(found["circulant-13-1-5"].out_degrees.tolist()) == {4}
    for name, diameter in (("star-graph-4", 4), ("pancake-4", 4), ("bubble-sort-4", 6)):
        assert (found[name].num_routers, set(found[name].out_degrees.tolist())) == (24, {3})
        assert found[name].diameter == diameter


def test_petersen_graphs_are_what_they_are_called() -> None:
    """GP(5, 2) is the Petersen graph, GP(4, 1) the cube."""
    found = {one.name: one for one in generalized_petersen()}
    for name, spec in (("generalized-petersen-5-2", "petersen"), ("generalized-petersen-4-1", "hypercube:3")):
        assert form_of(problem_of(found[name])).key == form_of(problem_of(spec)).key


def test_lists_have_names() -> None:
    """A list is taken by its name, and an unknown one is refused with those that there are."""
    assert next(islice(networks_of("catalogue"), 1)).name == "ring:8"
    assert list(LISTS)[-1] == "shipped"
    with pytest.raises(InputError, match="there is no list 'all'; choose catalogue or papers"):
        networks_of("all")


def test_lists_begin_with_what_is_small() -> None:
    """The shipped one with the catalogue, the cubic graphs with the complete one of four."""
    assert next(networks_of("shipped")) == next(networks_of("catalogue"))
    assert form_of(problem_of(next(cubic()))).key == form_of(problem_of("complete:4")).key
    assert next(networks_of("members")) == network(MEMBERS[0])

"""Tests for bounds by what one router does, where all routers look alike."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.bounds import explain, lower_bounds
from pavane.bounds.translated import table_bounds
from pavane.errors import InputError
from pavane.judge.certificates import proven, proven_exactly
from pavane.judge.verdict import Verdict
from pavane.model.bound import Bound
from pavane.model.collectives import in_pieces, named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.symmetry.cayley import CayleyNetwork, cayley_of
from tests.problems import problem_of
from tests.table_cases import cayley_networks

RULES = [
    *(Rules(switching, ports, duplex) for switching in ("wormhole", "store-and-forward") for ports in ("all", 1, 2)
      for duplex in ("full", "half")),
    *(Rules("tdm", ports, duplex, wrap=wrap, router_delay=delay, packet_slots=slots)
      for ports in ("all", 1) for duplex in ("full", "half") for wrap in (True, False)
      for delay, slots in ((1, 1), (2, 3))),
    Rules(routing="any"),
]  # fmt: skip


def known(problem: Problem) -> CayleyNetwork:
    """Return the network with its translations."""
    cayley = cayley_of(problem.network)
    assert cayley is not None
    return cayley


@pytest.mark.parametrize(
    ("spec", "kind", "rules", "steps"),
    [
        ("torus:4x6", "AAS", Rules(), 18),  # 36 crossings of the long axis, two channels each way
        ("torus:16x16x16", "AAS", Rules(), 8_192),
        ("torus:32x32x32", "AAS", Rules("store-and-forward", 1), 786_432),
        ("torus:127x127", "AAS", Rules("tdm"), 256_032),
        ("hypercube:12", "AAS", Rules(), 2_048),
        ("hypercube:3", "AAS", Rules(duplex="half"), 8),  # 12 channels, and 12 links for 8 routers
        ("ring:5,oneway", "AAS", Rules(), 10),
        ("ring:6", "AAS", Rules(ports=1), 5),
        ("torus:20x20", "AAB", Rules(), 100),
        ("torus:20x20", "AAR", Rules(ports=1), 399),
        ("torus:20x20", "ALLREDUCE", Rules(), 200),
        ("torus:20x20", "ALLREDUCE", Rules(ports=1), 798),
        ("hypercube:10", "ALLREDUCE", Rules(duplex="half"), 410),
    ],
)
def test_bounds_are_the_published_formulas(spec: str, kind: str, rules: Rules, steps: int) -> None:
    """Sums of distances, crossings of the longest axis, ports and transfers are counted from one router."""
    problem = problem_of(spec, kind, rules)
    best = table_bounds(problem, known(problem))[0]
    assert best.figure == steps
    assert Verdict(problem, best, None).is_proven
    assert explain(problem, best) != f"by {best.argument}"


@pytest.mark.parametrize("spec", ["torus:2x3", "hypercube:3", "ring:6", "ring:5,oneway", "complete:4"])
def test_bounds_agree_with_those_that_list_all_messages(spec: str) -> None:
    """Under all rules a bound is proven by the judge, and no higher than the best price list of the listed messages."""
    for rules, kind in product(RULES, ("AAS", "AAB", "AAR", "ALLREDUCE")):
        if rules.has_slots and (kind == "ALLREDUCE" or (rules.wrap and kind != "AAS")):
            continue
        problem = problem_of(spec, kind, rules)
        listed = lower_bounds(problem)
        for bound in table_bounds(problem, known(problem)):
            read = Bound(bound.figure, bound.argument, json.loads(json.dumps(bound.certificate)), bound.exact)
            assert Verdict(problem, read, None).objection == ""
            assert proven(problem, read) == bound.figure
            assert bound.figure <= listed[0].figure


@given(cayley_networks(), st.sampled_from(RULES), st.integers(1, 3))
def test_bounds_of_drawn_networks_are_proven(cayley: CayleyNetwork, rules: Rules, pieces: int) -> None:
    """One-way, parallel and capacious channels, and groups that are not abelian: maker and judge count the same."""
    for kind in ("AAS", "ALLREDUCE"):
        if rules.has_slots and kind == "ALLREDUCE":
            continue
        problem = Problem(cayley.network, in_pieces(named(kind, cayley.network), pieces), rules)
        for bound in table_bounds(problem, cayley):
            assert proven(problem, bound) == bound.figure


def test_problems_too_large_to_list_have_bounds() -> None:
    """Bounds of 268 million messages come without a list of them, under tdm too, and are proven."""
    for rules in (Rules(), Rules("store-and-forward", 1), Rules("tdm")):
        problem = problem_of("torus:128x128", "AAS", rules)
        best = lower_bounds(problem)[0]
        assert best.figure == (1_048_576 if rules.ports == 1 else 262_144)
        assert Verdict(problem, best, None).is_proven
        assert "look alike" in explain(problem, best)


@pytest.mark.parametrize(
    ("certificate", "text"),
    [
        ({"sizes": [4, 4], "kinds": [0]}, "12 routers"),
        ({"sizes": [12], "kinds": [0]}, "do not keep the channels"),
        ({"sizes": [-3, -4], "kinds": [0]}, "12 routers"),
        ({"sizes": [3, 4], "kinds": []}, "that do not exist, or none"),
        ({"sizes": [3, 4], "kinds": [48]}, "that do not exist, or none"),
        ({"sizes": [3, 4]}, "cannot be read"),
        ({"kinds": [0]}, "cannot be read"),
        ({"translations": [list(range(12))], "kinds": [0]}, "to every router"),
        ({"translations": [[0] * 12], "kinds": [0]}, "not a permutation"),
        ({"translations": [[1]], "kinds": [0]}, "entry for each processor"),
        ({"translations": [[2**40] * 12], "kinds": [0]}, "not a permutation"),
    ],
)
def test_a_certificate_that_shows_no_symmetry_proves_nothing(certificate: dict[str, object], text: str) -> None:
    """Grids that are not the network's, maps that are no permutations, and channels that do not exist are refused."""
    with pytest.raises(InputError, match=text):
        proven_exactly(problem_of("torus:3x4", "AAS"), Bound(1, "translated-distances", dict(certificate)))


def test_only_collectives_of_all_routers_are_bounded_by_translations() -> None:
    """A certificate for some members, other kinds, combining or another argument proves nothing."""
    bound = Bound(1, "translated-distances", {"sizes": [3, 4], "kinds": [0]})
    for kind in ("AAB", "OAS", "ALLREDUCE"):
        with pytest.raises(InputError, match=r"among all routers|is not for|not steps of broadcasts"):
            proven_exactly(problem_of("torus:3x4", kind), bound)
    with pytest.raises(InputError, match="is not for"):
        proven_exactly(problem_of("torus:3x4", "AAS"), Bound(1, "translated-transfers", {"sizes": [3, 4]}))


def test_a_mesh_is_not_bounded_by_translations() -> None:
    """A network whose routers differ has no such bound, however large it is."""
    grid = network("mesh:100x100")
    assert cayley_of(grid) is None
    names = {bound.argument for bound in lower_bounds(Problem(grid, "alltoall"))}
    assert not any(name.startswith("translated") for name in names)


def test_capacities_that_break_the_symmetry_prove_nothing() -> None:
    """Channels of one kind must carry the same."""
    ring = network("ring:4")
    capacities = np.ones(ring.num_channels, dtype=np.int32)
    capacities[0] = 2
    uneven = Network(ring.name, ring.routers, ring.channels, ring.router_of, capacities=capacities)
    with pytest.raises(InputError, match="differ in capacity"):
        proven_exactly(Problem(uneven, "alltoall"), Bound(1, "translated-distances", {"sizes": [4], "kinds": [0]}))

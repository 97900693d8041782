"""The layout: inlets for what can arrive, images where a symmetry takes them, and who wants to hear from whom."""

from dataclasses import replace

import numpy as np

from pavane.model.collectives import named, pairs
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.solvers.combining.layout import CombiningLayout
from pavane.symmetry.groups import free_groups
from tests.problems import problem_of

HUB = Network("hub", 4, [(0, r) for r in range(1, 4)] + [(r, 0) for r in range(1, 4)], [1, 2, 3])


def test_pure_switches_hold_messages_hop_by_hop_only() -> None:
    """Under wormhole switching messages rest at processors; under store-and-forward at the hub as well."""
    for switching, locations in (("wormhole", [0, 1, 2]), ("store-and-forward", [0, 1, 2, ~0])):
        rules = Rules(switching=switching, ports=1, combining=True)  # type: ignore[arg-type]
        layout = CombiningLayout.of(Problem(HUB, named("AAS", HUB), rules))
        assert layout.locations.tolist() == locations
        assert layout.fabric.most_hops == (1 if switching == "store-and-forward" else 2)


def test_where_switches_pass_paths_end_at_processors() -> None:
    """Messages rest at processors alone, and nothing leads on from a router with processors but at a path's start."""
    rules = Rules("store-and-forward", routing="any", combining=True, switches="pass")
    cabled = Network("cabled", 3, [(0, 2), (2, 0), (1, 2), (2, 1), (0, 1), (1, 0)], [0, 1])
    layout = CombiningLayout.of(Problem(cabled, named("AAS", cabled), rules))
    fabric = layout.fabric
    assert layout.locations.tolist() == [0, 1]
    assert (fabric.most_hops, fabric.states_per_router) == (2, 2)
    out = np.split(fabric.out_state, fabric.first_out[1:-1])
    led = {(state // 2, state % 2): sorted(states.tolist()) for state, states in enumerate(out)}
    assert led == {(0, 0): [3, 4], (0, 1): [], (1, 0): [1, 4], (1, 1): [], (2, 0): [1, 3], (2, 1): []}
    shortest = replace(rules, routing="minimal")
    fabric = CombiningLayout.of(Problem(cabled, named("AAS", cabled), shortest)).fabric
    assert (fabric.most_hops, fabric.is_minimal) == (1, True)
    tree = network("fat-tree:4")
    assert CombiningLayout.of(Problem(tree, named("AAB", tree), rules)).fabric.most_hops >= int(tree.distances.max())


def test_images_of_inlets_are_inlets_of_images() -> None:
    """A symmetry takes the inlets of a location to those of its image."""
    problem = problem_of("ring:6", "AAS", Rules(combining=True))
    fabric = CombiningLayout.of(problem, free_groups(problem)[0]).fabric
    assert len(fabric.image_inlet) > 0
    for image_inlet, image_location in zip(fabric.image_inlet, fabric.image_location, strict=True):
        assert np.array_equal(fabric.location_of[image_inlet], image_location[fabric.location_of])


def test_who_wants_to_hear_from_whom() -> None:
    """A target wants to hear from the origins of its messages and from nobody else."""
    ring = network("ring:4")
    reach = CombiningLayout.of(Problem(ring, pairs([(0, 2), (3, 2), (2, 0)]), Rules(combining=True))).reach(2)
    assert reach.reached.shape == (3, 4, 1)
    # The origins 0, 2 and 3 are the bits 1, 2 and 4.
    assert reach.reached[0, :, 0].tolist() == [1, 0, 2, 4]
    assert reach.wanted[:, 0].tolist() == [2, 0, 5, 0]

"""Canonical orders: equal graphs are equal in them, others are not, and the work is limited."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.model.arrays import Longs
from pavane.networks import FAMILIES, network
from pavane.symmetry import canonical_form as canonical_graphs
from pavane.symmetry.canonical_form import canonical_order


def in_order(colours: Longs, edges: Longs) -> bytes:
    """Return a graph in its canonical order."""
    order = canonical_order(colours, edges)
    assert order is not None
    assert sorted(order.tolist()) == list(range(len(colours)))
    return colours[order].tobytes() + edges[np.ix_(order, order)].tobytes()


@st.composite
def graphs(draw: st.DrawFn, size: int | None = None) -> tuple[Longs, Longs]:
    """Draw a small graph with two colours of vertices and three kinds of edges."""
    count = draw(st.integers(1, 6)) if size is None else size
    colours = draw(st.lists(st.integers(0, 1), min_size=count, max_size=count))
    kinds = draw(st.lists(st.sampled_from([0, 0, 1, 2]), min_size=count**2, max_size=count**2))
    edges = np.array(kinds, dtype=np.int64).reshape(count, count)
    np.fill_diagonal(edges, 0)
    return np.array(colours, dtype=np.int64), edges


@given(graphs(), st.randoms(use_true_random=False))
def test_equal_graphs_are_equal_in_canonical_order(graph: tuple[Longs, Longs], rng: object) -> None:
    """However vertices are numbered, the graph in canonical order is the same."""
    colours, edges = graph
    other = np.arange(len(colours))
    rng.shuffle(other)  # type: ignore[attr-defined]
    assert in_order(colours, edges) == in_order(colours[other], edges[np.ix_(other, other)])


@given(st.data(), st.integers(2, 4))
def test_graphs_that_differ_do_not_meet(data: st.DataObject, size: int) -> None:
    """Two graphs are equal in canonical order exactly if networkx finds them isomorphic."""
    one, other = data.draw(graphs(size)), data.draw(graphs(size))
    assert (in_order(*one) == in_order(*other)) == nx.is_isomorphic(
        as_networkx(*one), as_networkx(*other), node_match=lambda a, b: a == b, edge_match=lambda a, b: a == b
    )


def as_networkx(colours: Longs, edges: Longs) -> nx.DiGraph:
    """Return a graph as networkx sees it."""
    graph = nx.DiGraph()
    graph.add_nodes_from((v, {"colour": colour}) for v, colour in enumerate(colours.tolist()))
    graph.add_edges_from((int(a), int(b), {"kind": int(edges[a, b])}) for a, b in zip(*np.nonzero(edges), strict=True))
    return graph


SYMMETRIC = ("hypercube:6", "torus:8x8", "complete:64", "star:64", "hoffman-singleton", "hyperx:8x8", "kautz:3,3")


@pytest.mark.parametrize("spec", [*(family.example for family in FAMILIES.values()), *SYMMETRIC])
def test_networks_of_the_catalogue_are_within_the_limit(spec: str) -> None:
    """Symmetric networks, on which most vertices stay alike, take no more work than is allowed."""
    found = network(spec)
    edges = np.zeros((found.num_routers, found.num_routers), dtype=np.int64)
    np.add.at(edges, (found.tails, found.heads), found.capacity)
    colours = np.bincount(found.router_of, minlength=found.num_routers).astype(np.int64)
    other = np.random.default_rng(1).permutation(len(colours))
    assert in_order(colours, edges) == in_order(colours[other], edges[np.ix_(other, other)])


def test_large_graphs_are_canonical_without_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above a limit vertices are not told apart by levels, and the order is canonical all the same."""
    monkeypatch.setattr(canonical_graphs, "MOST_VERTICES_WITH_LEVELS", 9)
    graph = nx.petersen_graph()
    colours, edges = np.zeros(10, dtype=np.int64), nx.to_numpy_array(graph).astype(np.int64)
    other = np.random.default_rng(0).permutation(10)
    assert in_order(colours, edges) == in_order(colours, edges[np.ix_(other, other)])


def test_the_work_is_limited() -> None:
    """Beyond the limit there is no order, and vertices beyond a number are not looked at."""
    found = network("hypercube:5")
    edges = np.zeros((32, 32), dtype=np.int64)
    edges[found.tails, found.heads] = 1
    assert canonical_order(np.zeros(32, dtype=np.int64), edges, most_work=10_000) is None
    assert canonical_order(np.zeros(32, dtype=np.int64), edges) is not None
    assert canonical_order(np.zeros(2_000, dtype=np.int64), np.zeros((2_000, 2_000), dtype=np.int64)) is None

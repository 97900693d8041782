"""Exchanges of neighbours in rows, then in columns, on meshes: the text beside noc Table 3."""

from __future__ import annotations

import pytest

from pavane.model.problem import Rules
from pavane.networks import network
from pavane.solvers.constructions.odd_even_exchange import OddEvenExchange

from .judged import COMBINING, PLAIN, declines, figures, problem, renamed, shuffled, with_link

SHAPES = [(h, w) for h in range(2, 7) for w in range(2, 6)] + [(1, 7), (8, 2)]
ODD_EVEN = OddEvenExchange()


@pytest.mark.parametrize(("height", "width"), SHAPES)
def test_rows_and_columns(height: int, width: int) -> None:
    """A row of even length n takes n - 1 steps with 1, 2, 2 ... messages, an odd one n steps; columns w times that."""

    def line(size: int) -> tuple[int, int]:
        if size < 3:
            return size - 1, size - 1
        # In its last step an odd row moves one message to each of its ends, as in its first.
        return (size - 1, 2 * size - 3) if size % 2 == 0 else (size, 2 * size - 2)

    rows, columns = line(width), line(height)
    expected = rows[0] + columns[0], rows[1] + width * columns[1]
    assert figures(ODD_EVEN, problem(f"mesh:{height}x{width}", "AAB")) == expected
    assert figures(ODD_EVEN, problem(f"mesh:{height}x{width}", "AAR")) == expected


def test_the_exchange_is_not_what_table_3_lists() -> None:
    """The exchange of the text takes as many start-ups as rotation, but 6/25 and 14/117."""
    assert figures(ODD_EVEN, problem("mesh:4x4", "AAB")) == (6, 25)
    assert figures(ODD_EVEN, problem("mesh:8x8", "AAB")) == (14, 117)


def test_a_mesh_is_known_by_its_channels() -> None:
    """Numbers and names of routers do not matter."""
    for seed in range(5):
        for text in ("mesh:3x5", "mesh:5x3"):
            assert figures(ODD_EVEN, problem(shuffled(network(text), seed), "AAB"))[0] == 8


@pytest.mark.parametrize("routing", ["minimal", "any", "dimension-order", "west-first", "north-last"])
def test_single_channels_are_for_every_routing(routing: str) -> None:
    """Forwards and backwards; more ports do no harm."""
    for ports in (1, "all"):
        rules = Rules(ports=ports, routing=routing, combining=True)  # type: ignore[arg-type]
        assert figures(ODD_EVEN, problem("mesh:4x4", "AAB", rules)) == (6, 25)


def test_declines() -> None:
    """Near misses of meshes, whatever their name, and rules that the construction would break are not for it."""
    mesh = network("mesh:4x4")
    for made in (
        mesh.without(links=[(5, 6)]),
        mesh.without(processors=[3]),
        with_link(mesh, 0, 5),
        renamed(network("torus:4x4"), "mesh:4x4"),
        network("hierarchical-rings:4,4"),
    ):
        assert declines(ODD_EVEN, problem(made, "AAB"))
    for rules in (
        Rules(ports=1, duplex="half", combining=True),
        Rules(ports=1, switching="store-and-forward", combining=True),
    ):
        assert declines(ODD_EVEN, problem(mesh, "AAB", rules))
    assert declines(ODD_EVEN, problem(mesh, "AAB", PLAIN))
    assert declines(ODD_EVEN, problem(mesh, "AAS", COMBINING))

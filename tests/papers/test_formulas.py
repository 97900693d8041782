"""The papers' formulas, by hand."""

from papers.formulas import (
    by_formula,
    crossing_steps,
    distance_steps,
    growth_steps,
    moore_digraph,
    moore_even_girth,
    moore_graph,
    port_steps,
)


def test_growth_is_exact_at_powers() -> None:
    """(k + 1)^s processors are informed after s steps, and one more takes a step more."""
    for ports in (1, 2, 3, 9):
        for steps in range(1, 6):
            size = (ports + 1) ** steps
            assert (growth_steps(size, ports), growth_steps(size + 1, ports)) == (steps, steps + 1)
    assert growth_steps(1, 3) == 0


def test_bounds_of_a_hypercube() -> None:
    """gecco07 Tables 1 and 2: 32 processors with 5 ports, 32 channels between halves."""
    assert [by_formula(kind, 32, 5, 32) for kind in ("OAB", "AAB", "OAS", "AAS")] == [2, 7, 7, 16]
    assert by_formula("AAS", 32, 1, 32) == 31


def test_bounds_of_a_split() -> None:
    """gecco08 (5) and (6) on Kautz 12 with the paper's 24 channels and 2 Delta of 80: 3 and 7."""
    assert (crossing_steps(12, 24), crossing_steps(12, 24, 80)) == (3, 7)
    assert distance_steps(228, 12, 3) == 7
    assert crossing_steps(5, 2) == 7  # 25 / 4, rounded up
    assert port_steps(14, 3) == 5


def test_sizes() -> None:
    """gecco08 (1), (2) and (3): the Petersen graph, and the columns of Table 1 by the closed forms."""
    assert moore_graph(7, 2) == 50
    for diameter in range(2, 8):
        assert moore_graph(3, diameter) == 3 * 2**diameter - 2
        assert moore_digraph(3, diameter) == (3 ** (diameter + 1) - 1) // 2
        assert moore_even_girth(3, diameter) == 2 ** (diameter + 1) - 2

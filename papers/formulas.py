"""The papers' formulas: lower bounds on steps (gecco07 Table 1, gecco08 section 3, noc Table 1), sizes of networks."""

from __future__ import annotations

IN_WORDS = {
    "OAB": "log_(k+1) P",
    "AAB": "max(log_(k+1) P, (P-1) / k)",
    "OAS": "(P-1) / k",
    "AAS": "max(P^2 / (2 B_C), (P-1) / k)",
}
"""gecco07 Table 1 and noc Table 1, each rounded up; k ports, P processors, B_C channels between halves."""


def by_formula(kind: str, size: int, ports: int, width: int) -> int:
    """Return a lower bound as gecco07 Table 1 and noc Table 1 have it."""
    return {
        "OAB": growth_steps(size, ports),
        "AAB": max(growth_steps(size, ports), port_steps(size, ports)),
        "OAS": port_steps(size, ports),
        "AAS": max(crossing_steps(size, width), port_steps(size, ports)),
    }[kind]


def growth_steps(size: int, ports: int) -> int:
    """Return the steps after which all can be informed, if the informed grow by a factor of ports + 1 a step."""
    steps, informed = 0, 1
    while informed < size:
        steps, informed = steps + 1, informed * (ports + 1)
    return steps


def port_steps(size: int, ports: int) -> int:
    """Return the steps in which one processor sends or receives a message for each other one."""
    return _rounded_up(size - 1, ports)


def crossing_steps(size: int, width: int, doubled: int = 0) -> int:
    """Return the steps of AAS by a split: P^2 / 2 messages, and twice Delta that return, over B_C channels.

    gecco08 (5) without Delta; (6) with it, read as the text of section 3 has it, (P^2/2 + 2 Delta) / B_C.
    """
    return _rounded_up(size * size + 2 * doubled, 2 * width)


def distance_steps(total: int, size: int, degree: int) -> int:
    """Return the steps of AAS by the sum of distances, over P d channels (gecco08 section 3)."""
    return _rounded_up(total, size * degree)


def moore_graph(degree: int, diameter: int) -> int:
    """Return the most routers of a graph, gecco08 (1)."""
    return 1 + degree * _powers(degree - 1, diameter)


def moore_digraph(degree: int, diameter: int) -> int:
    """Return the most routers of a digraph, gecco08 (2)."""
    return _powers(degree, diameter + 1)


def moore_even_girth(degree: int, diameter: int) -> int:
    """Return the most routers of a graph of even girth, gecco08 (3)."""
    return 2 * _powers(degree - 1, diameter)


def _powers(factor: int, number: int) -> int:
    """Return 1 + factor + factor^2 + ..., as many terms as `number` says."""
    return int(sum(factor**i for i in range(number)))


def _rounded_up(total: int, per_step: int) -> int:
    return -(-total // per_step)

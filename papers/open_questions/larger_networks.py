"""Question 6: Table 6 of gecco08 continued, optimal diameter-degree networks above 36 processors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from papers.open_questions.question import Row, with_texts
from papers.open_questions.searches import arrange, figures, is_proven, listed, proof_of, solved, written
from papers.problems import KINDS, catalogue, problem
from pavane.search.options import SearchOptions
from pavane.text import counted

NETWORKS = (
    "kautz:2,5",
    "hoffman-singleton",
    "kautz:7,2",
    "de-bruijn:2,6",
    "de-bruijn:4,3",
    "kautz:8,2",
    "kautz:4,3",
    "de-bruijn:3,4",
    "slim-fly:7",
    "kautz:3,4",
    "slim-fly:8",
)
"""By processors: 48, 50, 56, 64, 64, 72, 80, 81, 98, 108 and 128."""


def _row(case: tuple[str, str], limits: SearchOptions) -> Row:
    spec, kind = case
    network = catalogue(spec)
    return {
        "network": spec,
        "processors": network.num_processors,
        "degree": int(network.out_degrees.max()),
        "diameter": network.diameter,
        "collective": kind,
        **figures(solved(problem(spec, kind), limits)),
    }


def _table(rows: Sequence[Row]) -> list[Row]:
    """Arrange a line a network, the four collectives side by side, as Table 6 does."""
    same = ("processors", "degree", "diameter")
    return arrange(
        ({"network": f"`{row['network']}`", **{key: row[key] for key in same}}, {row["collective"]: written(row)})
        for row in rows
    )


def _answer(rows: Sequence[Row]) -> str:
    sizes = [row["processors"] for row in rows]
    counts = []
    for kind in KINDS:
        of_kind = [row for row in rows if row["collective"] == kind]
        counts.append(f"{kind} on {sum(map(is_proven, of_kind))} of {len(of_kind)}")
    scatter = [row for row in rows if row["collective"] == "AAS"]
    largest = max(row["processors"] for row in scatter if is_proven(row)) if any(map(is_proven, scatter)) else None
    reach = "" if largest is None else f" The largest AAS that is proven has {counted(largest, 'processor')}."
    return (
        f"Table 6 continues from {min(sizes)} to {max(sizes)} processors on "
        f"{counted(len({row['network'] for row in rows}), 'network')}; proven optimal are {listed(counts)}.{reach}"
        f"{_quickest(scatter)}"
    )


def _quickest(scatter: Sequence[Row]) -> str:
    """State where AAS takes the fewest steps for what its channels cost each processor."""
    if not scatter:
        return ""
    best = min(scatter, key=lambda row: _cost(row, "steps"))
    is_certain = all(_cost(best, "steps") <= _cost(row, "bound") for row in scatter if row is not best)
    return (
        f" Steps of AAS times degree, for each processor, are least{'' if is_certain else ', of what was found,'} on "
        f"`{best['network']}`: {written(best)} steps, degree {best['degree']}, {best['processors']} processors."
    )


def _cost(row: Row, figure: str) -> float:
    return float(row[figure] * row["degree"] / row["processors"])


def _proof(rows: Sequence[Row]) -> str:
    return proof_of((f"`{row['network']}` {row['collective']}", row) for row in rows)


QUESTION = with_texts(6, product(NETWORKS, KINDS), _row, _answer, _proof, _table)

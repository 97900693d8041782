"""Question 5: what paths that are not shortest gain (gecco07 section 6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from papers import noc
from papers.open_questions.question import Row, with_texts
from papers.open_questions.searches import arrange, figures, is_proven, listed, solved, written
from papers.problems import catalogue, problem
from papers.steps_printed import every_printed
from pavane.search.options import SearchOptions
from pavane.symmetry.equivalence import Equivalence
from pavane.text import counted

KINDS = ("OAB", "OAS", "AAB", "AAS")


class PathCase(NamedTuple):
    """A network with its ports, as a paper has them, and a collective."""

    spec: str
    ports: int | str
    kind: str


def _networks() -> dict[tuple[str, int | str], None]:
    """Return the networks of the papers, each with the ports that a paper gives it, once."""
    networks = [(printed.spec, printed.ports) for printed in every_printed()]
    networks += [("fat-octagon:2", 1), *((spec, 1) for spec, _ in noc.BOUNDS.values())]
    return dict.fromkeys(networks)


def _roots(case: PathCase) -> Iterator[int | None]:
    """Yield the roots that a renumbering of the network does not make equal; None where there is no root."""
    if case.kind not in ("OAB", "OAS"):
        yield None
        return
    alike = Equivalence()
    for root in range(catalogue(case.spec).num_processors):
        if alike.first_like(problem(case.spec, case.kind, ports=case.ports, root=root), root) == root:
            yield root


def _row(case: PathCase, limits: SearchOptions) -> Row:
    found = [_with_root(case, root, limits) for root in _roots(case)]
    # Of several roots the one that gains most is reported.
    best = max(found, key=lambda row: row["minimal"]["bound"] - row["any"]["steps"])
    about = {"network": case.spec, "ports": case.ports, "collective": case.kind, "roots": len(found)}
    return {**about, **best}


def _with_root(case: PathCase, root: int | None, limits: SearchOptions) -> Row:
    instances = [problem(case.spec, case.kind, ports=case.ports, routing=way, root=root) for way in ("minimal", "any")]
    shortest = solved(instances[0], limits)
    return {"root": root, "minimal": figures(shortest), "any": figures(solved(instances[1], limits, shortest))}


def gain(row: Row) -> int:
    """Return the steps that are saved for certain: below what bounds shortest paths."""
    return max(0, int(row["minimal"]["bound"] - row["any"]["steps"]))


def is_settled(row: Row) -> bool:
    """Return whether it is proven how many steps longer paths save."""
    return is_proven(row["minimal"]) and is_proven(row["any"])


def _cell(row: Row) -> str:
    shortest, longer = written(row["minimal"]), written(row["any"])
    if shortest == longer:
        return shortest
    return f"{shortest}, any {longer}" + (f" (root {row['root']})" if row["roots"] > 1 else "")


def _table(rows: Sequence[Row]) -> list[Row]:
    """Arrange a line a network and port model, the four collectives side by side."""
    return arrange(
        ({"network": f"`{row['network']}`", "ports": row["ports"]}, {row["collective"]: _cell(row)}) for row in rows
    )


def _named(row: Row) -> str:
    root = f" from root {row['root']}" if row["roots"] > 1 else ""
    steps = f"{written(row['minimal'])} to {written(row['any'])}"
    return f"`{row['network']}` {row['ports']}-port {row['collective']}{root} ({steps})"


def _answer(rows: Sequence[Row]) -> str:
    gaining = [row for row in rows if gain(row)]
    nothing = [row for row in rows if row["any"]["bound"] >= row["minimal"]["steps"]]
    networks = {row["network"] for row in rows}
    start = f"On {counted(len(networks), 'network')} of the papers, {counted(len(rows), 'problem')}: "
    if not gaining:
        return f"{start}longer paths provably save a step in none, and provably nothing in {len(nothing)}."
    most = max(gaining, key=lambda row: gain(row) / row["minimal"]["steps"])
    share = gain(most) / most["minimal"]["steps"]
    counts = {kind: sum(row["collective"] == kind for row in gaining) for kind in KINDS}
    kinds = listed([f"{count} {kind}" for kind, count in counts.items() if count])
    return (
        f"{start}longer paths provably save steps in {len(gaining)} ({kinds}), and provably save nothing in "
        f"{len(nothing)}. Most is saved on {_named(most)}, {share:.0%} of the steps. All that gain: "
        f"{listed([_named(row) for row in gaining])}."
    )


def _proof(rows: Sequence[Row]) -> str:
    still = [row for row in rows if not is_settled(row)]
    settled = f"In {len(rows) - len(still)} of {counted(len(rows), 'problem')} both numbers of steps are proven"
    if not still:
        return f"{settled}, so it is known exactly what longer paths save."
    return f"{settled}. Open are {listed([_named(row) for row in still])}."


QUESTION = with_texts(
    5, (PathCase(spec, ports, kind) for spec, ports in _networks() for kind in KINDS), _row, _answer, _proof, _table
)

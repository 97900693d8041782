"""Question 1: message combining on Kautz networks (gecco08 section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from papers.open_questions.question import Row, with_texts
from papers.open_questions.searches import figures, is_proven, listed, solved, written
from papers.problems import problem
from pavane.search.options import SearchOptions
from pavane.search.pareto_search import pareto_front
from pavane.text import counted

NETWORKS = ("kautz:2,3", "kautz:3,2", "kautz:2,4", "kautz:3,3")
"""12, 12, 24 and 36 processors; the paper's own are the second and the last."""

KINDS = ("OAB", "OAS", "AAB", "AAS")

FREE, TRADED, NEVER = "always", "for short messages", "never"
"""When combining is faster than not: it costs no occupancy; it costs some; it saves no start-up."""


def _row(case: tuple[str, int | str, str], limits: SearchOptions) -> Row:
    spec, ports, kind = case
    alone = solved(problem(spec, kind, ports=ports), limits)
    assert alone.schedule is not None
    found = pareto_front(
        problem(spec, kind, ports=ports, combining=True), SearchOptions(seed=limits.seed, seconds=limits.seconds)
    )
    points = [[point.start_ups, point.tco, point.optimal_start_ups, point.optimal_tco] for point in found.points]
    # A schedule without combining is one with it, too: every transfer carries one message.
    steps = alone.schedule.num_steps
    if not any(start_ups <= steps and tco <= steps for start_ups, tco, *_ in points):
        kept = [point for point in points if not (point[0] >= steps and point[1] >= steps)]
        points = sorted([*kept, [steps, steps, False, False]])
    return {"network": spec, "ports": ports, "collective": kind, "alone": figures(alone), "points": points}


def worth(row: Row) -> str:
    """State when combining is faster than the fewest steps without it.

    A schedule of S steps without combining has S start-ups and an occupancy of S. Nothing without combining is better
    in either, so a point of at most the proven fewest steps in both is never slower.
    """
    fewest = row["alone"]["bound"]
    saving = [(start_ups, tco) for start_ups, tco, *_ in row["points"] if start_ups < fewest]
    if not saving:
        return NEVER
    return FREE if any(tco <= fewest for _, tco in saving) else TRADED


def _point(point: Sequence[int]) -> str:
    start_ups, tco, fewest, least = point
    return f"{start_ups}{'*' if fewest else ''}/{tco}{'*' if least else ''}"


def _table(rows: Sequence[Row]) -> list[Row]:
    return [
        {
            "network": f"`{row['network']}`",
            "ports": row["ports"],
            "collective": row["collective"],
            "steps without": written(row["alone"]),
            "front with combining": f"`{' '.join(map(_point, row['points']))}`",
            "combining is faster": worth(row),
        }
        for row in rows
    ]


def _most_saved(rows: Sequence[Row]) -> Row:
    """Return the row whose best point of no more occupancy saves the largest share of start-ups."""

    def share(row: Row) -> float:
        steps = row["alone"]["steps"]
        return min((start_ups / steps for start_ups, tco, *_ in row["points"] if tco <= steps), default=1.0)

    return min(rows, key=share)


def _told(rows: Sequence[Row], ports: str) -> str:
    """State how often combining is faster under one port model."""
    verdicts = {verdict: [row for row in rows if worth(row) == verdict] for verdict in (FREE, TRADED, NEVER)}
    parts = []
    if free := verdicts[FREE]:
        best = _most_saved(free)
        steps = best["alone"]["steps"]
        start_ups, tco = min((p[0], p[1]) for p in best["points"] if p[1] <= steps)
        parts.append(
            f"in {len(free)} it is faster whatever the size of messages, most on `{best['network']}` "
            f"{best['collective']} ({counted(start_ups, 'start-up')} of occupancy {tco} instead of "
            f"{counted(steps, 'step')})"
        )
    if traded := verdicts[TRADED]:
        parts.append(f"in {len(traded)} it saves start-ups for more occupancy, which pays where messages are short")
    if never := verdicts[NEVER]:
        kinds = listed(list(dict.fromkeys(row["collective"] for row in never)))
        parts.append(f"in {len(never)} ({kinds}) it saves nothing")
    return f"{ports}, of {counted(len(rows), 'problem')}: {'; '.join(parts)}."


def _answer(rows: Sequence[Row]) -> str:
    everywhere = [row for row in rows if row["ports"] == "all"]
    pays = any(worth(row) != NEVER for row in everywhere)
    one = [row for row in rows if row["ports"] == 1]
    return (
        f"Combining is {'' if pays else 'not '}worth it even where all ports work at once. "
        f"{_told(everywhere, 'All-port')} {_told(one, '1-port')}"
    )


def _proof(rows: Sequence[Row]) -> str:
    alone = [row for row in rows if not is_proven(row["alone"])]
    points = [point for row in rows for point in row["points"]]
    still = [f"`{r['network']}` {r['ports']}-port {r['collective']} ({written(r['alone'])})" for r in alone]
    return (
        f"Without combining {len(rows) - len(alone)} of {len(rows)} numbers of steps are proven"
        f"{f'; open: {listed(still)}' if still else ''}. "
        f"On the fronts a star means proven: no schedule has fewer start-ups ({sum(p[2] for p in points)} of "
        f"{counted(len(points), 'point')}), or none with these start-ups has less occupancy "
        f"({sum(p[3] for p in points)}). Whether combining is faster is judged against the proven bound on the steps "
        "without it, so *always* and *for short messages* are proven, and *never* says what was found."
    )


QUESTION = with_texts(1, product(NETWORKS, (1, "all"), KINDS), _row, _answer, _proof, _table)

"""Tables of random networks with translations, also repaired: the judge and the second judge must agree on each."""

from __future__ import annotations

import random
import traceback

from tests.checker import judge
from tests.repair_cases import EMPTIED, random_repair, repair_disagreement, second_writing, spoiled_repair
from tests.table_cases import disagreement, random_case, spoiled, written_out

from pavane.judge.rules import verify


def failure_of_table(seed: int, number: int) -> str | None:
    """Return what is wrong with table number n of a seed, written out and spoiled; None where nothing is."""
    rng = random.Random(f"{seed}/{number}/table")
    try:
        problem, table = random_case(rng)
        if sorted(table.expand(problem)) != sorted(written_out(problem, table)):
            return f"written out differently: {problem}"
        tables = [table, *(spoiled(table, rng, rng.choice((1, 1, 2, 3))) for _ in range(3))]
        return next((found for one in tables if (found := disagreement(problem, one)) is not None), None)
    except Exception:
        return f"crash: {traceback.format_exc()}"


def failure_of_repair(seed: int, number: int) -> str | None:
    """Return what is wrong with repaired table number n of a seed, written out and spoiled; None where nothing is.

    Random faults of which there is no repair are drawn again.
    """
    rng = random.Random(f"{seed}/{number}/repair")
    try:
        case = random_repair(rng)
        while case is None:
            case = random_repair(rng)
        problem, table = case
        schedule = table.expand(problem)
        if sorted(schedule) != sorted(second_writing(problem, table)):
            return f"written out differently: {problem}"
        violations = verify(problem, table)
        is_emptied = bool(violations) and all(EMPTIED in one.text for one in violations)
        if (violations and not is_emptied) or is_emptied != bool(judge(problem, schedule)):
            return f"refused ({violations[0].text if violations else 'written out'}): {problem}"
        if is_emptied != bool(verify(problem, schedule)):
            return f"judged differently when it is written out: {problem}"
        spoiled_ones = (spoiled_repair(table, rng) for _ in range(3))
        return next((found for one in spoiled_ones if (found := repair_disagreement(problem, one)) is not None), None)
    except Exception:
        return f"crash: {traceback.format_exc()}"

"""Tables of random networks with translations: the judge and the second judge must agree on each."""

from __future__ import annotations

import random
import traceback

from tests.table_cases import disagreement, random_case, spoiled, written_out


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

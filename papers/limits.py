"""How far the papers' algorithms go: `python -m papers.limits [--device gpu] [--only TEXT...]`.

Makes the runs of the open question on the limits of size, `python -m papers open 4`, with a hundred million
evaluations, and keeps them in papers/results/open-questions/4.json, of which the page is made.
Finished networks are stored in 4-runs.json, and the command can be resumed. UMDA and GA run on a CUDA
GPU where `--device gpu` says so, several families side by side: an island makes the run that its seed makes on a
processor.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from papers.open_questions.limits_of_size import BUDGETS, QUESTION, LimitCase, MethodEffort, chain, member
from papers.success_rates import Kept, in_a_stream
from pavane.text import VERSION

RESULTS = Path(__file__).parent / "results" / "open-questions"
ON_A_GPU = ("umda", "ga")


def measured(kept: Kept, case: LimitCase, options: argparse.Namespace, spec: str) -> dict[str, Any]:
    """Return the stored results of a network, or measure it."""
    name = f"{case.method} {case.kind} {spec}"
    if name not in kept.rows:
        begun = time.monotonic()
        device = options.device if case.method in ON_A_GPU else "cpu"
        made = member(case, spec, MethodEffort(options.evaluations, options.time, device, options.workers))
        kept.add(name, {**made, "seconds": round(time.monotonic() - begun, 2)})
    return dict(kept.rows[name])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m papers.limits")
    parser.add_argument("--only", nargs="*", default=[""], metavar="TEXT", help="chains whose name contains one of it")
    parser.add_argument("--device", default="cpu", choices=["cpu", "gpu"], help="for umda and ga")
    parser.add_argument("--side-by-side", type=int, default=1, metavar="N", help="chains at a time on a GPU")
    parser.add_argument("--evaluations", type=int, default=max(BUDGETS), metavar="N", help="the most of a search")
    parser.add_argument("--time", type=float, default=None, metavar="S", help="the most for a run")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes, for what runs on processors")
    parser.add_argument("--keep", type=Path, default=RESULTS / "4-runs.json", metavar="FILE")
    options = parser.parse_args()
    kept = Kept(options.keep)

    def made(case: LimitCase) -> dict[str, Any]:
        row: dict[str, Any] = {}
        work: Callable[[], None] = lambda: row.update(chain(case, partial(measured, kept, case, options)))  # noqa: E731
        if options.device == "gpu" and case.method in ON_A_GPU:
            in_a_stream(work)
        else:
            work()
        return {**row, "seconds": round(sum(one.pop("seconds") for one in row["members"]), 2)}

    cases = [
        case
        for case in QUESTION.cases
        if any(text in f"{case.method} {case.kind} {case.family}" for text in options.only)
    ]
    with ThreadPoolExecutor(options.side_by_side) as pool:
        rows = list(pool.map(made, cases))
    if len(rows) == len(QUESTION.cases):
        head = {"command": QUESTION.command, "on": date.today().isoformat(), "version": VERSION}
        lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
        text = f'{json.dumps(head, indent=1)[:-2]},\n "rows": [\n{lines}\n ]\n}}\n'
        (RESULTS / "4.json").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

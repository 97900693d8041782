"""How far the papers' algorithms go: `python -m benchmarks.limits [--evaluations N] [--time S] [--only TEXT]`.

Makes the runs of the open question on the limits of size, `pavane paper open 4`, with more evaluations than that has
time for, and keeps them in benchmarks/results/open-questions/4.json, of which the page is made. Finished networks are
kept on the way, and the command goes on where it was. UMDA and GA run on a CUDA GPU where `--device gpu` says so: an
island makes the run that its seed makes on a processor.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.islands import Kept
from pavane.studies.open_questions.limits_of_size import BUDGETS, QUESTION, Case, chain, member
from pavane.words import VERSION

RESULTS = Path(__file__).parent / "results" / "open-questions"
KEPT = RESULTS / "4-runs.json"


def measured(kept: Kept, case: Case, options: argparse.Namespace, spec: str) -> dict[str, Any]:
    """Return what is kept of a network, or measure it."""
    name = f"{case.method} {case.kind} {spec}"
    if name not in kept.rows:
        begun = time.process_time()
        device = options.device if case.method in ("umda", "ga") else "cpu"
        made = member(case, spec, options.evaluations, options.time, device)
        kept.add(name, {**made, "seconds": round(time.process_time() - begun, 2)})
    return dict(kept.rows[name])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.limits")
    parser.add_argument("--only", default="", metavar="TEXT", help="chains whose name contains it")
    parser.add_argument("--device", default="cpu", choices=["cpu", "gpu"], help="for umda and ga")
    parser.add_argument("--evaluations", type=int, default=max(BUDGETS), metavar="N", help="the most of a run")
    parser.add_argument("--time", type=float, default=300.0, metavar="S", help="the most for a run")
    options = parser.parse_args()
    kept, rows = Kept(KEPT), []
    for case in QUESTION.cases:
        if options.only in f"{case.method} {case.kind} {case.family}":
            row = chain(case, partial(measured, kept, case, options))
            rows.append({**row, "seconds": sum(one.pop("seconds") for one in row["members"])})
    if not options.only:
        head = {"command": "python -m benchmarks.limits", "on": date.today().isoformat(), "version": VERSION}
        lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
        text = f'{json.dumps(head, indent=1)[:-2]},\n "rows": [\n{lines}\n ]\n}}\n'
        (RESULTS / "4.json").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

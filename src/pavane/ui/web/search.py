"""One search, in a process of its own.

The request is one line of JSON on stdin. Progress and the outcome are lines of JSON on stdout. When stdin is closed,
by the server or because the server has ended, the search is interrupted and its best schedule so far is the outcome.
"""

from __future__ import annotations

import _thread
import json
import os
import signal
import sys
import threading
from typing import Any

from pavane.errors import PavaneError
from pavane.io import schedule_bytes
from pavane.io.files import collect_notes
from pavane.jit import clock
from pavane.parallel.progress import Progress
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.ui.web.requests import SearchRequest, field_of, in_words_of_the_page

REPORTED = ("activity", "num_steps", "step_word", "best", "bound", "conflicts", "seconds", "seconds_left")
"""What the page shows of the progress."""

_is_stopped = threading.Event()
_line = threading.Lock()


def main() -> None:
    """Read a request, search, and write the outcome."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started the server with it ignored
    request = sys.stdin.buffer.readline()
    if not request:
        return
    try:
        threading.Thread(target=_interrupt_at_end_of_input, daemon=True).start()
        outcome = searched(SearchRequest(**json.loads(request)))
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    except PavaneError as error:
        outcome = {"error": in_words_of_the_page(str(error)), "field": field_of(str(error))}
    except MemoryError:
        outcome = {"error": "the search needs more memory than there is"}
    except BaseException:  # compiled modules wrap an interrupt in errors of their own
        if not _is_stopped.is_set():
            raise
        outcome = {"error": "the search was stopped before there was a schedule"}
    _write({"state": "done", **outcome})


def searched(request: SearchRequest) -> dict[str, Any]:
    """Search for a schedule, and return it as a file with what else the page shows."""
    with collect_notes() as notes:
        problem = request.checked_problem()
    options = SearchOptions(seed=request.seed, seconds=request.seconds, on_progress=_report)
    form: Any = "table" if request.needs_table(problem) else None
    with clock.reporting_to(lambda kernel: _write({"state": "running", "compiling": bool(kernel)})):
        result = solve(problem, options, method=request.method, num_steps=request.steps, form=form)
    outcome: dict[str, Any] = {"notes": [in_words_of_the_page(text) for text in notes]}
    if result.num_steps is not None:
        return {**outcome, "schedule": schedule_bytes(result).decode()}
    bound = "" if result.bound is None else f"; the bound is {result.bound.figure}"
    return {**outcome, "error": f"no schedule was found: {result.status_text}{bound}"}


def _report(progress: Progress) -> None:
    _write({"state": "running", **{name: getattr(progress, name) for name in REPORTED}})


def _write(event: dict[str, Any]) -> None:
    with _line:  # any thread may compile, and reports it
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()


def _interrupt_at_end_of_input() -> None:
    os.read(0, 1)
    _is_stopped.set()
    _thread.interrupt_main()

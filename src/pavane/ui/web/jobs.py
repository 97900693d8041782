"""Searches in processes of their own: a bounded queue, progress as it comes, cancelling, limits of time and memory.

Each worker is one thread that owns one process. A cancelled search is interrupted the way Ctrl-C interrupts the command
line, so it keeps its best schedule so far; one that does not react is ended, and its process replaced. A process is
interrupted once at most, so that no interrupt can come too late and hit the job after.
"""

from __future__ import annotations

import contextlib
import queue
import secrets
import signal
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from pavane.errors import PavaneError
from pavane.jit import clock
from pavane.parallel.pools import ALONE
from pavane.search.options import SearchOptions
from pavane.ui.web.comparison import CompareAsked, compared
from pavane.ui.web.limits import Busy, Limits
from pavane.ui.web.renderings import refuse_job
from pavane.ui.web.requests import JobAsked, in_words_of_the_page
from pavane.ui.web.store import Store
from pavane.ui.web.subprocess_worker import SideProcess, interrupts

if TYPE_CHECKING:
    from pavane.model.problem import Problem
    from pavane.parallel.pools import Workers
    from pavane.parallel.progress import Progress

GRACE = 8.0
"""Seconds that a search may take to end after its time is over or it was cancelled."""

MOST_COMPILING = 600.0
"""Seconds for which a search that compiles is waited for beyond its time."""

MARGIN = 4.0
"""Seconds more in which a thread ends a process and keeps how its job went."""

MOST_EVENTS = 2_000

MOST_CURVE = 300
"""Points that are kept of how a search went."""


class Job:
    """One search on its way: what was told of it so far, and whether it should stop."""

    def __init__(self, number: str, asked: JobAsked | CompareAsked) -> None:
        self.id, self.asked = number, asked
        self.state = "waiting"
        self.events: list[dict[str, Any]] = []
        self.cancelled = threading.Event()

    def tell(self, **event: Any) -> None:
        """Add an event for whoever watches."""
        if len(self.events) < MOST_EVENTS or event.get("state") not in (None, "running"):
            self.events.append(event)

    def course(self) -> dict[str, Any]:
        """Return how the search went, to be kept: its last bound, and what it had by when."""
        seen = [event for event in self.events if "solver" in event]
        if not seen:
            return {}
        stride = -(-len(seen) // MOST_CURVE)
        kept = [*seen[::stride], *([seen[-1]] if (len(seen) - 1) % stride else [])]
        told = ("solver", "tried", "seconds", "best", "bound", "conflicts")
        return {"bound": seen[-1]["bound"], "curve": [{key: event.get(key) for key in told} for event in kept]}


class Jobs:
    """All searches of a server."""

    def __init__(self, store: Store, limits: Limits, refuse: Callable[..., None] = refuse_job) -> None:
        self.store, self.limits, self._refuse = store, limits, refuse
        self.now: dict[str, Job] = {}
        self._queue: queue.Queue[Job] = queue.Queue(limits.waiting)
        self._stopping = threading.Event()
        self._process_of: dict[threading.Thread, SideProcess] = {}
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(limits.workers)]
        for thread in self._threads:
            thread.start()

    def submit(self, asked: JobAsked | CompareAsked) -> Job:
        """Put a job into the queue, or raise what is wrong with it."""
        self._refuse(asked, self.limits)
        job = Job(secrets.token_urlsafe(9), asked)
        try:
            self.store.add(job.id, time.time(), asked.as_object())
        except sqlite3.Error as error:
            raise Busy(f"no job can be kept now: {error}; it works again when there is room") from None
        self.now[job.id] = job
        try:
            self._queue.put_nowait(job)
        except queue.Full:
            del self.now[job.id]
            with contextlib.suppress(sqlite3.Error):
                self.store.remove(job.id)
            raise Busy(f"{self.limits.waiting} jobs wait already; try again in a minute") from None
        return job

    def cancel(self, number: str) -> bool:
        """Stop a job; a running search keeps its best schedule so far. Say whether there was anything to stop."""
        job = self.now.get(number)
        if job is None:
            return False
        job.cancelled.set()
        return True

    def close(self) -> None:
        """End every search and every process; what was found until then is kept, and no job is left open."""
        self._stopping.set()
        for job in list(self.now.values()):
            job.cancelled.set()
        self._wait(GRACE + MARGIN)
        for process in list(self._process_of.values()):
            process.kill()
        self._wait(MARGIN)
        for job in list(self.now.values()):
            self._finish(job, "cancelled", {"error": "the server was stopped before this was done"})

    def _wait(self, seconds: float) -> None:
        """Wait for all threads, for some seconds altogether."""
        last = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, last - time.monotonic()))

    def _work(self) -> None:
        process: SideProcess | None = None
        while not self._stopping.is_set():
            try:
                job = self._queue.get(timeout=0.5)
            except queue.Empty:
                continue
            try:
                if job.cancelled.is_set():
                    self._finish(job, "cancelled", {})
                    continue
                if process is None or not process.is_alive:
                    process = self._process_of[threading.current_thread()] = SideProcess(_search, self.limits)
                self._run(job, process)
            except Exception as error:
                # One broken job must not take the worker away from the others.
                self._finish(job, "failed", {"error": f"{type(error).__name__}: {error}"})
                if process is not None:
                    process.end()
        if process is not None:
            process.end()

    def _run(self, job: Job, process: SideProcess) -> None:
        job.state = "running"
        with contextlib.suppress(sqlite3.Error):  # how it ends is what counts, and the disk may have room by then
            self.store.change(job.id, "running", {})
        job.tell(state="running")
        seconds = job.asked.seconds or self.limits.seconds
        process.send(replace(job.asked, seconds=seconds).as_object())
        last = time.monotonic() + seconds + GRACE
        interrupted, compiling_since = False, None
        while True:
            if job.cancelled.is_set() and not interrupted:
                interrupted = True
                process.interrupt()
                last = min(last, time.monotonic() + GRACE)
            if process.pipe.poll(0.1):
                try:
                    kind, told = process.pipe.recv()
                except (EOFError, OSError):
                    process.end()
                    if interrupted:  # while the process was starting
                        self._finish(job, "cancelled", {"error": "it was cancelled before there was a schedule"})
                    else:
                        self._finish(job, "failed", {"error": "the search ended unexpectedly, perhaps out of memory"})
                    return
                if kind == "progress":
                    job.tell(**told)
                    continue
                if kind == "compiling":  # for which the search's own clock stands still
                    now = time.monotonic()
                    last += now - (compiling_since or now)
                    compiling_since = now if told else None
                    continue
                schedule = told.pop("schedule", None)
                interrupted |= told.pop("interrupted")  # by the system, too, which may end all processes at once
                state = "cancelled" if interrupted else "failed" if "error" in told else "done"
                self._finish(job, state, told, schedule)
                if interrupted:
                    process.end()
                return
            more = MOST_COMPILING if compiling_since is not None and not interrupted else 0.0
            if time.monotonic() > last + more or not process.is_alive:
                process.end()
                why = "it was cancelled" if interrupted else "it did not end in time"
                self._finish(job, "cancelled" if interrupted else "failed", {"error": f"{why}, so it was stopped"})
                return

    def _finish(self, job: Job, state: str, told: dict[str, Any], schedule: bytes | None = None) -> None:
        """Keep how a job ended and how it went, and tell it; what cannot be written now is remembered."""
        course = job.course()
        points = told.pop("schedules", None)
        told = {**course, **{key: value for key, value in told.items() if value is not None or key not in course}}
        try:
            if points:
                self.store.add_points(job.id, points)
            self.store.change(job.id, state, told, schedule)
        except sqlite3.Error as error:
            note = f"it is not kept in the file yet ({error}), and would be lost with this server"
            told = {**told, "notes": [*(told.get("notes") or []), note]}
            self.store.remember(job.id, state, told, schedule, points or ())
        # The last event first: who watches ends when the state says so.
        job.tell(**{**told, "state": state, "curve": None})
        job.state = state
        self.now.pop(job.id, None)


def _search(pipe: Connection, limits: Limits) -> None:
    """Search for every job that comes down the pipe; runs in a process of its own.

    Interrupts come through during a search alone. One that came before, while the process was starting, waits for it.
    """
    while True:
        try:
            asked = pipe.recv()
        except EOFError:
            return
        try:
            with interrupts(signal.SIG_UNBLOCK):
                if "networks" in asked:
                    answer = _compared(CompareAsked(**asked), limits, pipe)
                else:
                    answer = _searched(JobAsked(**asked), limits, pipe)
        except KeyboardInterrupt:
            answer = {"error": "it was cancelled before there was a schedule", "interrupted": True}
        except PavaneError as error:
            answer = {"error": in_words_of_the_page(str(error))}
        except MemoryError:
            answer = {"error": f"it needed more than {limits.memory / 2**30:.0f} GiB of memory"}
        pipe.send(("done", {"interrupted": False, **answer}))


def _searched(asked: JobAsked, limits: Limits, pipe: Connection) -> dict[str, Any]:
    from pavane.io import schedule_bytes
    from pavane.io.files import collect_notes
    from pavane.parallel.cluster import hired_from
    from pavane.search.fewest_steps import solver_named
    from pavane.search.settings import configured
    from pavane.search.synthesis import is_front_wanted, solve
    from pavane.ui.web.figures import figures_of

    guard = threading.Lock()  # whichever thread compiles tells so

    def send(kind: str, told: Any) -> None:
        with guard:
            pipe.send((kind, told))

    with collect_notes() as notes:
        problem = asked.within(limits)
    said = {"notes": [in_words_of_the_page(text) for text in notes]}

    def tell(now: Progress) -> None:
        left = None if now.seconds_left is None else round(now.seconds_left, 1)
        figures = {"best": now.best, "bound": now.bound, "conflicts": now.conflicts}
        times = {"seconds": round(now.seconds, 2), "seconds_left": left}
        send("progress", {"solver": now.activity, "tried": now.num_steps, **figures, **times})

    solver = None if asked.method == "auto" else configured(solver_named(asked.method), asked.settings)
    hired = contextlib.nullcontext(ALONE) if limits.cluster is None else hired_from(limits.cluster)
    with hired as workers, clock.heard_by(lambda what: send("compiling", what)):
        if is_front_wanted(problem, asked.method, asked.steps):
            return {**said, **_front(problem, asked, workers, tell)}
        result = solve(
            problem,
            SearchOptions(seed=asked.seed, seconds=asked.seconds, workers=workers, on_progress=tell),
            solver=solver,
            num_steps=asked.steps,
        )
    told = {**said, **figures_of(result), "interrupted": result.interrupted}
    if result.schedule is not None:
        told["schedule"] = schedule_bytes(result)
    return told


def _compared(asked: CompareAsked, limits: Limits, pipe: Connection) -> dict[str, Any]:
    guard = threading.Lock()  # whichever thread compiles tells so

    def send(kind: str, told: Any) -> None:
        with guard:
            pipe.send((kind, told))

    with clock.heard_by(lambda what: send("compiling", what)):
        return compared(asked, limits, lambda told: send("progress", told))


def _front(problem: Problem, asked: JobAsked, workers: Workers, tell: Callable[[Progress], None]) -> dict[str, Any]:
    """Search for the front: every point is told and kept, and the job's own is the one that the command line writes."""
    from pavane.bounds import counted_bounds
    from pavane.io import schedule_bytes
    from pavane.search.pareto_search import pareto_front
    from pavane.ui.web.figures import figures_of, front_figures

    bound = counted_bounds(problem)[0].steps

    def tell_front(now: Progress) -> None:
        fewest = min((start_ups for start_ups, _ in now.points or ()), default=None)
        tell(replace(now, best=fewest, bound=bound))

    found = pareto_front(
        problem, SearchOptions(seed=asked.seed, seconds=asked.seconds, workers=workers, on_progress=tell_front)
    )
    if not found.points:
        return {
            "error": "no schedule was found in the time there was",
            "bound": bound,
            "interrupted": found.interrupted,
        }
    best = found.best(1.0, 1.0)
    return {
        **figures_of(best.result),
        "seconds": found.seconds,
        "front": front_figures(found),
        "point": found.points.index(best),
        "schedules": [schedule_bytes(point.result) for point in found.points],
        "schedule": schedule_bytes(best.result),
        "interrupted": found.interrupted,
    }

"""Searches in processes of their own: a bounded queue, progress as it comes, cancelling, limits of time and memory.

Each worker is one thread that owns one process. A cancelled search is interrupted the way Ctrl-C interrupts the command
line, so its best schedule so far is stored; one that does not react is killed, and its process replaced. A process is
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

from pavane.bounds import counted_bounds
from pavane.errors import PavaneError
from pavane.io.files import collect_notes
from pavane.io.joint_file import joint_bytes
from pavane.io.timed_file import timed_bytes
from pavane.jit import clock
from pavane.parallel.pools import SERIAL
from pavane.search.options import SearchOptions
from pavane.ui.web.limits import Busy, ServerLimits
from pavane.ui.web.renderings import refuse_job
from pavane.ui.web.requests import JobRequest, in_words_of_the_page
from pavane.ui.web.store import Store
from pavane.ui.web.subprocess_worker import SubprocessWorker, interrupts

if TYPE_CHECKING:
    from pavane.model.problem import Problem
    from pavane.model.timed import TimedProblem
    from pavane.parallel.progress import Progress

GRACE = 8.0
"""Seconds that a search may take to end after its time is over or it was cancelled."""

MOST_COMPILING = 600.0
"""Seconds for which a search that compiles is waited for beyond its time."""

MARGIN = 4.0
"""Seconds more in which a thread ends a process and stores the outcome of its job."""

MOST_EVENTS = 2_000

MOST_CURVE = 300
"""Points that are stored of the course of a search."""


class Job:
    """One running search: its events so far, and whether it should stop."""

    def __init__(self, number: str, request: JobRequest) -> None:
        self.id, self.request = number, request
        self.state = "waiting"
        self.events: list[dict[str, Any]] = []
        self.cancelled = threading.Event()

    def publish(self, **event: Any) -> None:
        """Add an event for the clients that watch."""
        if len(self.events) < MOST_EVENTS or event.get("state") not in (None, "running"):
            self.events.append(event)

    def course(self) -> dict[str, Any]:
        """Return the course of the search, to be stored: its last bound, and its points over time."""
        seen = [event for event in self.events if "solver" in event]
        if not seen:
            return {}
        stride = -(-len(seen) // MOST_CURVE)
        kept = [*seen[::stride], *([seen[-1]] if (len(seen) - 1) % stride else [])]
        details = ("solver", "tried", "seconds", "best", "bound", "conflicts")
        return {"bound": seen[-1]["bound"], "curve": [{key: event.get(key) for key in details} for event in kept]}


class Jobs:
    """All searches of a server."""

    def __init__(self, store: Store, limits: ServerLimits, refuse: Callable[..., None] = refuse_job) -> None:
        self.store, self.limits, self._refuse = store, limits, refuse
        self.now: dict[str, Job] = {}
        self._queue: queue.Queue[Job | None] = queue.Queue(limits.waiting)
        self._stopping = threading.Event()
        self._process_of: dict[threading.Thread, SubprocessWorker] = {}
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(limits.workers)]
        for thread in self._threads:
            thread.start()

    def submit(self, request: JobRequest) -> Job:
        """Put a job into the queue, or raise what is wrong with it."""
        self._refuse(request, self.limits)
        job = Job(secrets.token_urlsafe(9), request)
        try:
            self.store.add(job.id, time.time(), request.as_object())
        except sqlite3.Error as error:
            raise Busy(f"no job can be stored now: {error}; retry when there is room") from None
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
        """Stop a job; the best schedule of a running search is stored. Return whether there was anything to stop."""
        job = self.now.get(number)
        if job is None:
            return False
        job.cancelled.set()
        return True

    def close(self) -> None:
        """End every search and every process; results so far are stored, and no job is left open."""
        self._stopping.set()
        for job in list(self.now.values()):
            job.cancelled.set()
        for _ in self._threads:
            with contextlib.suppress(queue.Full):  # a thread that waits for a job sees at once that there is none
                self._queue.put_nowait(None)
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
        process: SubprocessWorker | None = None
        while not self._stopping.is_set():
            try:
                job = self._queue.get(timeout=0.5)
            except queue.Empty:
                continue
            if job is None:
                break
            try:
                if job.cancelled.is_set():
                    self._finish(job, "cancelled", {})
                    continue
                if process is None or not process.is_alive:
                    process = self._process_of[threading.current_thread()] = SubprocessWorker(_search, self.limits)
                self._run(job, process)
            except Exception as error:
                # One broken job must not take the worker away from the others.
                self._finish(job, "failed", {"error": f"{type(error).__name__}: {error}"})
                if process is not None:
                    process.end()
        if process is not None:
            process.end()

    def _run(self, job: Job, process: SubprocessWorker) -> None:
        job.state = "running"
        with contextlib.suppress(sqlite3.Error):  # how it ends is what counts, and the disk may have room by then
            self.store.change(job.id, "running", {})
        job.publish(state="running")
        seconds = job.request.seconds or self.limits.seconds
        process.send(replace(job.request, seconds=seconds).as_object())
        last = time.monotonic() + seconds + GRACE
        interrupted, compiling_since = False, None
        while True:
            if job.cancelled.is_set() and not interrupted:
                interrupted = True
                process.interrupt()
                last = min(last, time.monotonic() + GRACE)
            if process.pipe.poll(0.1):
                try:
                    kind, details = process.pipe.recv()
                except (EOFError, OSError):
                    process.end()
                    if interrupted:  # while the process was starting
                        self._finish(job, "cancelled", {"error": "it was cancelled before there was a schedule"})
                    else:
                        self._finish(job, "failed", {"error": "the search ended unexpectedly, perhaps out of memory"})
                    return
                if kind == "progress":
                    job.publish(**details)
                    continue
                if kind == "compiling":  # for which the search's own clock stands still
                    now = time.monotonic()
                    last += now - (compiling_since or now)
                    compiling_since = now if details else None
                    continue
                schedule = details.pop("schedule", None)
                interrupted |= details.pop("interrupted")  # by the system, too, which may end all processes at once
                state = "cancelled" if interrupted else "failed" if "error" in details else "done"
                self._finish(job, state, details, schedule)
                if interrupted:
                    process.end()
                return
            more = MOST_COMPILING if compiling_since is not None and not interrupted else 0.0
            if time.monotonic() > last + more or not process.is_alive:
                process.end()
                why = "it was cancelled" if interrupted else "it did not end in time"
                self._finish(job, "cancelled" if interrupted else "failed", {"error": f"{why}, so it was stopped"})
                return

    def _finish(self, job: Job, state: str, details: dict[str, Any], schedule: bytes | None = None) -> None:
        """Store the outcome and the course of a job, and report it; what cannot be written now is held in memory."""
        course = job.course()
        points = details.pop("schedules", None)
        details = {**course, **{key: value for key, value in details.items() if value is not None or key not in course}}
        try:
            if points:
                self.store.add_points(job.id, points)
            self.store.change(job.id, state, details, schedule)
        except sqlite3.Error as error:
            note = f"it is not stored in the file yet ({error}), and would be lost with this server"
            details = {**details, "notes": [*(details.get("notes") or []), note]}
            self.store.remember(job.id, state, details, schedule, points or ())
        # The last event first: clients stop watching when the state says so.
        job.publish(**{**details, "state": state, "curve": None})
        job.state = state
        self.now.pop(job.id, None)


def _search(pipe: Connection, limits: ServerLimits) -> None:
    """Search for every job that comes down the pipe; runs in a process of its own.

    Interrupts come through during a search alone. One that came before, while the process was starting, waits for it.
    """
    guard = threading.Lock()  # any thread may compile, and reports it

    def send(kind: str, details: Any) -> None:
        with guard:
            pipe.send((kind, details))

    while True:
        try:
            request = pipe.recv()
        except EOFError:
            return
        try:
            with interrupts(signal.SIG_UNBLOCK), clock.reporting_to(lambda what: send("compiling", what)):
                answer = _searched(JobRequest(**request), limits, send)
        except KeyboardInterrupt:
            answer = {"error": "it was cancelled before there was a schedule", "interrupted": True}
        except PavaneError as error:
            answer = {"error": in_words_of_the_page(str(error))}
        except MemoryError:
            answer = {"error": f"it needed more than {limits.memory / 2**30:.0f} GiB of memory"}
        pipe.send(("done", {"interrupted": False, **answer}))


def _searched(request: JobRequest, limits: ServerLimits, send: Callable[[str, Any], None]) -> dict[str, Any]:
    """Search for one schedule or a Pareto front; return the outcome of the job."""
    from pavane.io import schedule_bytes
    from pavane.parallel.cluster import cluster_workers
    from pavane.search.fewest_steps import solver_named
    from pavane.search.settings import configured
    from pavane.search.synthesis import is_front_wanted, solve
    from pavane.ui.web.figures import figures_of

    if request.is_joint:
        return _joint(request, limits)
    with collect_notes() as notes:
        problem = request.within(limits)
    outcome: dict[str, Any] = {"notes": [in_words_of_the_page(text) for text in notes]}

    def report(now: Progress) -> None:
        left = None if now.seconds_left is None else round(now.seconds_left, 1)
        figures = {"best": now.best, "bound": now.bound, "conflicts": now.conflicts}
        times = {"seconds": round(now.seconds, 2), "seconds_left": left}
        send("progress", {"solver": now.activity, "tried": now.num_steps, **figures, **times})

    solver = None if request.method == "auto" else configured(solver_named(request.method), request.settings)
    pool_workers = contextlib.nullcontext(SERIAL) if limits.cluster is None else cluster_workers(limits.cluster)
    with pool_workers as workers:
        options = SearchOptions(seed=request.seed, seconds=request.seconds, workers=workers, on_progress=report)
        if request.is_timed:
            return outcome | _timed(request.timed(problem), options)
        if is_front_wanted(problem, request.method, request.steps) and not request.schedule_form:
            return outcome | _front(problem, options, report)
        result = solve(
            problem,
            options,
            solver=solver,
            num_steps=request.steps,
            form="table" if request.needs_table(problem, limits) else None,
        )
    outcome |= {**figures_of(result), "interrupted": result.interrupted}
    if result.num_steps is not None:
        outcome["schedule"] = schedule_bytes(result)
    return outcome


def _joint(request: JobRequest, limits: ServerLimits) -> dict[str, Any]:
    """Search for a schedule of several collectives at once; return the outcome of the job."""
    from pavane.search.joint import solve_joint
    from pavane.ui.web.figures import joint_figures

    with collect_notes() as notes:
        problem = request.joint(limits)
    options = SearchOptions(seed=request.seed, seconds=request.seconds)
    result = solve_joint(problem, options, goal=request.goal or "makespan", num_steps=request.steps)
    outcome = {**joint_figures(result), "notes": [in_words_of_the_page(text) for text in notes]}
    if result.schedule is not None:
        outcome["schedule"] = joint_bytes(result)
    return outcome | {"interrupted": result.interrupted}


def _timed(timed: TimedProblem, options: SearchOptions) -> dict[str, Any]:
    """Search for a timed schedule; return the outcome of the job."""
    from pavane.search.timed import solve_timed
    from pavane.ui.web.figures import timed_figures

    result = solve_timed(timed, options)
    if result.schedule is None:
        return {"error": "no timed schedule was found within the time limit"}
    return {**timed_figures(result), "schedule": timed_bytes(result)}


def _front(problem: Problem, options: SearchOptions, report: Callable[[Progress], None]) -> dict[str, Any]:
    """Search for the Pareto front: every point is stored, and the job's own is the one that the command line writes."""
    from pavane.io import schedule_bytes
    from pavane.search.pareto_search import pareto_front
    from pavane.ui.web.figures import figures_of, front_figures

    bound = counted_bounds(problem)[0].steps

    def report_front(now: Progress) -> None:
        fewest = min((start_ups for start_ups, _ in now.points or ()), default=None)
        report(replace(now, best=fewest, bound=bound))

    found = pareto_front(problem, replace(options, on_progress=report_front))
    if not found.points:
        error = "no schedule was found within the time limit"
        return {"error": error, "bound": bound, "interrupted": found.interrupted}
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

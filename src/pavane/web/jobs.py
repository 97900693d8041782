"""Searches in processes of their own: a bounded queue, progress as it comes, cancelling, limits of time and memory.

Each worker is one thread that owns one process. A cancelled search is interrupted the way Ctrl-C interrupts the command
line, so it keeps its best schedule so far; one that does not react is ended, and its process replaced.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import queue
import secrets
import signal
import threading
import time
from dataclasses import asdict, replace
from multiprocessing.connection import Connection
from typing import Any

from pavane.errors import InputError, PavaneError
from pavane.web.limits import Limits
from pavane.web.requests import JobAsked, in_words_of_the_page
from pavane.web.store import Store

GRACE = 8.0
"""Seconds that a search may take to end after its time is over or it was cancelled."""

MOST_EVENTS = 2_000


class Busy(PavaneError):
    """Too many jobs wait already."""


class Job:
    """One search on its way: what was told of it so far, and whether it should stop."""

    def __init__(self, number: str, asked: JobAsked) -> None:
        self.id, self.asked = number, asked
        self.state = "waiting"
        self.events: list[dict[str, Any]] = []
        self.cancelled = threading.Event()

    def tell(self, **event: Any) -> None:
        """Add an event for whoever watches."""
        if len(self.events) < MOST_EVENTS or event.get("state") not in (None, "running"):
            self.events.append(event)


class Jobs:
    """All searches of a server."""

    def __init__(self, store: Store, limits: Limits) -> None:
        self.store, self.limits = store, limits
        self.now: dict[str, Job] = {}
        self._queue: queue.Queue[Job | None] = queue.Queue(limits.waiting)
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(limits.workers)]
        for thread in self._threads:
            thread.start()

    def submit(self, asked: JobAsked) -> Job:
        """Put a job into the queue, or raise what is wrong with it."""
        problem = asked.within(self.limits)
        _refuse_method(asked, problem)
        job = Job(secrets.token_urlsafe(9), asked)
        self.now[job.id] = job
        self.store.add(job.id, time.time(), asked.as_object())
        try:
            self._queue.put_nowait(job)
        except queue.Full:
            del self.now[job.id]
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
        """End every search and every process."""
        self._stopping.set()
        for job in list(self.now.values()):
            job.cancelled.set()
        for _ in self._threads:
            with contextlib.suppress(queue.Full):
                self._queue.put_nowait(None)
        for thread in self._threads:
            thread.join(timeout=5)

    def _work(self) -> None:
        process: _Process | None = None
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
                    process = _Process(self.limits)
                self._run(job, process)
            except Exception as error:
                # One broken job must not take the worker away from the others.
                self._finish(job, "failed", {"error": f"{type(error).__name__}: {error}"})
                if process is not None:
                    process.end()
        if process is not None:
            process.end()

    def _run(self, job: Job, process: _Process) -> None:
        job.state = "running"
        self.store.change(job.id, "running", {})
        job.tell(state="running")
        seconds = job.asked.seconds or self.limits.seconds
        process.send(replace(job.asked, seconds=seconds).as_object())
        last = time.monotonic() + seconds + GRACE
        interrupted = False
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
                schedule = told.pop("schedule", None)
                state = "cancelled" if interrupted else "failed" if "error" in told else "done"
                self._finish(job, state, told, schedule)
                return
            if time.monotonic() > last or not process.is_alive:
                process.end()
                why = "it was cancelled" if interrupted else "it did not end in time"
                self._finish(job, "cancelled" if interrupted else "failed", {"error": f"{why}, so it was stopped"})
                return

    def _finish(self, job: Job, state: str, told: dict[str, Any], schedule: bytes | None = None) -> None:
        self.store.change(job.id, state, told, schedule)
        job.state = state
        job.tell(state=state, **told)
        self.now.pop(job.id, None)


def _refuse_method(asked: JobAsked, problem: Any) -> None:
    """Refuse a method that does not exist or cannot work on the problem, before it waits in the queue."""
    if asked.method == "auto":
        if asked.settings:
            raise InputError("settings belong to a method; choose one, for example umda")
        return
    from pavane.search.fewest_steps import solver_named
    from pavane.search.settings import configured

    solver = configured(solver_named(asked.method), asked.settings)
    if not solver.supports(problem):
        raise InputError(f"method {asked.method} cannot work on {problem}; choose auto")


class _Process:
    """A process that searches for one job after the other."""

    def __init__(self, limits: Limits) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, there = context.Pipe()
        self._process = context.Process(target=_serve, args=(there, limits), daemon=True)
        self._process.start()
        there.close()

    @property
    def is_alive(self) -> bool:
        return self._process.is_alive()

    def send(self, asked: dict[str, Any]) -> None:
        self.pipe.send(asked)

    def interrupt(self) -> None:
        if self._process.pid is not None and self.is_alive:
            os.kill(self._process.pid, signal.SIGINT)

    def end(self) -> None:
        self._process.kill()
        self._process.join(timeout=5)
        self.pipe.close()


def _serve(pipe: Connection, limits: Limits) -> None:
    """Search for every job that comes down the pipe; runs in a process of its own."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    while True:
        try:
            asked = pipe.recv()
        except KeyboardInterrupt:
            continue  # an interrupt that came too late for the job before
        except EOFError:
            return
        try:
            answer = _searched(JobAsked(**asked), limits, pipe)
        except KeyboardInterrupt:
            answer = {"error": "it was cancelled before there was a schedule"}
        except PavaneError as error:
            answer = {"error": in_words_of_the_page(str(error))}
        except MemoryError:
            answer = {"error": f"it needed more than {limits.memory / 2**30:.0f} GiB of memory"}
        while True:
            try:
                pipe.send(("done", answer))
                break
            except KeyboardInterrupt:
                continue


def _searched(asked: JobAsked, limits: Limits, pipe: Connection) -> dict[str, Any]:
    from pavane.formats import schedule_bytes
    from pavane.search.fewest_steps import solver_named
    from pavane.search.settings import configured
    from pavane.search.synthesis import Progress, synthesize
    from pavane.web.figures import figures_of

    problem = asked.within(limits)

    def tell(now: Progress) -> None:
        left = None if now.seconds_left is None else round(now.seconds_left, 1)
        told = {**asdict(now), "seconds": round(now.seconds, 2), "seconds_left": left}
        pipe.send(("progress", told))

    solver = None if asked.method == "auto" else configured(solver_named(asked.method), asked.settings)
    result = synthesize(
        problem, solver=solver, num_steps=asked.steps, seed=asked.seed, seconds=asked.seconds, progress=tell
    )
    told = figures_of(result)
    if result.schedule is not None:
        told["schedule"] = schedule_bytes(result)
    return told

"""The searches of a server end with it: no process stays, no job is left open, and what was found is kept."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.search.options import SearchOptions
from pavane.ui.web import jobs as searches
from pavane.ui.web.jobs import Jobs
from pavane.ui.web.limits import Busy, ServerLimits
from pavane.ui.web.requests import JobRequest
from pavane.ui.web.store import Store

LONG = {"network": "random-regular:60,4,1", "collective": "aas", "seconds": 50}
"""Has a schedule soon, and goes on for long."""

SHORT = {"network": "ring:6", "collective": "aas"}


RUN = "; import runpy, sys; sys.argv[0] = 'pavane'; runpy.run_module('pavane', run_name='__main__')"
IMPATIENT = f"from pavane.ui.web import jobs; jobs.GRACE = 0.2{RUN}"
"""A program that is pavane, but hardly waits for searches that are to end."""
HASTY = f"from pavane.ui.cli import serve; serve.CONNECTION_SECONDS = 0.2{RUN}"
"""A program that is pavane, but hardly waits for its connections."""


class Server:
    """A server as `pavane serve` starts it."""

    def __init__(self, folder: Path, *program: str) -> None:
        self.store = folder / "results.sqlite"
        started = program or ("-m", "pavane")
        command = [sys.executable, *started, "serve", "--port", "0", "--store", str(self.store)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        found = re.search(r"http://\S+/", self.process.stdout.readline())
        assert found is not None
        self.address = found[0]

    def ask(self, path: str, asked: dict[str, Any] | None = None) -> Any:
        """Call the server and return its answer."""
        body = None if asked is None else json.dumps(asked).encode()
        request = urllib.request.Request(self.address + path, body, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def begun(self, asked: dict[str, Any]) -> str:
        """Submit a job, and return its number when its search has a schedule."""
        number: str = self.ask("api/jobs", asked)["id"]
        with urllib.request.urlopen(f"{self.address}api/jobs/{number}/events", timeout=60) as events:
            for line in events:
                if line.startswith(b"data: ") and json.loads(line[6:]).get("best") is not None:
                    return number
        raise AssertionError("the job has ended")

    def worker(self) -> int:
        """Return the number of the process that searches."""
        children = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        listed = [int(child) for path in children for child in path.read_text().split()]
        begun = [child for child in listed if "spawn_main" in Path(f"/proc/{child}/cmdline").read_text()]
        return max(begun)  # those before it run errands

    def ended(self) -> tuple[int, str]:
        """Wait for the end; return the exit code and what was said on stderr."""
        _, said = self.process.communicate(timeout=60)
        return self.process.returncode, said

    def jobs(self) -> dict[str, tuple[str, dict[str, Any], bool]]:
        """Return what the file says of each job: how it stands, what is told of it, and whether it has a schedule."""
        with sqlite3.connect(self.store) as file:
            rows = file.execute("SELECT id, state, told, schedule IS NOT NULL FROM jobs").fetchall()
        return {number: (state, json.loads(told), bool(has)) for number, state, told, has in rows}


@pytest.fixture
def server(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Server]:
    """Yield a server, of another program if a test says so; it is killed if it has not ended."""
    if not sys.platform.startswith("linux"):
        pytest.skip("processes are looked up in /proc")
    running = Server(tmp_path, *getattr(request, "param", ()))
    yield running
    running.process.kill()
    running.process.communicate()


@pytest.mark.parametrize("server", [("-c", IMPATIENT)], indirect=True, ids=["impatient"])
def test_a_worker_that_does_not_answer_ends_with_the_server(server: Server) -> None:
    """Ctrl-C ends a search whose process stands still; its job and the one that waits are marked as cancelled."""
    running, waiting = server.begun(LONG), server.ask("api/jobs", SHORT)["id"]
    worker = server.worker()
    os.kill(worker, signal.SIGSTOP)
    server.process.send_signal(signal.SIGINT)
    assert server.ended() == (0, "")
    assert not Path(f"/proc/{worker}").exists()
    jobs = server.jobs()
    assert jobs[running][0] == jobs[waiting][0] == "cancelled"
    assert "stopped" in jobs[running][1]["error"]
    assert "server" in jobs[waiting][1]["error"]


@pytest.mark.parametrize("server", [("-c", HASTY)], indirect=True, ids=["hasty"])
def test_a_worker_that_answers_late_is_waited_for(server: Server) -> None:
    """A search that takes longer than usual to end after Ctrl-C keeps its best schedule."""
    running = server.begun(LONG)
    worker = server.worker()
    os.kill(worker, signal.SIGSTOP)
    server.process.send_signal(signal.SIGINT)
    time.sleep(0.6)  # longer than the server waits for its connections
    os.kill(worker, signal.SIGCONT)
    assert server.ended() == (0, "")
    state, told, has_schedule = server.jobs()[running]
    assert (state, has_schedule, "error" in told) == ("cancelled", True, False)


@pytest.mark.parametrize("pause", [0.0, 0.5])
def test_a_server_ends_cleanly_while_a_process_starts(server: Server, pause: float) -> None:
    """Ctrl-C says nothing on stderr, whenever it comes: to the whole terminal, twice, while someone watches."""
    number = server.ask("api/jobs", LONG)["id"]
    with urllib.request.urlopen(f"{server.address}api/jobs/{number}/events", timeout=60):
        time.sleep(pause)
        for process in [server.process.pid, *_children(server.process.pid), server.process.pid]:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGINT)
        assert server.ended() == (0, "")
    assert server.jobs()[number][0] == "cancelled"


def _children(process: int) -> list[int]:
    paths = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for path in paths for child in path.read_text().split()]


def ended(jobs: Jobs, store: Store, number: str) -> dict[str, Any]:
    """Wait for a job and return what is known of it."""
    for _ in range(6_000):
        found = store.job(number)
        assert found is not None
        if found["state"] not in ("waiting", "running"):
            return found
        time.sleep(0.01)
    raise AssertionError("the job did not end")


def fill_up(store: Store) -> None:
    """Let the file of a store grow no more, as on a full disk."""
    (pages,) = store._file.execute("PRAGMA page_count").fetchone()
    store._file.execute(f"PRAGMA max_page_count = {pages}")
    for size in (500, 1):
        with suppress(sqlite3.OperationalError):
            for number in range(1_000):
                row = (f"filling {size} {number}", 0.0, "done", "x" * size, "{}", None, None)
                store._file.execute("INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?)", row)


def make_room(store: Store) -> None:
    """Let the file grow again."""
    store._file.execute("PRAGMA max_page_count = 1000000")


def test_a_full_disk_costs_no_result(tmp_path: Path) -> None:
    """While there is no room new jobs are refused in one line; what ends meanwhile is there, and is written later."""
    file = tmp_path / "s.sqlite"
    store = Store(file)
    jobs = Jobs(store, ServerLimits(seconds=20))
    try:
        first, second = (jobs.submit(JobRequest(network=name)) for name in ("torus:4x4", "ring:12"))
        fill_up(store)
        for job in (first, second):
            told = ended(jobs, store, job.id)
            assert (told["state"], told["status"]) == ("done", "optimal")
            assert "database or disk is full" in told["notes"][0]
            assert store.schedule(job.id) is not None
        with pytest.raises(Busy, match=r"disk is full; retry when there is room"):
            jobs.submit(JobRequest(network="complete:9"))
        make_room(store)
        third = jobs.submit(JobRequest(network="ring:4"))
        assert ended(jobs, store, third.id)["state"] == "done"
        assert not jobs.now
    finally:
        jobs.close()
        store.close()
    again = Store(file)
    assert [again.job(job.id)["state"] for job in (first, second, third)] == ["done"] * 3  # type: ignore[index]
    assert None not in [again.schedule(job.id) for job in (first, second, third)]
    again.close()


def test_closing_twice_or_after_the_store_raises_nothing(tmp_path: Path) -> None:
    """A thread that comes late to a closed store ends without a complaint."""
    store = Store(tmp_path / "s.sqlite")
    jobs = Jobs(store, ServerLimits())
    jobs.close()
    store.close()
    jobs._finish(searches.Job("late", JobRequest(network="ring:4")), "done", {})
    jobs.close()


def test_a_broken_job_costs_no_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody foresaw is told as the end of that job; the next one is searched for, and a cancelled one is not."""

    class Process:
        """Stands for a process that breaks when it is asked for the first time."""

        is_alive, ends = True, 0

        def __init__(self, *_: object) -> None:
            """Begin."""

        def kill(self) -> None:
            """Be gone already."""

        def end(self) -> None:
            """Count its ends."""
            Process.ends += 1

    def run(self: Jobs, job: searches.Job, process: Process) -> None:
        if job is broken:
            raise RuntimeError("no luck")
        self._finish(job, "done", {})

    monkeypatch.setattr(searches, "SubprocessWorker", Process)
    monkeypatch.setattr(Jobs, "_run", run)
    store = Store(tmp_path / "s.sqlite")
    jobs = Jobs(store, ServerLimits(workers=0))
    broken, cancelled, good = (jobs.submit(JobRequest(network="ring:4")) for _ in range(3))
    jobs.cancel(cancelled.id)
    jobs._threads = [threading.Thread(target=jobs._work, daemon=True)]
    jobs._threads[0].start()
    assert ended(jobs, store, good.id)["state"] == "done"
    assert ended(jobs, store, broken.id)["error"] == "RuntimeError: no luck"
    assert (store.job(cancelled.id) or {})["state"] == "cancelled"
    assert Process.ends == 1
    jobs.close()
    store.close()


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (KeyboardInterrupt(), "it was cancelled before there was a schedule"),
        (InputError("`root` 9 is no processor"), "root 9 is no processor"),
        (MemoryError(), "it needed more than 1 GiB of memory"),
    ],
)
def test_what_ends_a_search_is_its_answer(raised: BaseException, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the words of the page; the process goes on until the server is gone."""
    sent: list[tuple[str, dict[str, Any]]] = []

    class Pipe:
        """The end of a pipe: one job, then nobody."""

        asked = [JobRequest(network="ring:4").as_object()]  # noqa: RUF012

        def recv(self) -> Any:
            """Return what is asked next."""
            if not self.asked:
                raise EOFError
            return self.asked.pop()

        def send(self, told: tuple[str, dict[str, Any]]) -> None:
            """Keep an answer."""
            sent.append(told)

    def broken(*_: object) -> Any:
        raise raised

    monkeypatch.setattr(searches, "_searched", broken)
    pipe: Any = Pipe()
    searches._search(pipe, ServerLimits(memory=2**30))
    ((kind, told),) = sent
    assert (kind, told["error"]) == ("done", said)
    assert told["interrupted"] is isinstance(raised, KeyboardInterrupt)


def test_a_front_without_points_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no schedule then; the bound is told."""
    asked = JobRequest(network="ring:4", ports="1", combining=True)
    nothing = SimpleNamespace(points=(), interrupted=False)
    monkeypatch.setattr("pavane.search.pareto_search.pareto_front", lambda *_, **__: nothing)
    told = searches._front(asked.within(ServerLimits()), SearchOptions(), lambda _: None)
    assert (told["error"], told["bound"]) == ("no schedule was found within the time limit", 2)


class Compiling:
    """Stands for a process that compiles for long and then searches: it says what it does, and when."""

    is_alive = True

    def __init__(self, moment: list[float], *news: tuple[float, str, Any]) -> None:
        self.moment, self.news, self.pipe, self.is_ended = moment, list(news), self, False

    def poll(self, _: float) -> bool:
        """Let some time pass; say whether there is news."""
        if self.moment[0] < self.news[0][0]:
            self.moment[0] += 1.0
        return self.moment[0] >= self.news[0][0]

    def recv(self) -> tuple[str, Any]:
        """Return the news."""
        return self.news.pop(0)[1:]

    def send(self, asked: Any) -> None:
        """Take what is asked for."""

    def end(self) -> None:
        """Note that it was ended."""
        self.is_ended = True


@pytest.mark.parametrize(("seconds_compiling", "state"), [(100.0, "done"), (0.0, "failed"), (1000.0, "failed")])
def test_compiling_takes_no_time_of_a_search(
    seconds_compiling: float, state: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A process that compiles is not ended, unless it does so for ever; one that searches for too long is."""
    moment = [0.0]
    monkeypatch.setattr("pavane.ui.web.jobs.time.monotonic", lambda: moment[0])
    jobs = Jobs(Store(tmp_path / "s.sqlite"), ServerLimits(workers=0))
    job = jobs.submit(JobRequest(network="ring:6", collective="aas", seconds=10))
    compiled = [(1.0, "compiling", "kernel"), (1.0 + seconds_compiling, "compiling", "")] if seconds_compiling else []
    process: Any = Compiling(moment, *compiled, (105.0, "done", {"interrupted": False, "steps": 3}))
    jobs._run(job, process)
    assert (job.state, process.is_ended) == (state, state == "failed")


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_a_process_that_is_gone_ends_its_job(is_cancelled: bool, tmp_path: Path) -> None:
    """One that nobody has ended is called unexpected; one that was to end is not."""

    class Gone(Compiling):
        """Stands for a process that has been killed."""

        def interrupt(self) -> None:
            """Be asked to end."""

        def recv(self) -> tuple[str, Any]:
            """Find nobody."""
            raise EOFError

    store = Store(tmp_path / "s.sqlite")
    jobs = Jobs(store, ServerLimits(workers=0))
    job = jobs.submit(JobRequest(network="ring:6"))
    if is_cancelled:
        jobs.cancel(job.id)
    process: Any = Gone([0.0], (0.0, "", None))
    jobs._run(job, process)
    told = store.job(job.id) or {}
    said = "cancelled before there was a schedule" if is_cancelled else "ended unexpectedly, perhaps out of memory"
    assert (told["state"], process.is_ended) == ("cancelled" if is_cancelled else "failed", True)
    assert said in told["error"]
    store.close()

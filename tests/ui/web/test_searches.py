"""The searches of the page: one at a time, stopped with what they have found, ended with the server."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

import pytest
from fastapi import HTTPException

from pavane.ui.web.requests import SearchRequest
from pavane.ui.web.searches import Searches, SearchProcess
from tests.ui.web.serving import ENDLESS, IMPROVING, Server


def searching(server: Server) -> list[int]:
    """Return the processes of a server that search or are ready to."""
    if not sys.platform.startswith("linux"):
        pytest.skip("processes are looked up in /proc")
    children = Path(f"/proc/{server.process.pid}/task").glob("*/children")
    return [int(child) for path in children for child in path.read_text().split()]


def wait_for_schedule(server: Server, path: str) -> None:
    """Wait until a search has its first schedule."""
    assert any(state.get("best") is not None for state in server.states(path))


def test_a_search_reports_progress_and_has_a_result(server: Server) -> None:
    """States come one after the other; the last one says that there is a schedule."""
    path = server.start({"network": "octagon"})
    states = list(server.states(path))
    assert [state["state"] for state in states] == ["running"] * (len(states) - 1) + ["done"]
    assert states[-1] == {"state": "done", "notes": [], "has_schedule": True}
    assert server.outcome(path) == states[-1]
    assert server.get(f"{path}/contents")["status"] == "optimal"


def test_one_search_runs_at_a_time(server: Server) -> None:
    """A second one is refused until the first is stopped; the page knows which one is running."""
    path = server.start(ENDLESS)
    assert server.get("/api/about")["running"] == path.rpartition("/")[2]
    refused = server.refusal("POST", "/api/searches", {"network": "octagon"})
    assert refused == (409, "a search is running; stop it first")
    server.post(f"{path}/stop", {})
    assert not server.outcome(path)["has_schedule"]
    assert "no schedule" in server.outcome(path)["error"] or "before there was" in server.outcome(path)["error"]
    assert server.refusal("GET", f"{path}/contents") == (404, "this search has no schedule")
    assert server.get("/api/about")["running"] is None


def test_a_stopped_search_has_its_best_schedule(server: Server) -> None:
    """Stopping it is no loss."""
    path = server.start(IMPROVING)
    wait_for_schedule(server, path)
    server.post(f"{path}/stop", {})
    assert server.outcome(path)["has_schedule"]
    assert server.get(f"{path}/contents")["numSteps"] > 0


def test_the_time_limit_ends_a_search(server: Server) -> None:
    """With the best schedule so far."""
    assert server.outcome(server.start({**IMPROVING, "seconds": "1"}))["has_schedule"]


def test_errors_of_a_search_are_one_line(server: Server) -> None:
    """What only the search finds out is its outcome; a method that does not fit is one of these."""
    outcome = server.outcome(server.start({"network": "ring:4", "method": "none"}))
    assert (outcome["field"], "\n" in outcome["error"]) == ("method", False)
    outcome = server.outcome(server.start({"network": "octagon", "steps": "3"}))
    assert outcome["error"] == "no schedule was found: impossible; the bound is 4"


def test_a_search_that_is_stopped_twice_ends_at_once() -> None:
    """Whatever its process is doing then: the page never waits for it."""

    async def stopped_twice() -> SearchProcess:
        deaf = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            "import time; time.sleep(600)",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        search = SearchProcess(deaf)
        first = asyncio.create_task(search.stop())
        await asyncio.sleep(0)
        await search.stop()
        await first
        return search

    assert asyncio.run(stopped_twice()).state["error"] == "the search was stopped before it returned a schedule"


def test_a_process_that_is_killed_is_replaced(server: Server) -> None:
    """Its search ends with an error, and the next one runs."""
    path = server.start(ENDLESS)
    next(server.states(path))
    for process in searching(server):
        os.kill(process, signal.SIGKILL)
    assert server.outcome(path)["error"] == "the search ended without a result"
    path = server.start({"network": "octagon"})
    assert server.outcome(path)["has_schedule"]


def test_the_last_results_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Older ones are dropped."""

    async def search_three_times() -> list[SearchProcess]:
        kept = Searches()
        started = []
        for _ in range(3):
            started.append(await kept.start(SearchRequest("ring:3")))
            await started[-1].reading
        await kept.close()
        assert [kept.find(each.id) for each in started[1:]] == started[1:]
        with pytest.raises(HTTPException, match="there is no such search; start it again"):
            kept.find(started[0].id)
        return started

    monkeypatch.setattr("pavane.ui.web.searches.MOST_KEPT", 2)
    assert all(each.schedule is not None for each in asyncio.run(search_three_times()))


@pytest.mark.parametrize("is_stopped", [False, True])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_search_ends_with_the_server(number: int, is_stopped: bool) -> None:
    """Its process is ended, even one that stands still, while a page watches; the exit code is 0."""
    server = Server()
    path = server.start(ENDLESS)
    watched = server.states(path)
    next(watched)
    processes = searching(server)
    if is_stopped:
        for process in processes:
            os.kill(process, signal.SIGSTOP)
    assert server.end(number) == (0, "")
    assert not any(Path(f"/proc/{process}").exists() for process in processes)


def test_a_search_ends_without_the_server() -> None:
    """When the server is killed, nothing stays behind."""
    server = Server()
    path = server.start(IMPROVING)
    wait_for_schedule(server, path)
    processes = searching(server)
    server.process.kill()
    server.process.communicate()
    for process in processes:
        while Path(f"/proc/{process}").exists():
            time.sleep(0.05)

"""The searches of the page: one at a time, each in a process of its own, and the last results in memory."""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from fastapi import HTTPException

from pavane.jit.cache_folder import kernel_cache
from pavane.ui.web.requests import SearchRequest

MOST_KEPT = 20
"""Maximum number of searches in memory; the oldest is dropped."""

SECONDS_TO_STOP = 60.0
"""Seconds in which a stopped search may return its best schedule; then, or if it is stopped again, it is killed."""

SECONDS_BETWEEN_LOOKS = 0.1
"""Seconds between two looks for progress."""

MOST_BYTES_OF_A_LINE = 2**30
"""Limit of asyncio on a line of a process; a schedule is one line."""


class SearchProcess:
    """A search: its state as the page shows it, and its schedule file once there is one."""

    def __init__(self, process: Process) -> None:
        self.id = secrets.token_urlsafe(9)
        self.state: dict[str, Any] = {"state": "running"}
        self.schedule: bytes | None = None
        self._is_stopped = False
        self._process = process
        self.reading = asyncio.create_task(self._read())

    @property
    def is_running(self) -> bool:
        """Whether the search goes on."""
        return bool(self.state["state"] == "running")

    async def stop(self) -> None:
        """Stop the search; its best schedule so far is the result. Stopped again, it ends at once."""
        if self._is_stopped:
            self.kill()
            return
        self._is_stopped = True
        assert self._process.stdin is not None
        self._process.stdin.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self.reading), SECONDS_TO_STOP)
        self.kill()

    def kill(self) -> None:
        """End the process."""
        with suppress(ProcessLookupError):
            self._process.kill()

    async def states(self) -> AsyncIterator[dict[str, Any]]:
        """Yield every state that is seen until the search ends."""
        shown = None
        while shown is not self.state:
            shown = self.state
            yield shown
            while self.is_running and shown is self.state:
                await asyncio.sleep(SECONDS_BETWEEN_LOOKS)

    async def _read(self) -> None:
        """Read progress and the outcome until the process ends."""
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            state = json.loads(line)
            if "schedule" in state:
                self.schedule = state.pop("schedule").encode()
            self.state = {**state, "has_schedule": self.schedule is not None}
        await self._process.wait()
        if self.is_running:
            error = "the search ended without a result"
            error = "the search was stopped before it returned a schedule" if self._is_stopped else error
            self.state = {"state": "done", "error": error, "has_schedule": False}


class Searches:
    """The searches of a server. The process of the next one is started early, because its imports take seconds."""

    def __init__(self) -> None:
        self._kept: dict[str, SearchProcess] = {}
        self._next: asyncio.Task[Process] | None = None
        self._starting = asyncio.Lock()
        self._is_closed = False

    @property
    def running(self) -> SearchProcess | None:
        """The search that goes on now."""
        return next((search for search in self._kept.values() if search.is_running), None)

    def prepare(self) -> None:
        """Start the process of the next search, unless the server ends."""
        if not self._is_closed:
            self._next = self._next or asyncio.create_task(_start())

    async def start(self, request: SearchRequest) -> SearchProcess:
        """Start a search."""
        async with self._starting:
            if self.running is not None:
                raise HTTPException(409, "a search is running; stop it first")
            self.prepare()
            assert self._next is not None
            process, self._next = await self._next, None
            assert process.stdin is not None
            process.stdin.write(json.dumps(asdict(request)).encode() + b"\n")
            search = SearchProcess(process)
            search.reading.add_done_callback(lambda _: self.prepare())
            self._kept[search.id] = search
            if len(self._kept) > MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            return search

    def find(self, number: str) -> SearchProcess:
        """Return a search that is still in memory."""
        if number not in self._kept:
            raise HTTPException(404, "there is no such search; start it again")
        return self._kept[number]

    def end(self) -> None:
        """End the running search."""
        if self.running is not None:
            self.running.kill()

    async def close(self) -> None:
        """End all processes."""
        self._is_closed = True
        if self.running is not None:
            self.running.kill()
            await self.running.reading
        if self._next is not None:
            process = await self._next
            process.kill()
            await process.wait()


async def _start() -> Process:
    """Start a process that imports from the same folders, in a session of its own: Ctrl-C is for the server."""
    kernel_cache()  # chosen here, so that all processes share what one compiles
    code = f"import sys; sys.path[:] = {sys.path!r}; from pavane.ui.web.search import main; main()"
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code), stdin=PIPE, stdout=PIPE, limit=MOST_BYTES_OF_A_LINE, start_new_session=True
    )

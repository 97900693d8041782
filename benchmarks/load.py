"""The page under load: `python -m benchmarks.load [--clients N] [--seconds S] [--rate R] [--kills N] [--write]`.

Three things are measured on a server that the command starts: bursts of many requests at once; a soak of mixed requests
from many clients at a bounded rate, with the memory, threads and descriptors before and after; and kills (kill -9) of
the server and of its processes at random moments, after each of which it is started again: no finished result may be
lost, and the file must be whole. `--write` keeps the table in benchmarks/results/load.md.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

KEPT = Path(__file__).parent / "results" / "load.md"
PREVIEWS = ("kautz:3,2", "mesh:4x4", "octagon", "hypercube:4", "ring:12", "fat-tree:4")
JOBS = ("ring:6", "octagon", "mesh:3x3", "petersen", "kautz:2,2", "star:6", "torus:3x3")


@dataclass(frozen=True)
class Answer:
    """How a request was answered."""

    status: int
    """0: not at all."""
    seconds: float
    body: bytes = b""


class Server:
    """A server of our own, which can be killed and started again on the same store and port."""

    def __init__(self, folder: Path) -> None:
        self.store, self.port = folder / "results.sqlite", 0
        self.start()

    def start(self) -> float:
        """Start it; return after how many seconds it answers."""
        begun = time.monotonic()
        command = [sys.executable, "-m", "pavane", "serve", "--port", str(self.port), "--store", str(self.store)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        found = re.search(r":(\d+)/", self.process.stdout.readline())
        if found is None:
            raise RuntimeError(f"no server: {self.process.communicate()[1]}")
        self.port = int(found[1])
        return time.monotonic() - begun

    def children(self) -> list[int]:
        """Return its processes."""
        found = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        return [int(child) for path in found for child in path.read_text().split()]

    def figures(self) -> dict[str, int]:
        """Return its memory, threads and descriptors."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        memory, threads = (int(re.findall(rf"{name}:\s+(\d+)", status)[0]) for name in ("VmRSS", "Threads"))
        open_files = len(os.listdir(f"/proc/{self.process.pid}/fd"))
        return {"MiB": memory // 1024, "threads": threads, "descriptors": open_files}

    async def request(self, path: str, request: dict[str, Any] | None = None, timeout: float = 60.0) -> Answer:
        """Request something, over a connection of its own."""
        begun = time.monotonic()
        body = b"" if request is None else json.dumps(request).encode()
        method = "GET" if request is None else "POST"
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {len(body)}\r\n"
        head += "Content-Type: application/json\r\n\r\n"
        try:
            async with asyncio.timeout(timeout):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.write(head.encode() + body)
                await writer.drain()
                data = await reader.read()
                writer.close()
        except (OSError, TimeoutError):
            return Answer(0, time.monotonic() - begun)
        first, _, rest = data.partition(b"\r\n\r\n")
        return Answer(int(first.split()[1]) if first else 0, time.monotonic() - begun, rest)


@dataclass
class Report:
    """What was seen, as rows of tables."""

    bursts: list[list[Any]] = field(default_factory=list)
    soak: dict[str, Any] = field(default_factory=dict)
    kills: dict[str, Any] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """Return it as Markdown."""
        found = [
            "### bursts",
            "",
            "| requests at once | answers | a second | median, ms | 99 %, ms |",
            "|---|---|---|---|---|",
        ]
        found += [f"| {' | '.join(map(str, row))} |" for row in self.bursts]
        for name, section in (("soak", self.soak), ("kills", self.kills)):
            if section:
                found += ["", f"### {name}", "", "| | |", "|---|---|"]
                found += [f"| {key} | {value} |" for key, value in section.items()]
        return found


def percentile(times: Sequence[float], share: float) -> int:
    """Return a percentile of seconds in milliseconds."""
    return round(1000 * sorted(times)[min(len(times) - 1, int(share * len(times)))]) if times else 0


async def burst(report: Report, name: str, requests: list[Awaitable[Answer]]) -> list[Answer]:
    """Make requests at once."""
    begun = time.monotonic()
    answers = await asyncio.gather(*requests)
    took = time.monotonic() - begun
    statuses = Counter(answer.status for answer in answers)
    tally = ", ".join(f"{count} x {status or 'none'}" for status, count in sorted(statuses.items()))
    times = [answer.seconds for answer in answers]
    row = [f"{len(answers)} {name}", tally, round(len(answers) / took), percentile(times, 0.5), percentile(times, 0.99)]
    report.bursts.append(row)
    print(*row, sep="; ", flush=True)
    return answers


async def finished_jobs(server: Server, number: int) -> list[str]:
    """Have some searches made; return those that are over."""
    made: list[str] = []
    for index in range(number):
        answer = await server.request("/api/jobs", {"network": JOBS[index % len(JOBS)], "seconds": 5, "seed": index})
        if answer.status == 202:
            made.append(json.loads(answer.body)["id"])
    for job in made:
        while True:
            answer = await server.request(f"/api/jobs/{job}")
            if answer.status == 200 and json.loads(answer.body)["state"] not in ("waiting", "running"):
                break
            await asyncio.sleep(0.2)
    return made


async def bursts(server: Server, report: Report, clients: int) -> None:
    """Send many requests of a kind at once."""
    (job, *_) = await finished_jobs(server, 3)
    for name in ("/", "/api/about", "/api/jobs"):
        await burst(report, f"GET {name}", [server.request(name) for _ in range(clients)])
    previews = [{"network": PREVIEWS[index % len(PREVIEWS)]} for index in range(clients)]
    await burst(report, "previews", [server.request("/api/networks/preview", request) for request in previews])
    kinds = ("contents", "schedule.json", "player.html", "transfers.csv", "exports", "events")
    paths = ["/", "/api/about", "/assets/page.js", *(f"/api/jobs/{job}/{kind}" for kind in kinds)]
    await burst(report, "mixed GET", [server.request(paths[index % len(paths)]) for index in range(clients)])
    pictures = await burst(report, "pictures", [server.request(f"/api/jobs/{job}/schedule.svg") for _ in range(30)])
    assert len({answer.body for answer in pictures if answer.status == 200}) == 1
    large = [{"network": "random-regular:1000000,4,1"} for _ in range(40)]
    await burst(
        report, "previews of a million routers", [server.request("/api/networks/preview", one) for one in large]
    )
    jobs = [{"network": "mesh:3x3", "collective": "aas", "seconds": 2, "seed": index} for index in range(200)]
    await burst(report, "searches", [server.request("/api/jobs", one) for one in jobs])


class Clients:
    """Many clients that request this and that, each some time after its last answer, so that the rate is bounded."""

    def __init__(self, server: Server, number: int, rate: float, rng: random.Random) -> None:
        self.server, self.number, self.rate, self.rng = server, number, rate, rng
        self.times: dict[str, list[float]] = {}
        self.statuses: Counter[int] = Counter()
        self.jobs: list[str] = []
        self.finished: set[str] = set()
        self.is_over = False

    async def live(self) -> None:
        """Let all clients live until it is over."""
        await asyncio.gather(*(self._client() for _ in range(self.number)))

    async def _client(self) -> None:
        await asyncio.sleep(self.rng.random() * self.number / self.rate)
        while not self.is_over:
            kind, path, request = self._wish()
            answer = await self.server.request(path, request)
            self.statuses[answer.status] += 1
            if answer.status in (200, 202):
                self.times.setdefault(kind, []).append(answer.seconds)
                self._learn(kind, path, answer)
            await asyncio.sleep(self.rng.expovariate(self.rate / self.number))

    def _wish(self) -> tuple[str, str, dict[str, Any] | None]:
        kind = self.rng.choices(
            ("page", "list", "preview", "search", "state", "contents", "picture", "export"),
            (20, 15, 20, 4, 20, 15, 3, 3),
        )[0]
        if kind in ("state", "contents", "picture", "export") and not self.jobs:
            kind = "list"
        if kind == "preview":
            return kind, "/api/networks/preview", {"network": self.rng.choice(PREVIEWS)}
        if kind == "search":
            request = {"network": self.rng.choice(JOBS), "seconds": 2, "seed": self.rng.randrange(10**6)}
            return kind, "/api/jobs", request
        if kind in ("page", "list"):
            return kind, {"page": self.rng.choice(("/", "/assets/page.js")), "list": "/api/jobs"}[kind], None
        job = self.rng.choice(self.jobs[-100:])
        ending = {"state": "", "contents": "/contents", "picture": "/schedule.svg", "export": "/exports/csv"}[kind]
        return kind, f"/api/jobs/{job}{ending}", None

    def _learn(self, kind: str, path: str, answer: Answer) -> None:
        if kind == "search":
            self.jobs.append(json.loads(answer.body)["id"])
        if kind == "state" and json.loads(answer.body)["state"] == "done":
            self.finished.add(path.rpartition("/")[2])


async def soak(server: Server, report: Report, clients: int, seconds: float, rate: float) -> None:
    """Let many clients send requests for some time."""
    await finished_jobs(server, 3)
    for path in ("/", "/api/jobs", "/api/about"):
        await server.request(path)
    before = server.figures()
    crowd = Clients(server, clients, rate, random.Random(1))
    living = asyncio.create_task(crowd.live())
    await asyncio.sleep(seconds)
    crowd.is_over = True
    await living
    await asyncio.sleep(5)
    times = [one for each in crowd.times.values() for one in each]
    kept = {row[0] for row in sqlite3.connect(server.store).execute("SELECT id FROM jobs WHERE state = 'done'")}
    report.soak = {
        "clients, seconds": f"{clients}, {seconds:.0f}",
        "requests a second": round(sum(crowd.statuses.values()) / seconds),
        "answers": ", ".join(f"{count} x {status or 'none'}" for status, count in sorted(crowd.statuses.items())),
        "latency: median, 99 %, ms": f"{percentile(times, 0.5)}, {percentile(times, 0.99)}",
        **{
            f"{kind}: median, 99 %, ms": f"{percentile(each, 0.5)}, {percentile(each, 0.99)}"
            for kind, each in sorted(crowd.times.items())
        },
        "before": before,
        "after": server.figures(),
        "searches finished; of the newest 400 that finished, kept": _kept(crowd, kept),
    }
    print(report.soak, flush=True)


def _kept(crowd: Clients, kept: set[str]) -> str:
    """Report how many searches finished, and how many are stored; the page stores the newest 500 jobs."""
    newest = crowd.finished & set(crowd.jobs[-400:])
    return f"{len(crowd.finished)}; {len(newest & kept)} of {len(newest)}"


async def kills(server: Server, report: Report, number: int, rate: float) -> None:
    """Kill the server, or a process of its own, at random moments; start it again where it is gone."""
    rng = random.Random(2)
    crowd = Clients(server, 100, rate, rng)
    living = asyncio.create_task(crowd.live())
    restarts, lost, broken = [], 0, 0
    for index in range(number):
        await asyncio.sleep(1.0 + 3.0 * rng.random())
        known = set(crowd.finished)
        children = server.children()
        if index % 2 and children:
            with suppress(ProcessLookupError):
                os.kill(rng.choice(children), signal.SIGKILL)
            continue
        server.process.kill()
        await asyncio.to_thread(server.process.communicate)
        with sqlite3.connect(server.store) as file:
            broken += file.execute("PRAGMA integrity_check").fetchone() != ("ok",)
            there = {row[0] for row in file.execute("SELECT id FROM jobs WHERE state = 'done' AND schedule NOTNULL")}
        lost += len(known - there)
        restarts.append(await asyncio.to_thread(server.start))
    crowd.is_over = True
    await living
    (job, *_) = await finished_jobs(server, 1)
    report.kills = {
        "kills": number,
        "of the server": len(restarts),
        "finished results known to clients, lost": f"{len(crowd.finished)}, {lost}",
        "files broken": broken,
        "longest restart, s": round(max(restarts, default=0.0), 1),
        "afterwards": "searches are made" if job else "no search is made",
    }
    print(report.kills, flush=True)


async def measured(options: argparse.Namespace) -> Report:
    """Run the requested parts."""
    report = Report()
    with tempfile.TemporaryDirectory(prefix="load-") as folder:
        server = Server(Path(folder))
        try:
            await bursts(server, report, options.clients)
            await soak(server, report, options.clients, options.seconds, options.rate)
            await kills(server, report, options.kills, options.rate)
        finally:
            begun = time.monotonic()
            server.process.terminate()
            await asyncio.to_thread(server.process.communicate)
            report.kills["end on SIGTERM, s and exit code"] = (
                f"{time.monotonic() - begun:.1f}, {server.process.returncode}"
            )
    return report


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load")
    parser.add_argument("--clients", type=int, default=1_000, metavar="N", help="at the same time (1000)")
    parser.add_argument("--seconds", type=float, default=600.0, metavar="S", help="of the soak (600)")
    parser.add_argument("--rate", type=float, default=40.0, metavar="R", help="requests a second of the soak (40)")
    parser.add_argument("--kills", type=int, default=20, metavar="N", help="of servers and processes (20)")
    parser.add_argument("--write", action="store_true", help=f"keep the tables in {KEPT.name}")
    options = parser.parse_args()
    lines = asyncio.run(measured(options)).lines()
    print("\n".join(lines))
    if options.write:
        KEPT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

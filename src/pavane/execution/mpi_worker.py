"""What each MPI process does in `pavane run`: send, receive, check every byte, and time every step.

The file imports nothing of pavane, so that 64 processes on two cores start in seconds. It is run as a script under
mpiexec, and imported where pavane itself was started under mpiexec. A job (made by `jobs`) goes to process 0, which
distributes the parts.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.uint8]

GOLDEN = 0x9E3779B97F4A7C15
MOST_FAULTS = 20
"""Wrong payloads that each process describes; all wrong bytes are counted."""


# -- payloads


def _mixed(values: Words) -> Words:
    """Scramble 64-bit integers, each on its own (the finalizer of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def payload(origin: int, target: int, repeat: int, size: int, first: int = 0) -> Bytes:
    """Return bytes of a message, from the requested one on.

    They follow from origin, target (-1 for all), repeat number and position.
    """
    start = np.zeros(1, dtype=np.uint64)
    for part in (origin, target + 1, repeat):
        start = _mixed(start * np.uint64(GOLDEN) + np.uint64(part + 1))
    skipped = first % 8
    positions = np.arange(first // 8 + 1, (first + size + 7) // 8 + 1, dtype=np.uint64)
    return _mixed(positions * np.uint64(GOLDEN) + start).view(np.uint8)[skipped : skipped + size]


def summed(origins: Iterable[int], target: int, repeat: int, size: int, first: int = 0) -> Bytes:
    """Return the sum of what some processors contribute to a target: 8-byte integers modulo 2^64, from a byte on."""
    total = np.zeros(size // 8, dtype=np.uint64)
    for origin in origins:
        total += payload(origin, target, repeat, size, first).view(np.uint64)
    return total.view(np.uint8)


# -- waiting


@dataclass(frozen=True)
class Wait:
    """How to wait for requests: where processes outnumber cores, by letting the others run in between.

    MPI libraries spin while they wait, and a process that spins keeps the one that it waits for from its core.
    """

    crowded: bool

    @classmethod
    def on(cls, comm: Any) -> Wait:
        """Find out whether some machine has more processes than cores."""
        from mpi4py import MPI

        here = comm.Split_type(MPI.COMM_TYPE_SHARED)
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        crowded = comm.allreduce(here.size > cores, op=MPI.LOR)
        here.Free()
        return cls(bool(crowded))

    def __call__(self, requests: list[Any]) -> None:
        """Wait until all requests are done."""
        from mpi4py import MPI

        if not self.crowded:
            MPI.Request.Waitall(requests)
            return
        while not MPI.Request.Testall(requests):
            time.sleep(0)

    def some(self, requests: list[Any]) -> list[int]:
        """Wait until some of the requests are done, and return which; those that were done before do not count."""
        from mpi4py import MPI

        if not self.crowded:
            return list(MPI.Request.Waitsome(requests) or [])
        while not (done := MPI.Request.Testsome(requests)):
            time.sleep(0)
        return list(done)


# -- the schedule


class _Process:
    """One process on its way through the schedule."""

    def __init__(self, comm: Any, job: dict[str, Any], program: dict[str, Any], wait: Wait):
        self.comm, self.job, self.program, self.wait = comm, job, program, wait
        self.times = np.zeros((job["repeat"], job["num_steps"]))
        self.num_wrong = 0
        self.faults: list[list[int]] = []

    def run(self) -> None:
        """Do all repeats."""
        for repeat in range(self.job["repeat"]):
            held = self._start(repeat)
            for step in range(self.job["num_steps"]):
                self._step(held, repeat, step)
            self._finish(held, repeat)

    def _start(self, repeat: int) -> dict[int, Bytes]:
        return {
            message: payload(origin, target, repeat, *self._extent(message))
            for message, origin, target in self.program["starts"]
        }

    def _extent(self, message: int) -> tuple[int, int]:
        """Return the size of a piece, and its first byte in its message; messages of one piece are whole."""
        numbers, pieces, width = self.job["numbers"], self.job["pieces"], self.job["width"]
        if numbers is None:
            return self.job["bytes"], 0
        length = self.job["bytes"] // width
        first, end = (number * length // pieces * width for number in (numbers[message], numbers[message] + 1))
        return end - first, first

    def _step(self, held: dict[int, Bytes], repeat: int, step: int) -> None:
        sends, receives = self.program["steps"][step]
        inboxes = [np.empty(sum(self._extent(m)[0] for m in carried), dtype=np.uint8) for _, _, carried in receives]
        self.wait([self.comm.Ibarrier()])
        started = time.perf_counter()
        requests = [
            self.comm.Irecv(inbox, source=peer, tag=tag)
            for inbox, (peer, tag, _) in zip(inboxes, receives, strict=True)
        ]
        outboxes = [held[c[0]] if len(c) == 1 else np.concatenate([held[m] for m in c]) for _, _, c in sends]
        if outboxes and self.job["spoil"] == [self.comm.rank, step] and repeat == 0:
            outboxes[0] = outboxes[0].copy()
            outboxes[0][0] ^= 1
        requests += [
            self.comm.Isend(outbox, dest=peer, tag=tag) for outbox, (peer, tag, _) in zip(outboxes, sends, strict=True)
        ]
        self.wait(requests)
        arrived = [
            part
            for inbox, (_, _, carried) in zip(inboxes, receives, strict=True)
            for part in self._parts(inbox, carried)
        ]
        if self.job["moves"]:
            # A partial result moves on; what comes in the same step is added to what remains, which is nothing.
            for _, _, carried in sends:
                for message in carried:
                    del held[message]
        added = self.program["added"][step]
        # What takes the place of a running sum does so before others of the step are added.
        held.update(one for one, adds in zip(arrived, added, strict=True) if not adds)
        for message, values in (one for one, adds in zip(arrived, added, strict=True) if adds):
            own = held.get(message)
            held[message] = values if own is None else (own.view(np.uint64) + values.view(np.uint64)).view(np.uint8)
        self.times[repeat, step] = time.perf_counter() - started
        sums = self.program["sums"][step] or [[] for _ in arrived]  # whose contributions each has that came
        for (message, values), origins in zip(arrived, sums, strict=True):
            self._compare(step, message, values, origins, repeat)

    def _parts(self, inbox: Bytes, carried: list[int]) -> Iterator[tuple[int, Bytes]]:
        """Yield what came in one transfer, message by message."""
        for message in carried:
            size = self._extent(message)[0]
            yield message, inbox[:size]
            inbox = inbox[size:]

    def _finish(self, held: dict[int, Bytes], repeat: int) -> None:
        """Everything requested must be there; a reduction must be the true sum of all contributions."""
        for message in self.program["expects"]:
            if message not in held:
                self._note(-1, message, self._extent(message)[0])
            elif self.job["sums"]:
                self._compare(-1, message, held[message], self.job["senders"], repeat)

    def _compare(self, step: int, message: int, found: Bytes, origins: list[int], repeat: int) -> None:
        """Compare a message, or a sum with the contributions of some origins, with what it must be."""
        label = self.job["labels"][message]
        if self.job["sums"]:
            right = summed(origins, label[0], repeat, *self._extent(message))
        else:
            right = payload(label[0], label[1] if len(label) == 2 else -1, repeat, *self._extent(message))
        wrong = int(np.count_nonzero(found != right))
        if wrong:
            self._note(step, message, wrong)

    def _note(self, step: int, message: int, wrong: int) -> None:
        self.num_wrong += wrong
        if len(self.faults) < MOST_FAULTS:
            self.faults.append([step, message, self.comm.rank, wrong])


class _SelfTimed(_Process):
    """One process that sends each message as soon as all is there that the send waits for."""

    def _step(self, held: dict[int, Bytes], repeat: int, step: int) -> None:
        receives, sends = self.program["receives"], self.program["sends"]
        inboxes = [np.empty(self._size(message), dtype=np.uint8) for _, _, message, _, _ in receives]
        own = dict(held)
        self.wait([self.comm.Ibarrier()])
        started = time.perf_counter()
        requests = [
            self.comm.Irecv(inbox, source=peer, tag=tag)
            for inbox, (peer, tag, *_) in zip(inboxes, receives, strict=True)
        ]
        # Requests of receives come first; those of sends are added as they start.
        left = [len(set(after_received)) + len(set(after_sent)) for _, _, _, after_received, after_sent, _, _ in sends]
        following: dict[tuple[bool, int], list[int]] = {}
        for number, (_, _, _, after_received, after_sent, _, _) in enumerate(sends):
            for is_send, before in ((False, set(after_received)), (True, set(after_sent))):
                for each in before:
                    following.setdefault((is_send, each), []).append(number)
        arrived: dict[int, list[int]] = {}
        sent_by: list[int] = []
        outboxes: list[Bytes] = []
        ready = [number for number in range(len(sends)) if not left[number]]
        num_open = len(receives) + len(sends)
        while num_open:
            for number in ready:
                outboxes.append(self._outbox(sends[number], own, arrived, inboxes))
                if self.job["spoil"] == [self.comm.rank, step] and repeat == 0 and not sent_by and len(outboxes[-1]):
                    outboxes[-1] = outboxes[-1].copy()
                    outboxes[-1][0] ^= 1
                requests.append(self.comm.Isend(outboxes[-1], dest=sends[number][0], tag=sends[number][1]))
                sent_by.append(number)
            ready = []
            for index in self.wait.some(requests):
                num_open -= 1
                is_send = index >= len(receives)
                if not is_send and receives[index][2] >= 0:
                    arrived.setdefault(receives[index][2], []).append(index)
                for number in following.get((is_send, sent_by[index - len(receives)] if is_send else index), []):
                    left[number] -= 1
                    ready += [] if left[number] else [number]
        self._deliver(held, arrived, inboxes)
        self.times[repeat, step] = time.perf_counter() - started
        self._check_arrivals(inboxes, repeat)

    def _size(self, message: int) -> int:
        return self._extent(message)[0] if message >= 0 else 0

    def _outbox(
        self, send: list[Any], own: dict[int, Bytes], arrived: dict[int, list[int]], inboxes: list[Bytes]
    ) -> Bytes:
        """Return what is sent: a token, a message that the process has, or the sum of the inputs that are named."""
        _, _, message, _, _, inputs, adds_own = send
        if message < 0:
            return np.empty(0, dtype=np.uint8)
        if not self.job["sums"]:
            return own[message] if message in own else inboxes[arrived[message][0]]
        return _added([inboxes[index] for index in inputs] + ([own[message]] if adds_own else []))

    def _deliver(self, held: dict[int, Bytes], arrived: dict[int, list[int]], inboxes: list[Bytes]) -> None:
        """Put what has come to where the end of a schedule is checked; a sum takes the place of those it contains."""
        for message, indices in arrived.items():
            if not self.job["sums"]:
                held[message] = inboxes[indices[0]]
                continue
            origins = {i: frozenset(self.program["receives"][i][4]) for i in indices}
            number_of = {members: i for i, members in origins.items()}
            chosen = [i for members, i in number_of.items() if not any(members < other for other in number_of)]
            # A sum that has come may contain what the process contributes itself.
            has_own = message not in held or any(self.comm.rank in origins[i] for i in chosen)
            held[message] = _added([*([] if has_own else [held[message]]), *(inboxes[i] for i in chosen)])

    def _check_arrivals(self, inboxes: list[Bytes], repeat: int) -> None:
        for inbox, (_, _, message, number, origins) in zip(inboxes, self.program["receives"], strict=True):
            if message >= 0:
                self._compare(number, message, inbox, origins, repeat)


def _added(parts: list[Bytes]) -> Bytes:
    """Return the sum of 8-byte integers modulo 2^64."""
    total = parts[0].view(np.uint64)
    for part in parts[1:]:
        total = total + part.view(np.uint64)
    return total.view(np.uint8)


# -- the library's own collective


def _library_times(comm: Any, job: dict[str, Any], wait: Wait) -> npt.NDArray[np.float64]:
    """Time the MPI library's own collective on the same processes, with messages of the same size."""
    from mpi4py import MPI

    about = job["library"]
    members: list[int] = about["members"]
    times = np.zeros(job["repeat"])
    inside = comm.rank in members
    part = comm.Split(0 if inside else MPI.UNDEFINED, members.index(comm.rank) if inside else 0)
    call = _library_call(part, about, job["bytes"]) if inside else None
    for repeat in range(job["repeat"]):
        wait([comm.Ibarrier()])
        started = time.perf_counter()
        if call is not None:
            name, arguments = call
            if wait.crowded:
                wait([getattr(part, f"I{name[0].lower()}{name[1:]}")(*arguments)])
            else:
                getattr(part, name)(*arguments)
        times[repeat] = time.perf_counter() - started
    if inside:
        part.Free()
    return times


def _library_call(part: Any, about: dict[str, Any], size: int) -> tuple[str, tuple[Any, ...]]:
    """Return the method of a communicator and its arguments."""
    from mpi4py import MPI

    name, root, all_of_it = about["name"], about["root"], part.size * size
    units: list[int] | None = about.get("units")
    own, whole = np.zeros(size, dtype=np.uint8), np.zeros(all_of_it, dtype=np.uint8)
    if name == "Alltoall":
        return name, (whole, np.zeros_like(whole))
    if name == "Alltoallv":
        lengths = dict(zip(map(tuple, about["pairs"]), units or [1] * len(about["pairs"]), strict=True))
        out = [size * lengths.get((part.rank, peer), 0) for peer in range(part.size)]
        into = [size * lengths.get((peer, part.rank), 0) for peer in range(part.size)]
        boxes = [np.zeros(sum(counts), dtype=np.uint8) for counts in (out, into)]
        return name, ((boxes[0], out), (boxes[1], into))
    if name == "Allgather":
        return name, (own, whole)
    if name == "Allgatherv":
        counts = [size * n for n in units or [int(peer in about["senders"]) for peer in range(part.size)]]
        return name, (np.zeros(counts[part.rank], dtype=np.uint8), (np.zeros(sum(counts), dtype=np.uint8), counts))
    if name in ("Scatterv", "Gatherv"):
        counts = [size * n for n in units or []]
        own = np.zeros(counts[part.rank], dtype=np.uint8)
        all_parts = (np.zeros(sum(counts), dtype=np.uint8), counts) if part.rank == root else None
        return name, ((all_parts, own, root) if name == "Scatterv" else (own, all_parts, root))
    if name == "Allreduce":
        vector = np.zeros(size // 8 * sum(units or [1]), dtype=np.uint64)
        return name, (vector, np.zeros_like(vector), MPI.SUM)
    if units is not None:
        own = np.zeros(size * units[part.rank], dtype=np.uint8)
    if name == "Bcast":
        return name, (own, root)
    if name == "Scatter":
        return name, (whole if part.rank == root else None, own, root)
    if name == "Gather":
        return name, (own, whole if part.rank == root else None, root)
    numbers = own.view(np.uint64)
    if name == "Reduce":
        return name, (numbers, np.zeros_like(numbers) if part.rank == root else None, MPI.SUM, root)
    if name == "Reduce_scatter_block":
        return name, (whole.view(np.uint64), numbers, MPI.SUM)
    counts = [size // 8 * n for n in units or [int(peer in about["receivers"]) for peer in range(part.size)]]
    contributed = np.zeros(sum(counts), dtype=np.uint64)
    return "Reduce_scatter", (contributed, np.zeros(counts[part.rank], dtype=np.uint64), counts, MPI.SUM)


# -- all of it


def perform(comm: Any, job: dict[str, Any] | None) -> dict[str, Any] | None:
    """Execute a job on all processes; process 0 has it and gets the measurements, the others give and get None.

    An error in one process ends them all: left alone, the others would wait for it for ever.
    """
    try:
        return _performed(comm, job)
    except Exception as error:
        print(f"process {comm.rank}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        comm.Abort(1)
        raise


def _performed(comm: Any, job: dict[str, Any] | None) -> dict[str, Any] | None:
    from mpi4py import MPI

    programs = None
    if job is not None:
        programs, job = job["programs"], {key: value for key, value in job.items() if key != "programs"}
    common: dict[str, Any] = comm.bcast(job)
    wait = Wait.on(comm)
    process = (_SelfTimed if common["self_timed"] else _Process)(comm, common, comm.scatter(programs), wait)
    process.run()
    own_library = _library_times(comm, common, wait)
    times, library = np.zeros_like(process.times), np.zeros_like(own_library)
    comm.Reduce(process.times, times, MPI.MAX)
    comm.Reduce(own_library, library, MPI.MAX)
    num_wrong = comm.reduce(process.num_wrong)
    faults = comm.gather(process.faults)
    if comm.rank:
        return None
    return {
        "seconds": times.tolist(),
        "library": library.tolist(),
        "wrong_bytes": num_wrong,
        "faults": sorted(fault for found in faults for fault in found),
        "mpi": MPI.Get_library_version().split("\n")[0].strip("\0 ").replace("Version:", "").replace("  ", ""),
    }


def main(job_file: str, answer_file: str, timeout: str) -> int:
    """Execute the job in a file; process 0 writes the measurements to another."""
    from mpi4py import MPI

    # If the process that started the run is gone, nothing else ends it.
    signal.alarm(int(float(timeout)) + 30)
    comm = MPI.COMM_WORLD
    job = None
    if comm.rank == 0:
        with open(job_file, encoding="utf-8") as file:
            job = json.load(file)
        if comm.size != len(job["programs"]):
            print(f"{len(job['programs'])} processes were started, but they do not find each other", file=sys.stderr)
            return 3
    answer = perform(comm, job)
    if answer is not None:
        with open(answer_file, "w", encoding="utf-8") as file:
            json.dump(answer, file)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""Runs on several processes, each handed out one at a time.

A process of its own for each worker, rather than a pool of the standard library: a run may take minutes and must end at
once on Ctrl-C, and a process that the system kills must cost its own run only.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from pavane.model.problem import Problem
from pavane.studies.trials.trial import Task, Trial, failed, tried


def trials(problem: Problem, tasks: Sequence[Task], workers: int) -> Iterator[Trial]:
    """Yield runs as they finish; with one worker, in the order of the tasks and in this process."""
    if workers == 1 or len(tasks) == 1:
        for task in tasks:
            yield tried(problem, task)
        return
    waiting = deque(tasks)
    working: dict[Connection, tuple[BaseProcess, Task]] = {}
    try:
        while waiting and len(working) < workers:
            _start(problem, waiting.popleft(), working)
        while working:
            for line in wait(list(working)):
                assert isinstance(line, Connection)
                yield _answer(problem, line, waiting, working)
    finally:
        for process, _ in working.values():
            process.terminate()
        for line, (process, _) in working.items():
            process.join()
            line.close()


def _answer(
    problem: Problem, line: Connection, waiting: deque[Task], working: dict[Connection, tuple[BaseProcess, Task]]
) -> Trial:
    """Take the answer of a worker and hand it the next task, or let it go."""
    process, task = working[line]
    try:
        answer: Trial = line.recv()
    except (EOFError, ConnectionResetError):
        process.join()
        answer = failed(task, f"its process ended with code {process.exitcode}; killed, or out of memory?")
        _dismiss(line, working)
        if waiting:
            _start(problem, waiting.popleft(), working)
        return answer
    if waiting:
        working[line] = process, waiting[0]
        line.send(waiting.popleft())
    else:
        line.send(None)
        process.join()
        _dismiss(line, working)
    return answer


def _start(problem: Problem, task: Task, working: dict[Connection, tuple[BaseProcess, Task]]) -> None:
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_work, args=(problem, theirs, [ours, *working]), daemon=True)
    process.start()
    theirs.close()  # so that the end of the process is the end of the line
    working[ours] = process, task
    ours.send(task)


def _dismiss(line: Connection, working: dict[Connection, tuple[BaseProcess, Task]]) -> None:
    line.close()
    del working[line]


def _work(problem: Problem, line: Connection, others: list[Connection]) -> None:
    """Make runs until there is none left, or nobody to report to."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in others:  # a fork holds these ends open, too, and nobody would see the parent go
        other.close()
    try:
        while (task := line.recv()) is not None:
            line.send(tried(problem, task))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return

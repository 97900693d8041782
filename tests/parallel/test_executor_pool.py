"""Pools of any executor of `concurrent.futures`: lost workers, lost executors, and other versions of the sources."""

import pickle
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.parallel import executor_pool
from pavane.parallel.executor_pool import ExecutorPool, RemoteWorkers, run_task, source_version, stop_tasks
from pavane.parallel.tasks import PoolLost, WorkerLost
from tests.parallel.errands import added, gone_for_good, until_stopped


class Flaky(Executor):
    """Runs calls at once; each of the given errors is raised by a call in its turn, and stands for a loss."""

    def __init__(self, *errors: BaseException | None) -> None:
        self.errors = list(errors)
        self.calls = 0

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **_: Any) -> Future[Any]:
        """Return a future that is done."""
        self.calls += 1
        future = Future[Any]()
        error = self.errors.pop(0) if self.errors else None
        try:
            if error is not None:
                raise error
            future.set_result(function(*arguments))
        except BaseException as raised:
            future.set_exception(raised)
        return future


def _pool(executor: Executor, most: int | None = None, shared: Any = 0, size: int = 2) -> ExecutorPool:
    return ExecutorPool(RemoteWorkers(executor, "the test", lambda: size, stop_tasks), most, shared)


def test_the_task_of_a_lost_worker_is_sent_once_more() -> None:
    """All results are there."""
    executor = Flaky(None, RuntimeError("killed"))
    with _pool(executor) as pool:
        assert list(pool.results(added, [(n,) for n in range(4)])) == [(n, n) for n in range(4)]
    assert executor.calls == 5


def test_a_task_that_loses_two_workers_is_lost_alone() -> None:
    """The reason is in one line; the others are finished."""
    executor = Flaky(RuntimeError("killed"), RuntimeError("killed\n again. More about it"))
    with _pool(executor, most=1) as pool:
        answers = dict(pool.results(added, [(n,) for n in range(3)]))
    assert answers == {0: WorkerLost("a worker of the test is lost: RuntimeError: killed again"), 1: 1, 2: 2}


@pytest.mark.parametrize("error", [CancelledError(), BrokenProcessPool("gone")])
def test_a_lost_executor_is_reported_in_one_line(error: Exception) -> None:
    """With what to do; results before are there."""
    with _pool(Flaky(None, error), most=1) as pool:
        answers = pool.results(added, [(n,) for n in range(4)])
        assert next(answers) == (0, 0)
        with pytest.raises(PoolLost, match=r"^the test is lost; start it and its workers, and run the same command"):
            next(answers)


def test_an_executor_that_accepts_no_task_is_lost() -> None:
    """As after its shutdown."""
    threads = ThreadPoolExecutor(1)
    threads.shutdown()
    with _pool(threads) as pool, pytest.raises(PoolLost, match=r"^the test is lost"):
        list(pool.results(added, [(1,)]))


def test_an_executor_whose_workers_cannot_be_counted_is_lost() -> None:
    """That is how a lost scheduler shows."""

    def count() -> int:
        raise ConnectionError

    with (
        ExecutorPool(RemoteWorkers(Flaky(), "the test", count), None, 0) as pool,
        pytest.raises(PoolLost, match=r"^the test is lost"),
    ):
        list(pool.results(added, [(1,)]))


def test_workers_that_join_late_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a minute, after which the pool is lost."""
    now, sizes = [0.0], iter([0, 0, 1])

    def sleep(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(executor_pool, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=sleep))
    remote = RemoteWorkers(Flaky(), "the test", lambda: next(sizes))
    with ExecutorPool(remote, None, 0) as pool:
        assert list(pool.results(added, [(3,)])) == [(0, 3)]
    assert now[0] == 2 * executor_pool.LOOK_SECONDS
    with (
        ExecutorPool(replace(remote, count=lambda: 0), None, 0) as pool,
        pytest.raises(PoolLost, match=r"^the test has no workers any more; start it"),
    ):
        list(pool.results(added, [(3,)]))
    assert 60 <= now[0] < 65


def test_a_worker_with_other_sources_ends_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the message is unpickled, and both versions are named."""
    hostile = run_task("0.0.1 (0123456789ab)", "token", b"no pickle", b"none either")
    assert pickle.loads(hostile) == ("differs", source_version())
    monkeypatch.setattr(executor_pool, "run_task", lambda *_: pickle.dumps(("differs", "0.0.1 (0123456789ab)")))
    with (
        _pool(Flaky()) as pool,
        pytest.raises(
            InputError, match=r"^a worker of the test has pavane 0\.0\.1 .* and this is pavane \d.*; install"
        ),
    ):
        list(pool.results(added, [(1,)]))


def test_an_error_that_cannot_be_pickled_loses_its_task_alone() -> None:
    """It may be of a class that this process does not have."""
    with _pool(Flaky()) as pool:
        answers = dict(pool.results(gone_for_good, [(1,)]))
    assert isinstance(answers[0], WorkerLost)


def test_workers_look_for_requests_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where those arrive only when somebody looks."""
    monkeypatch.setattr(executor_pool, "polls", [lambda: stop_tasks("token")])
    call = pickle.dumps((until_stopped, (1,)))
    assert pickle.loads(run_task(source_version(), "token", pickle.dumps(0), call)) == ("result", "stopped")

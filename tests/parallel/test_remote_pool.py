"""Remote pools over a transport that runs tasks at once: what is sent, how often, and to which worker."""

from __future__ import annotations

from pavane.parallel.budget import Budget
from pavane.parallel.remote_pool import RemotePool, pack
from pavane.parallel.remote_worker import Reply, TaskMessage, run_task, source_version
from pavane.parallel.tasks import PoolLost, TaskContext, WorkerLost
from tests.parallel.errands import added


class Engine:
    """Workers that answer when replies are asked for; each has its own memory of what calls share."""

    def __init__(self, *workers: str) -> None:
        self.workers, self.sent, self.out = list(workers), list[tuple[str, TaskMessage]](), dict[str, TaskMessage]()
        self.known: set[tuple[str, str]] = set()
        self.others: set[str] = set()
        self.lost: set[str] = set()
        self.stopped: list[str] = []

    @property
    def num_workers(self) -> int:
        """Return how many there are."""
        return len(self.workers)

    def free(self) -> list[str]:
        """Return who has nothing to do."""
        return [worker for worker in self.workers if worker not in self.out]

    def send(self, worker: str, parcel: TaskMessage) -> None:
        """Note a call."""
        self.sent.append((worker, parcel))
        self.out[worker] = parcel

    def replies(self, seconds: float | None) -> list[tuple[str, Reply | WorkerLost]]:
        """Answer all calls."""
        if not self.workers:
            raise PoolLost("nobody is left")
        made: list[tuple[str, Reply | WorkerLost]] = []
        for worker, parcel in self.out.items():
            if worker in self.lost:
                self.workers.remove(worker)
                made.append((worker, WorkerLost("gone")))
            elif worker in self.others:
                made.append((worker, Reply("differs", b"0.0.1")))
            elif parcel.shared is None and (worker, parcel.digest) not in self.known:
                made.append((worker, Reply("missing")))
            else:
                self.known.add((worker, parcel.digest))
                made.append((worker, run_task(parcel)))
        self.out.clear()
        return made

    def refuse(self, worker: str, there: str) -> None:
        """Give one no more."""
        self.workers.remove(worker)

    def stop(self, token: str) -> None:
        """Note a stop."""
        self.stopped.append(token)


def test_what_calls_share_travels_once_to_each_worker() -> None:
    """Pool after pool, calls go without it to who has it."""
    engine = Engine("a", "b")
    shared = pack(10)
    for _ in range(3):
        with RemotePool(engine, None, shared) as pool:
            assert list(pool.results(added, [(n,) for n in range(2, 8)])) == [(n, 12 + n) for n in range(6)]
    assert sorted(worker for worker, parcel in engine.sent if parcel.shared is not None) == ["a", "b"]


def test_no_more_work_than_are_asked_for() -> None:
    """A limit on workers is one on calls at a time."""
    engine = Engine("a", "b", "c")
    pool = RemotePool(engine, 1, pack(0))
    assert pool.size == 1
    assert len(list(pool.results(added, [(n,) for n in range(2, 6)]))) == 4
    assert {worker for worker, _ in engine.sent} == {"a"}
    assert RemotePool(engine, None, pack(0)).size == 3


def test_a_call_whose_worker_is_lost_or_refused_goes_to_another() -> None:
    """Who is gone, or has other sources, costs a try."""
    engine = Engine("lost", "other", "good")
    engine.lost, engine.others = {"lost"}, {"other"}
    pool = RemotePool(engine, None, pack(0))
    assert list(pool.results(added, [(2,), (3,), (4,)])) == [(0, 2), (1, 3), (2, 4)]
    assert engine.workers == ["good"]


def left(shared: None, contact: TaskContext, budget: Budget) -> float | None:
    """Return the seconds that are left."""
    return budget.seconds_left


def test_calls_are_packed_when_they_are_handed_out() -> None:
    """The seconds left are those at the beginning of a call, and not those when it was asked for."""
    engine = Engine("a")
    budget = Budget.of(seconds=1000)
    for answer in RemotePool(engine, None, pack(None)).results(left, [(budget,), (budget,)]):
        assert isinstance(answer[1], float)
        assert answer[1] <= 1000
    calls = [parcel.call for _, parcel in engine.sent]
    assert len(set(calls)) == len(calls)


def test_a_dropped_call_is_asked_to_stop_and_its_answer_ignored() -> None:
    """The worker is free when it has answered, and nobody takes the answer for another."""
    engine = Engine("a", "b")
    pool = RemotePool(engine, None, pack(0))
    answers = pool.results(added, [(n,) for n in range(2, 7)])
    next(answers)
    answers.close()  # type: ignore[attr-defined]
    assert len(engine.stopped) == 1
    assert list(pool.results(added, [(5,)])) == [(0, 5)]
    assert all(parcel.sources == source_version() for _, parcel in engine.sent)


def test_who_leaves_asks_for_an_end_of_what_is_worked_on() -> None:
    """Calls whose answers were never read are stopped with the pool; without any nobody is asked."""
    engine = Engine("a", "b")
    with RemotePool(engine, None, pack(0)) as pool:
        assert list(pool.results(added, [(2,)])) == [(0, 2)]
    assert engine.stopped == []
    with RemotePool(engine, None, pack(0)) as pool:
        pool.submit(0, added, (2,))
    assert len(engine.stopped) == 1
    assert not pool.is_busy

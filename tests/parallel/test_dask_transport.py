"""Workers of a dask scheduler: who is lost, who is refused, and what becomes of their calls."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.parallel.dask_transport import DaskTransport, connect
from pavane.parallel.remote_pool import RemotePool, pack
from pavane.parallel.remote_worker import Reply, TaskMessage, source_version
from pavane.parallel.tasks import PoolLost, WorkerLost
from tests.parallel.clusters import ROOT, Cluster, wait_until
from tests.parallel.errands import added, lost, lost_once


def test_the_call_of_a_killed_worker_is_made_again(dask_cluster: Cluster, tmp_path: Path) -> None:
    """Somebody else answers it, and nothing is answered twice."""
    with connect(dask_cluster.address, lambda _: None) as engine:
        answers = list(RemotePool(engine, None, pack(tmp_path)).results(lost_once, [(n,) for n in range(6)]))
    assert answers == [(n, n) for n in range(6)]
    made = [line.split()[0] for line in (tmp_path / "made").read_text().splitlines()]
    assert sorted(made) == ["0", "1", "1", "2", "3", "4", "5"]


def test_a_call_that_kills_its_workers_is_lost_and_killed_workers_come_back(dask_cluster: Cluster) -> None:
    """It is not an error of everything; who watches over the processes starts them again."""
    with connect(dask_cluster.address, lambda _: None) as engine:
        answers = dict(RemotePool(engine, None, pack(0)).results(lost, [(n,) for n in range(4)]))
        told = answers.pop(1)
        assert isinstance(told, WorkerLost)
        assert told.why.endswith("is lost; killed, or out of memory?")
        assert answers == {0: 0, 2: 2, 3: 3}

        def are_back() -> bool:
            engine.replies(0.1)
            return engine.num_workers == 2

        wait_until(are_back, "two workers")


def test_what_calls_share_travels_once_to_each_worker(dask_cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over real connections, too."""
    sent: list[TaskMessage] = []
    with connect(dask_cluster.address, lambda _: None) as engine:
        usual = engine.send

        def send(worker: str, parcel: TaskMessage) -> None:
            sent.append(parcel)
            usual(worker, parcel)

        monkeypatch.setattr(engine, "send", send)
        for _ in range(2):
            pool = RemotePool(engine, None, pack("a problem of this test"))
            assert len(list(pool.results(_length, [()] * 8))) == 8
        assert 1 <= sum(parcel.shared is not None for parcel in sent) <= engine.num_workers


def _length(shared: str, contact: object) -> int:
    return len(shared)


def test_a_worker_with_other_sources_gets_no_work(dask_cluster: Cluster, tmp_path: Path) -> None:
    """It is named in one note, once, and the others go on."""
    others = tmp_path / "src"
    shutil.copytree(ROOT / "src" / "pavane", others / "pavane", ignore=shutil.ignore_patterns("__pycache__"))
    with open(others / "pavane" / "words.py", "a") as file:
        file.write("\n# another one\n")
    notes: list[str] = []
    with connect(dask_cluster.address, notes.append) as engine:
        there = engine.num_workers
        odd = dask_cluster.start_worker(others)
        pool = RemotePool(engine, None, pack(0))
        wait_until(lambda: len(list(pool.results(added, [(2,), (3,)]))) == 2 and bool(notes), "a note")
        assert engine.num_workers == there
        odd.terminate()
    assert len(notes) == 1
    assert f"but this is pavane {source_version()}: it receives no tasks" in notes[0]


class Client:
    """A scheduler that says who is there."""

    def __init__(self, *workers: str, said: Any = None) -> None:
        self.workers, self.said, self.status = workers, said, "running"
        self.scheduler = self

    def ncores(self) -> dict[str, int]:
        """Return the workers."""
        return dict.fromkeys(self.workers, 1)

    def sync(self, asked: Callable[[], Any], callback_timeout: float) -> Any:
        """Ask at once."""
        return asked()

    def run(self, asked: Callable[[], str], workers: list[str], on_error: str) -> dict[str, Any]:
        """Let workers answer."""
        return dict.fromkeys(workers, asked() if self.said is None else self.said)


@pytest.mark.parametrize("said", ["0.0.1 (0123456789ab)", ModuleNotFoundError("pavane")])
def test_where_all_workers_are_others_nothing_begins(said: Any) -> None:
    """Each is told once, then the input is refused."""
    notes: list[str] = []
    engine = DaskTransport(Client("tcp://a:1", "tcp://b:1", said=said), "tcp://s:1", notes.append)
    with pytest.raises(InputError, match=r"^`cluster=tcp://s:1`: the sources of all workers differ from this pavane"):
        engine.wait_for_worker()
    assert len(notes) == 2


def test_where_nobody_comes_nothing_begins() -> None:
    """Who starts a command before its workers is told how to start some."""
    notes: list[str] = []
    engine = DaskTransport(Client(), "tcp://s:1", notes.append, wait=0.0)
    with pytest.raises(InputError, match=r"no worker has joined; start some with: pavane worker tcp://s:1$"):
        engine.wait_for_worker()


def test_a_first_worker_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said how to start one, once, and what is begun goes on when it has come."""
    notes: list[str] = []
    client = Client()

    def later(_: float) -> None:
        client.workers = ("tcp://a:1",)

    monkeypatch.setattr("pavane.parallel.dask_transport.time.sleep", later)
    engine = DaskTransport(client, "tcp://s:1", notes.append)
    engine.wait_for_worker()
    assert engine.num_workers == 1
    assert notes == ["no worker at tcp://s:1; start some with: pavane worker tcp://s:1; waiting for at most 60 seconds"]


class Future:
    """What became of a call."""

    def __init__(self, status: str, result: Callable[[], Reply] | None = None) -> None:
        self.status, self._result = status, result

    def done(self) -> bool:
        """Say that it is over."""
        return True

    def result(self, timeout: float) -> Reply:
        """Fetch it."""
        assert self._result is not None
        return self._result()

    def exception(self) -> Exception:
        """Return what went wrong."""
        return MemoryError("too large")


def test_answers_that_cannot_be_had_are_told_as_lost() -> None:
    """What cannot be fetched yet is asked for again; who could not answer, or was restarted, has lost its call."""
    engine = DaskTransport(Client("tcp://a:1"), "tcp://s:1", lambda _: None)

    def out_of_reach() -> Reply:
        raise TimeoutError

    engine._futures["tcp://a:1"] = Future("finished", out_of_reach)
    assert engine._fetch("tcp://a:1") == []
    engine._futures["tcp://a:1"] = Future("finished", lambda: Reply("result", b"x"))
    assert engine._fetch("tcp://a:1") == [("tcp://a:1", Reply("result", b"x"))]
    for status, said in (("error", "could not run its task: MemoryError: too large"), ("cancelled", "was restarted")):
        engine._futures["tcp://a:1"] = Future(status)
        ((_, reply),) = engine._fetch("tcp://a:1")
        assert isinstance(reply, WorkerLost)
        assert said in reply.why
        assert engine._fetch("tcp://a:1") == []


def test_a_scheduler_that_goes_while_it_is_asked_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever dask raises then."""

    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("several\nlines")

    client = Client("tcp://a:1")
    monkeypatch.setattr(client, "sync", broken)
    with pytest.raises(PoolLost, match=r"^the dask scheduler at tcp://s:1 is lost; start it"):
        DaskTransport(client, "tcp://s:1", lambda _: None).wait_for_worker()


@pytest.mark.parametrize("raised", [ValueError("unknown scheme"), TypeError("no host"), ImportError("no ucx")])
def test_an_address_that_dask_cannot_use_is_refused(raised: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one that it can."""
    distributed = pytest.importorskip("distributed")

    def broken(*_: Any, **__: Any) -> Any:
        raise raised

    monkeypatch.setattr(distributed, "Client", broken)
    with (
        pytest.raises(InputError, match=rf"^`cluster=ucx://s:1` cannot be used: {raised}; write tcp://host:8786$"),
        connect("ucx://s:1", lambda _: None),
    ):
        pass


def test_when_all_are_gone_the_crew_is_lost_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said once that they are waited for."""
    monkeypatch.setattr("pavane.parallel.dask_transport.LOOK_SECONDS", 0.01)
    notes: list[str] = []
    client = Client("tcp://a:1")
    engine = DaskTransport(client, "tcp://s:1", notes.append, wait=0.2)
    engine.wait_for_worker()
    client.workers = ()
    with pytest.raises(PoolLost, match=r"^no worker is left at tcp://s:1; start some .* run the same command again"):
        _ask_for_ever(engine)
    assert len(notes) == 1


def _ask_for_ever(engine: DaskTransport) -> None:
    while True:
        engine.replies(None)


def test_a_scheduler_that_is_gone_is_told_in_one_line() -> None:
    """With what to do."""
    client = Client("tcp://a:1")
    engine = DaskTransport(client, "tcp://s:1", lambda _: None)
    engine.wait_for_worker()
    client.status = "closed"
    with pytest.raises(PoolLost, match=r"^the dask scheduler at tcp://s:1 is lost; start it .*run the same command"):
        engine._check_workers()

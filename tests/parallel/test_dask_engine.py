"""Workers of a dask scheduler: who is lost, who is refused, and what becomes of their calls."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.parallel.dask_engine import DaskEngine, connected
from pavane.parallel.pool import CrewLost, Lost
from pavane.parallel.remote_pool import Elsewhere, packed
from pavane.parallel.remote_worker import Parcel, Reply, sources
from tests.parallel.clusters import ROOT, Cluster, wait_until
from tests.parallel.errands import added, lost, lost_once


def test_the_call_of_a_killed_worker_is_made_again(dask_cluster: Cluster, tmp_path: Path) -> None:
    """Somebody else answers it, and nothing is answered twice."""
    with connected(dask_cluster.address, lambda _: None) as engine:
        answers = list(Elsewhere(engine, None, packed(tmp_path)).answers(lost_once, [(n,) for n in range(6)]))
    assert answers == [(n, n) for n in range(6)]
    made = [line.split()[0] for line in (tmp_path / "made").read_text().splitlines()]
    assert sorted(made) == ["0", "1", "1", "2", "3", "4", "5"]


def test_a_call_that_kills_its_workers_is_lost_and_killed_workers_come_back(dask_cluster: Cluster) -> None:
    """It is not an error of everything; who watches over the processes starts them again."""
    with connected(dask_cluster.address, lambda _: None) as engine:
        answers = dict(Elsewhere(engine, None, packed(0)).answers(lost, [(n,) for n in range(4)]))
        told = answers.pop(1)
        assert isinstance(told, Lost)
        assert told.why.endswith("is gone; killed, or out of memory?")
        assert answers == {0: 0, 2: 2, 3: 3}

        def are_back() -> bool:
            engine.replies(0.1)
            return engine.num_workers == 2

        wait_until(are_back, "two workers")


def test_what_calls_share_travels_once_to_each_worker(dask_cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over real connections, too."""
    sent: list[Parcel] = []
    with connected(dask_cluster.address, lambda _: None) as engine:
        usual = engine.send

        def send(worker: str, parcel: Parcel) -> None:
            sent.append(parcel)
            usual(worker, parcel)

        monkeypatch.setattr(engine, "send", send)
        for _ in range(2):
            crew = Elsewhere(engine, None, packed("a problem of this test"))
            assert len(list(crew.answers(_length, [()] * 8))) == 8
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
    with connected(dask_cluster.address, notes.append) as engine:
        there = engine.num_workers
        odd = dask_cluster.start_worker(others)
        crew = Elsewhere(engine, None, packed(0))
        wait_until(lambda: len(list(crew.answers(added, [(2,), (3,)]))) == 2 and bool(notes), "a note")
        assert engine.num_workers == there
        odd.terminate()
    assert len(notes) == 1
    assert f"and pavane {sources()} is here: it gets no work" in notes[0]


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
    engine = DaskEngine(Client("tcp://a:1", "tcp://b:1", said=said), "tcp://s:1", notes.append)
    with pytest.raises(InputError, match=r"^`cluster=tcp://s:1`: all workers there have another pavane than this one"):
        engine.meet()
    assert len(notes) == 2


def test_where_nobody_comes_nothing_begins() -> None:
    """Who starts a command before its workers is told how to start some."""
    notes: list[str] = []
    engine = DaskEngine(Client(), "tcp://s:1", notes.append, wait=0.0)
    with pytest.raises(InputError, match=r"no worker has come; start some with: pavane worker tcp://s:1$"):
        engine.meet()


def test_a_first_worker_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said how to start one, once, and what is begun goes on when it has come."""
    notes: list[str] = []
    client = Client()

    def later(_: float) -> None:
        client.workers = ("tcp://a:1",)

    monkeypatch.setattr("pavane.parallel.dask_engine.time.sleep", later)
    engine = DaskEngine(client, "tcp://s:1", notes.append)
    engine.meet()
    assert engine.num_workers == 1
    assert notes == [
        "no worker is at tcp://s:1; start some with: pavane worker tcp://s:1; they are waited for, 60 seconds at most"
    ]


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
    engine = DaskEngine(Client("tcp://a:1"), "tcp://s:1", lambda _: None)

    def out_of_reach() -> Reply:
        raise TimeoutError

    engine._out["tcp://a:1"] = Future("finished", out_of_reach)
    assert engine._fetched("tcp://a:1") == []
    engine._out["tcp://a:1"] = Future("finished", lambda: Reply("answer", b"x"))
    assert engine._fetched("tcp://a:1") == [("tcp://a:1", Reply("answer", b"x"))]
    for status, said in (("error", "could not answer: MemoryError: too large"), ("cancelled", "was restarted")):
        engine._out["tcp://a:1"] = Future(status)
        ((_, reply),) = engine._fetched("tcp://a:1")
        assert isinstance(reply, Lost)
        assert said in reply.why
        assert engine._fetched("tcp://a:1") == []


def test_a_scheduler_that_goes_while_it_is_asked_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever dask raises then."""

    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("several\nlines")

    client = Client("tcp://a:1")
    monkeypatch.setattr(client, "sync", broken)
    with pytest.raises(CrewLost, match=r"^the dask scheduler at tcp://s:1 is gone; start it"):
        DaskEngine(client, "tcp://s:1", lambda _: None).meet()


@pytest.mark.parametrize("raised", [ValueError("unknown scheme"), TypeError("no host"), ImportError("no ucx")])
def test_an_address_that_dask_cannot_use_is_refused(raised: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one that it can."""
    distributed = pytest.importorskip("distributed")

    def broken(*_: Any, **__: Any) -> Any:
        raise raised

    monkeypatch.setattr(distributed, "Client", broken)
    with (
        pytest.raises(InputError, match=rf"^`cluster=ucx://s:1` cannot be used: {raised}; write tcp://host:8786$"),
        connected("ucx://s:1", lambda _: None),
    ):
        pass


def test_when_all_are_gone_the_crew_is_lost_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said once that they are waited for."""
    monkeypatch.setattr("pavane.parallel.dask_engine.LOOK_SECONDS", 0.01)
    notes: list[str] = []
    client = Client("tcp://a:1")
    engine = DaskEngine(client, "tcp://s:1", notes.append, wait=0.2)
    engine.meet()
    client.workers = ()
    with pytest.raises(CrewLost, match=r"^no worker is left at tcp://s:1; start some .* run the same command again"):
        _ask_for_ever(engine)
    assert len(notes) == 1


def _ask_for_ever(engine: DaskEngine) -> None:
    while True:
        engine.replies(None)


def test_a_scheduler_that_is_gone_is_told_in_one_line() -> None:
    """With what to do."""
    client = Client("tcp://a:1")
    engine = DaskEngine(client, "tcp://s:1", lambda _: None)
    engine.meet()
    client.status = "closed"
    with pytest.raises(CrewLost, match=r"^the dask scheduler at tcp://s:1 is gone; start it .*run the same command"):
        engine._look()

"""The far end: nothing is unpickled that other sources packed, and what calls share is kept."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from pavane.errors import PavaneError
from pavane.parallel.remote_worker import MOST_SHARED, Reply, TaskMessage, run_task, source_version, stop_tasks
from tests.parallel.errands import added, broken, gone_for_good, until_stopped


def _parcel(function: Any, *call: Any, shared: Any = None, digest: str = "kept", **others: Any) -> TaskMessage:
    packed = None if shared is None else pickle.dumps(shared)
    return TaskMessage(source_version(), "token", digest, packed, pickle.dumps((function, call)))._replace(**others)


def test_a_call_is_made_and_answered_in_bytes() -> None:
    """What is shared comes with the first call, and is there for the next."""
    assert run_task(_parcel(added, 5, digest="one")) == Reply("missing")
    assert pickle.loads(run_task(_parcel(added, 5, shared=100, digest="one")).content) == 105
    assert pickle.loads(run_task(_parcel(added, 6, digest="one")).content) == 106


def test_the_last_few_are_kept() -> None:
    """What was used longest ago gives way."""
    for number in range(MOST_SHARED):
        run_task(_parcel(added, 2, shared=number, digest=f"few-{number}"))
    assert run_task(_parcel(added, 2, digest="few-0")).kind == "result"
    run_task(_parcel(added, 2, shared=9, digest="another"))
    assert run_task(_parcel(added, 2, digest="few-0")).kind == "result"
    assert run_task(_parcel(added, 2, digest="few-1")).kind == "missing"


def test_nothing_of_other_sources_is_unpickled() -> None:
    """The reply says what is here instead."""
    hostile = TaskMessage("0.0.1 (0123456789ab)", "token", "digest", b"no pickle", b"none either")
    assert run_task(hostile) == Reply("differs", source_version().encode())


def test_errors_travel_also_those_that_cannot_be_pickled() -> None:
    """A class that nobody else knows is told in a line."""
    error = pickle.loads(run_task(_parcel(broken, 1, shared=0)).content)
    assert isinstance(error, ValueError)
    told = run_task(_parcel(gone_for_good, 1, shared=0))
    assert told.kind == "error"
    with pytest.raises(PavaneError, match=r"^Unknown: what nobody can unpickle"):
        raise pickle.loads(told.content)


def test_calls_of_a_stopped_token_end() -> None:
    """Those that begin later, too; others go on."""
    stopped = _parcel(until_stopped, 1, shared=0, token="stopped before")
    stop_tasks("stopped before")
    assert pickle.loads(run_task(stopped).content) == "stopped"
    late = _parcel(until_stopped, 1, shared=0, token="stopped on the way", is_stopped=True)
    assert pickle.loads(run_task(late).content) == "stopped"
    looked: list[str] = []

    def look() -> None:
        looked.append("looked")
        stop_tasks("stopped meanwhile")

    asked = _parcel(until_stopped, 1, shared=0, token="stopped meanwhile")
    assert pickle.loads(run_task(asked, look).content) == "stopped"
    assert looked


def test_sources_are_a_version_and_a_digest() -> None:
    """Both are in one line, for people to compare."""
    version, digest = source_version().split()
    assert version[0].isdigit()
    assert len(digest) == len("(0123456789ab)")

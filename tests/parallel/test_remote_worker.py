"""The far end: nothing is unpickled that other sources packed, and what calls share is kept."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from pavane.errors import PavaneError
from pavane.parallel.remote_worker import MOST_SHARED, Parcel, Reply, carried_out, note_stopped, sources
from tests.parallel.errands import added, broken, gone_for_good, until_stopped


def _parcel(function: Any, *call: Any, shared: Any = None, digest: str = "kept", **others: Any) -> Parcel:
    packed = None if shared is None else pickle.dumps(shared)
    return Parcel(sources(), "token", digest, packed, pickle.dumps((function, call)))._replace(**others)


def test_a_call_is_made_and_answered_in_bytes() -> None:
    """What is shared comes with the first call, and is there for the next."""
    assert carried_out(_parcel(added, 5, digest="one")) == Reply("missing")
    assert pickle.loads(carried_out(_parcel(added, 5, shared=100, digest="one")).content) == 105
    assert pickle.loads(carried_out(_parcel(added, 6, digest="one")).content) == 106


def test_the_last_few_are_kept() -> None:
    """What was used longest ago gives way."""
    for number in range(MOST_SHARED):
        carried_out(_parcel(added, 2, shared=number, digest=f"few-{number}"))
    assert carried_out(_parcel(added, 2, digest="few-0")).kind == "answer"
    carried_out(_parcel(added, 2, shared=9, digest="another"))
    assert carried_out(_parcel(added, 2, digest="few-0")).kind == "answer"
    assert carried_out(_parcel(added, 2, digest="few-1")).kind == "missing"


def test_nothing_of_other_sources_is_unpickled() -> None:
    """The reply says what is here instead."""
    hostile = Parcel("0.0.1 (0123456789ab)", "token", "digest", b"no pickle", b"none either")
    assert carried_out(hostile) == Reply("differs", sources().encode())


def test_errors_travel_also_those_that_cannot_be_pickled() -> None:
    """A class that nobody else knows is told in a line."""
    error = pickle.loads(carried_out(_parcel(broken, 1, shared=0)).content)
    assert isinstance(error, ValueError)
    told = carried_out(_parcel(gone_for_good, 1, shared=0))
    assert told.kind == "error"
    with pytest.raises(PavaneError, match=r"^Unknown: what nobody can unpickle"):
        raise pickle.loads(told.content)


def test_calls_of_a_stopped_token_end() -> None:
    """Those that begin later, too; others go on."""
    stopped = _parcel(until_stopped, 1, shared=0, token="stopped before")
    note_stopped("stopped before")
    assert pickle.loads(carried_out(stopped).content) == "stopped"
    late = _parcel(until_stopped, 1, shared=0, token="stopped on the way", is_stopped=True)
    assert pickle.loads(carried_out(late).content) == "stopped"
    looked: list[str] = []

    def look() -> None:
        looked.append("looked")
        note_stopped("stopped meanwhile")

    asked = _parcel(until_stopped, 1, shared=0, token="stopped meanwhile")
    assert pickle.loads(carried_out(asked, look).content) == "stopped"
    assert looked


def test_sources_are_a_version_and_a_digest() -> None:
    """Both are in one line, for people to compare."""
    version, digest = sources().split()
    assert version[0].isdigit()
    assert len(digest) == len("(0123456789ab)")

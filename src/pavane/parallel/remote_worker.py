"""Entry point of a remote worker, which receives a task as bytes and replies in bytes.

No part of a task is unpickled before the sources of both sides are known to be the same. The value that tasks share is
sent to a worker once: the worker caches the last few, by digest, and requests what it does not have.
"""

from __future__ import annotations

import hashlib
import pickle
import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pavane.errors import PavaneError, in_one_line
from pavane.parallel.tasks import LocalContext
from pavane.text import VERSION

MOST_SHARED = 4
"""Shared values to cache: they can be large, and a search works on one problem at a time."""

MOST_STOPPED = 1_000
"""Stopped tokens to remember."""


class TaskMessage(NamedTuple):
    """A task in transit, in plain values."""

    sources: str
    """Version and digest of the sender's sources."""
    token: str
    """Names the set of tasks to which a request to stop applies."""
    digest: str
    """Of the shared value."""
    shared: bytes | None
    """The shared value; None: it has been sent before."""
    call: bytes
    """The function and its arguments."""
    is_stopped: bool = False
    """Whether the set of tasks has been stopped already."""


class Reply(NamedTuple):
    """The reply of a remote worker."""

    kind: str
    """result or error, pickled; missing: the shared value is not cached; differs: the sources differ."""
    content: bytes = b""


@cache
def source_version() -> str:
    """Return version and digest of pavane's sources here: equal sources give equal results."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return f"{VERSION} ({digest.hexdigest()[:12]})"


_shared: OrderedDict[str, Any] = OrderedDict()
_stopped: deque[str] = deque(maxlen=MOST_STOPPED)
_guard = threading.Lock()
"""Guards the cache: a worker of dask may have several threads."""


def stop_tasks(token: str) -> None:
    """Request the tasks of a token to stop and return their best results so far."""
    _stopped.append(token)


def run_task(message: TaskMessage, poll: Callable[[], None] = lambda: None) -> Reply:
    """Run a task and return its reply; `poll` is called before each check whether to stop."""
    if message.sources != source_version():
        return Reply("differs", source_version().encode())
    with _guard:
        if message.shared is not None and message.digest not in _shared:
            _shared[message.digest] = pickle.loads(message.shared)
            while len(_shared) > MOST_SHARED:
                _shared.popitem(last=False)
        if message.digest not in _shared:
            return Reply("missing")
        _shared.move_to_end(message.digest)
        shared = _shared[message.digest]
    if message.is_stopped:
        stop_tasks(message.token)

    def is_stopped() -> bool:
        poll()
        return message.token in _stopped

    try:
        function, task = pickle.loads(message.call)
        return Reply("result", pickle.dumps(function(shared, LocalContext(is_stopped, lambda update: None), *task)))
    except Exception as error:
        return Reply("error", _pack_error(error))


def _pack_error(error: Exception) -> bytes:
    """Return an error as bytes; one that cannot be pickled is replaced by its text."""
    try:
        packed = pickle.dumps(error)
        pickle.loads(packed)
    except Exception:
        return pickle.dumps(PavaneError(in_one_line(error)))
    return packed

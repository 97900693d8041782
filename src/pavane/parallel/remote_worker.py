"""What runs at the far end: a worker on another machine, which takes a call as bytes and answers in bytes.

Nothing of a call is unpickled before the sources there are known to be the same as here. What all calls share is sent
to a worker once: it keeps the last few, by digest, and asks for what it does not have.
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
from pavane.parallel.pool import ContactHere
from pavane.text import VERSION

MOST_SHARED = 4
"""What calls share can be large, and searches work on one problem at a time."""

MOST_STOPPED = 1_000
"""As many of the latest tokens are remembered as stopped."""


class Parcel(NamedTuple):
    """A call on its way, in plain values."""

    sources: str
    """Version and digest of the sources that packed it."""
    token: str
    """Whose call it is: what is asked to stop names it."""
    digest: str
    """Of what the calls share."""
    shared: bytes | None
    """What the calls share; None: it has been sent before."""
    call: bytes
    """The function and its arguments."""
    is_stopped: bool = False
    """Whether who asks has asked to stop already."""


class Reply(NamedTuple):
    """What comes back."""

    kind: str
    """answer or error, pickled; missing: what calls share is not here; differs: the sources are others."""
    content: bytes = b""


@cache
def sources() -> str:
    """Return version and digest of pavane's sources here: runs are the same where these are."""
    package = Path(__file__).parent.parent
    found = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        found.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return f"{VERSION} ({found.hexdigest()[:12]})"


_shared: OrderedDict[str, Any] = OrderedDict()
_stopped: deque[str] = deque(maxlen=MOST_STOPPED)
_turn = threading.Lock()
"""A worker of dask may have several threads."""


def note_stopped(token: str) -> None:
    """Let calls of that token end with what they have."""
    _stopped.append(token)


def carried_out(parcel: Parcel, look: Callable[[], None] = lambda: None) -> Reply:
    """Make a call and return its answer; `look` is called before each look at whether to stop."""
    if parcel.sources != sources():
        return Reply("differs", sources().encode())
    with _turn:
        if parcel.shared is not None and parcel.digest not in _shared:
            _shared[parcel.digest] = pickle.loads(parcel.shared)
            while len(_shared) > MOST_SHARED:
                _shared.popitem(last=False)
        if parcel.digest not in _shared:
            return Reply("missing")
        _shared.move_to_end(parcel.digest)
        shared = _shared[parcel.digest]
    if parcel.is_stopped:
        note_stopped(parcel.token)

    def is_stopped() -> bool:
        look()
        return parcel.token in _stopped

    try:
        function, call = pickle.loads(parcel.call)
        return Reply("answer", pickle.dumps(function(shared, ContactHere(is_stopped, lambda news: None), *call)))
    except Exception as error:
        return Reply("error", _packed(error))


def _packed(error: Exception) -> bytes:
    """Return an error as bytes; one that cannot travel is told in a line."""
    try:
        packed = pickle.dumps(error)
        pickle.loads(packed)
    except Exception:
        return pickle.dumps(PavaneError(in_one_line(error)))
    return packed

"""A form: a format that others write and networks are read from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pavane.network import Network


@dataclass(frozen=True)
class Form:
    """A format by its name, with what recognizes and what reads it."""

    name: str
    """What --from calls it."""
    about: str
    """What it is, and what becomes routers, processors and channels, in one sentence."""
    recognizes: Callable[[memoryview], bool]
    """Whether a file begins like this; it never raises."""
    read: Callable[[Path, memoryview], Network]
    """Make the network; InputError says what is wrong, where, and how to mend it."""

"""What an export is: a format of others that a schedule, or a network, can be written in, or a reason why not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pavane.judge.result import Result
from pavane.model.network import Network

DEFAULT_BYTES = 1024


@dataclass(frozen=True)
class Options:
    """What a user may choose about the files."""

    stem: str = "schedule"
    """The name of the files, without ending."""
    size: int = DEFAULT_BYTES
    """Bytes in one message, where a format needs a size."""


@dataclass(frozen=True)
class NetworkExport:
    """How a format carries a network alone; `refusal` says in words why it cannot, and `write` makes its files."""

    write: Callable[[Network, Options], dict[str, bytes]]
    refusal: Callable[[Network], str | None] = lambda _: None


@dataclass(frozen=True)
class Export:
    """One format; `refusal` says in words why a schedule cannot be written in it, and `write` makes its files."""

    name: str
    about: str
    """One sentence."""
    ending: str
    """The ending of the one file, or of the first of several."""
    refusal: Callable[[Result], str | None]
    write: Callable[[Result, Options], dict[str, bytes]]
    """Return the files by name; call it only where there is no refusal."""
    num_files: int = 1
    sized: bool = False
    """Whether the size of a message matters."""
    network: NetworkExport | None = None
    """How a network is written that has no schedule; None where the format is about transfers."""

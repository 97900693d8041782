"""Which parameters a family takes: the least values, and sizes that fit in memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pavane.errors import InputError

MOST_CHANNELS = 4_000_000
"""More channels or processors than this are refused before anything is built."""

_MOST: ContextVar[int] = ContextVar("most channels", default=MOST_CHANNELS)


@contextmanager
def no_more_than(num_channels: int) -> Iterator[None]:
    """Refuse networks in a block that would have more channels or processors, before anything is built."""
    before = _MOST.set(min(num_channels, _MOST.get()))
    try:
        yield
    finally:
        _MOST.reset(before)


def at_least(network: str, parameter: str, value: int, least: int) -> None:
    """Refuse a parameter below its least value."""
    if value < least:
        raise InputError(f"network {network}: {parameter} is {value}; give {least} or more")


def allow_size(network: str, num_channels: int, what: str = "channels") -> None:
    """Refuse a network too large to build, before it is built."""
    most = _MOST.get()
    if num_channels > most:
        count = f"{num_channels:,}" if num_channels < 10**15 else "more than 10^15"
        raise InputError(
            f"network {network}: it would have {count} {what}; give smaller parameters, for at most {most:,}"
        )


def power(base: int, exponent: int) -> int:
    """Return base to the exponent, or something else far beyond any limit where that would not end."""
    return int(base ** min(exponent, 99))

"""Files in and out: networks, problems and schedules.

Names are imported on first use, so that a network of the catalogue needs no file format.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pavane.io.files import Note
    from pavane.io.format import Claim
    from pavane.io.network_file import write_network, write_problem
    from pavane.io.readers import (
        parse_network,
        parse_network_or_problem,
        parse_problem,
        parse_schedule,
        read_network,
        read_network_or_problem,
        read_problem,
        read_schedule,
    )
    from pavane.io.schedule_file import schedule_bytes, write_schedule

__all__ = [
    "Claim",
    "Note",
    "parse_network",
    "parse_network_or_problem",
    "parse_problem",
    "parse_schedule",
    "read_network",
    "read_network_or_problem",
    "read_problem",
    "read_schedule",
    "schedule_bytes",
    "write_network",
    "write_problem",
    "write_schedule",
]

_HOME_OF = {
    "Claim": "format",
    "Note": "files",
    "schedule_bytes": "schedule_file",
    "write_network": "network_file",
    "write_problem": "network_file",
    "write_schedule": "schedule_file",
}
"""The module of a name, where it is not `readers`."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOME_OF.get(name, 'readers')}"), name)
    globals()[name] = found
    return found

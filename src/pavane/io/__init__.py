"""Files in and out: networks, problems and schedules.

Names are imported on first use, so that a network of the catalogue needs no file format.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pavane.io.files import Note as Note
    from pavane.io.format import Claim as Claim
    from pavane.io.network_file import write_network as write_network
    from pavane.io.network_file import write_problem as write_problem
    from pavane.io.readers import parse_network as parse_network
    from pavane.io.readers import parse_network_or_problem as parse_network_or_problem
    from pavane.io.readers import parse_problem as parse_problem
    from pavane.io.readers import parse_schedule as parse_schedule
    from pavane.io.readers import read_network as read_network
    from pavane.io.readers import read_network_or_problem as read_network_or_problem
    from pavane.io.readers import read_problem as read_problem
    from pavane.io.readers import read_schedule as read_schedule
    from pavane.io.schedule_file import schedule_bytes as schedule_bytes
    from pavane.io.schedule_file import write_schedule as write_schedule

_READ = ("network", "network_or_problem", "problem", "schedule")
_HOME_OF = {f"{verb}_{what}": "readers" for verb in ("parse", "read") for what in _READ}
_HOME_OF |= {"Claim": "format", "Note": "files", "write_network": "network_file", "write_problem": "network_file"}
_HOME_OF |= {"schedule_bytes": "schedule_file", "write_schedule": "schedule_file"}
"""The module of each name."""

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    return globals()[name]

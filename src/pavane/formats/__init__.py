"""Files in and out: networks, problems and schedules."""

from pavane.formats.network_file import (
    read_network,
    read_network_or_problem,
    read_problem,
    write_network,
    write_problem,
)
from pavane.formats.schedule_file import Claim, read_schedule, write_schedule

__all__ = [
    "Claim",
    "read_network",
    "read_network_or_problem",
    "read_problem",
    "read_schedule",
    "write_network",
    "write_problem",
    "write_schedule",
]

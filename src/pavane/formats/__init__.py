"""Files in and out: networks, problems and schedules."""

from pavane.formats.claim import Claim
from pavane.formats.file_notes import Note
from pavane.formats.network_file import write_network, write_problem
from pavane.formats.readers import (
    parse_network,
    parse_network_or_problem,
    parse_problem,
    parse_schedule,
    read_network,
    read_network_or_problem,
    read_problem,
    read_schedule,
)
from pavane.formats.schedule_file import schedule_bytes, write_schedule

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

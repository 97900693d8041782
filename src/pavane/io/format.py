"""What a format is: how its files are recognized, and what they are read as."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pavane.io.claim import Claim
from pavane.io.files import File
from pavane.model.network import Network
from pavane.model.problem import Problem


@dataclass(frozen=True)
class Format:
    """A format of networks, problems or schedules."""

    name: str
    """What people call it who say which format a file is in."""
    about: str
    """What it is, and what becomes routers, processors and channels, in one sentence."""
    recognizes: Callable[[File], bool]
    """Tell whether a file is in this format; never raises."""
    read: Callable[[File], Network | Problem]
    """Make the network, or the problem of a file that has one; InputError says what is wrong and how to mend it."""
    read_schedule: Callable[[File], Claim] | None = None
    """Make the schedule, where the format has schedules."""
    read_nodes: Callable[[File, int], Network] | None = None
    """Make several of the machine, joined over its NICs, where the format tells them."""
    read_schedule_on: Callable[[File, Network], Claim] | None = None
    """Make the schedule on a network that the user names, where the file names none of its own."""

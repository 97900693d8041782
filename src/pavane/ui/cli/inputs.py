"""Input files of commands: schedules, which are judged, and networks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pavane.errors import InputError, InvalidSchedule
from pavane.io.files import collect_notes
from pavane.io.request import network_from
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.timing import Costs, read_per_byte, read_size, read_time

if TYPE_CHECKING:
    from pavane.judge.result import Result


def is_schedule(path: str | Path) -> bool:
    """Return whether there is a file that is meant to be a schedule, pavane's or another program's."""
    from pavane.io.readers import holds_schedule

    return os.path.isfile(path) and holds_schedule(path)


def has_several(path: str | Path) -> bool:
    """Return whether there is a problem or schedule file of several collectives at once."""
    from pavane.io.readers import read_network_or_problem

    if not os.path.isfile(path):
        return False
    with collect_notes():
        try:
            found = read_network_or_problem(str(path))
        except InputError:
            return False
    return isinstance(found, Problem) and found.has_several


@contextmanager
def _naming(file: Path) -> Iterator[None]:
    """Put the name of a file before an error about it."""
    try:
        yield
    except InputError as error:
        raise InputError(str(error) if str(error).startswith(str(file)) else f"{file}: {error}") from None
    except InvalidSchedule as error:
        raise InvalidSchedule(f"{file}: {error}") from None


def read_result(file: Path, *, expands: bool = True, with_times: bool = False) -> Result:
    """Read and judge a schedule; a table is written out, or refused where that would be too large.

    Start times are refused unless the command has a use for them.
    """
    from pavane.io import read_schedule

    with _naming(file):
        result = read_schedule(file).result()
        if result.problem.has_times and not with_times:
            raise InputError("it has start times, where a schedule of steps was expected; solve without --timed")
        return result.expanded() if expands else result


def read_network(text: str, form: str | None = None, nodes: str | None = None, nic: str | None = None) -> Network:
    """Return the network of the catalogue or of a file; refuse problem and schedule files."""
    found = network_from(text, form, nodes, nic)
    if not isinstance(found, Network):
        raise InputError(f"{text}: expected a network, got a whole problem; name a family or a network file")
    return found


def read_costs(startup: str | None, per_byte: str | None, size: str | None) -> tuple[Costs, int] | None:
    """Return the costs of start-ups and bytes and the size of a message; None if no option is given."""
    given = {"--startup": startup, "--per-byte": per_byte, "--bytes": size}
    missing = [flag for flag, value in given.items() if value is None]
    if len(missing) == 3:
        return None
    if startup is None or per_byte is None or size is None:
        raise InputError(f"{missing[0]} is missing; --startup, --per-byte and --bytes belong together")
    return costs_of(startup, per_byte), read_size(size, "--bytes")


def costs_of(startup: str, per_byte: str, per_hop: str | None = None) -> Costs:
    """Return what start-ups, bytes and hops cost."""
    hop = 0.0 if per_hop is None else read_time(per_hop, "--per-hop")
    return Costs(read_time(startup, "--startup"), read_per_byte(per_byte, "--per-byte"), hop)


def chosen_steps(step: int | None, num_steps: int, what: str = "schedule", unit: str = "step") -> range:
    """Return the steps that --step names, counted from 0; all without it."""
    if step is not None and not 1 <= step <= num_steps:
        raise InputError(f"--step {step}: the {what} has {unit}s 1 to {num_steps:,}")
    return range(num_steps) if step is None else range(step - 1, step)

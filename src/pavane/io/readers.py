"""Networks, problems and schedules from files of any format: `read_...` take a path, `parse_...` bytes and a name.

The name stands in error texts and notes where a path would, and its stem is the name of a network that has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

from pavane.errors import InputError
from pavane.io.capacities import common_unit, fraction_of
from pavane.io.files import SCHEDULE_FORMAT, File, Keys, open_file, path_of, refuse_unless_schedule_or_small
from pavane.io.format import Claim, Format
from pavane.io.network_builder import joined_by_rails
from pavane.io.objects import decode
from pavane.io.path_file import is_in_paths, read_paths
from pavane.io.registry import format_of, named_format, recognize
from pavane.model.network import Network
from pavane.model.problem import Problem

Width = int | float | Fraction | str
"""The capacity of a NIC in links of a file: a number, or a text like 1/2."""


def read_network(
    path: str | Path, form: str | None = None, nodes: int | None = None, nic: Width | None = None
) -> Network:
    """Read a network from a file, in whatever format it is.

    Args:
        path: The file.
        form: The format, where the file does not say it (`NETWORK_FORMATS`).
        nodes: The number of machines like the one in the file; they are joined by rails: over their NICs where the
            file lists them, otherwise as `joined_copies` of `pavane.networks` does.
        nic: The capacity of a NIC, or of each link to a rail, in links of the file, where the file does not say it; 1
            unless given. If it is a fraction, like `0.5` or `'1/2'`, all capacities are counted in it.

    Returns:
        The network. A note, which is a warning, reports what a network cannot represent.

    Example:
        >>> _ = Path("links.txt").write_text("0 1\\n1 2\\n")
        >>> pavane.read_network("links.txt")
        <Network links: 3 routers, 4 channels, 3 processors>
    """
    return _network(open_file(path_of(path)), form, nodes, nic)


def parse_network(data: bytes, name: str, form: str | None = None, nodes: int | None = None) -> Network:
    """Read a network from the bytes of a file, as `read_network` does from its path."""
    return _network(File.of(data, name), form, nodes, None)


def read_problem(path: str | Path) -> Problem:
    """Read a problem: a problem file, or the problem of a schedule file.

    Args:
        path: The file.

    Returns:
        The problem.

    Example:
        >>> problem = pavane.Problem(pavane.network("octagon"), "alltoall")
        >>> pavane.solve(problem).save("schedule.json")
        >>> pavane.read_problem("schedule.json") == problem
        True
    """
    return _problem(open_file(path_of(path)))


def parse_problem(data: bytes, name: str) -> Problem:
    """Read a problem from the bytes of a file, as `read_problem` does from its path."""
    return _problem(File.of(data, name))


def read_network_or_problem(
    path: str | Path, form: str | None = None, nodes: int | None = None, nic: Width | None = None
) -> Network | Problem:
    """Read whichever of the two a file holds; `form`, `nodes` and `nic` are those of `read_network`."""
    return _network_or_problem(open_file(path_of(path)), form, nodes, nic)


def parse_network_or_problem(
    data: bytes, name: str, form: str | None = None, nodes: int | None = None, nic: Width | None = None
) -> Network | Problem:
    """Read whichever of the two the bytes of a file hold, as `read_network_or_problem` does from its path."""
    return _network_or_problem(File.of(data, name), form, nodes, nic)


def read_schedule(path: str | Path, on: Network | None = None) -> Claim:
    """Read a schedule file, a table file or path notation; InputError says what is wrong with it.

    Args:
        path: The file.
        on: The network that it is for, where the file names none.

    Returns:
        What the file claims; `result()` of it has the schedule judged.

    Example:
        >>> problem = pavane.Problem(pavane.network("octagon"), "alltoall")
        >>> pavane.solve(problem).save("schedule.json")
        >>> pavane.read_schedule("schedule.json").result()
        <Result: alltoall (AAS) on octagon in 4 steps, optimal>
    """
    return _claim(open_file(path_of(path)), on)


def parse_schedule(data: bytes, name: str, on: Network | None = None) -> Claim:
    """Read a schedule from the bytes of a file, as `read_schedule` does from its path."""
    return _claim(File.of(data, name), on)


def holds_schedule(path: str | Path) -> bool:
    """Return whether a file is meant to be a schedule; it may still be invalid."""
    file = open_file(path)
    refuse_unless_schedule_or_small(file)
    found = recognize(file)
    return is_in_paths(file) or (found is not None and found.read_schedule is not None)


def _network(file: File, form: str | None, nodes: int | None, nic: Width | None) -> Network:
    found = _network_or_problem(file, form, nodes, nic)
    if isinstance(found, Problem):
        raise InputError(f"{file}: this is a problem or schedule, where a network was expected")
    return found


def _problem(file: File) -> Problem:
    found = _network_or_problem(file, None, None, None)
    if isinstance(found, Network):
        raise InputError(f"{file}: this is a network alone; name a collective, too")
    return found


def _network_or_problem(file: File, form: str | None, nodes: int | None, nic: Width | None) -> Network | Problem:
    format_ = format_of(file) if form is None else named_format(form)
    found = _read_as(format_, file, nodes, nic)
    return found.of_gpus() if format_.has_gpus and isinstance(found, Network) else found


def _read_as(format_: Format, file: File, nodes: int | None, nic: Width | None) -> Network | Problem:
    """Return what a file of a format holds, or several of its machine."""
    width = None if nic is None or nodes is None else _nic_width(nic)
    with _named_in_errors(file):
        if nodes is not None and nodes > 1 and format_.read_nodes is not None:
            return format_.read_nodes(file, nodes, width)
        found = format_.read(file)
        if nodes is None and nic is not None and isinstance(found, Network):
            raise InputError(f"`nic={nic}` is the capacity of links between machines; add `nodes`, like `nodes=2`")
        if nodes is None:
            return found
        if nodes > 1 and isinstance(found, Network):
            return joined_by_rails(file, found, nodes, width)
    if isinstance(found, Problem):
        raise InputError(f"{file} is a whole problem, so it does not go with `nodes`; change the file instead")
    raise InputError(f"`nodes={nodes}` joins no machines; give 2 or more")


def _nic_width(nic: Width) -> Fraction:
    """Return the capacity of a NIC in links; refuse anything but a number above 0."""
    width = fraction_of(str(nic))
    if not width:
        raise InputError(f"`nic={nic}` is not a capacity that can be used; give a number above 0, like 2, 0.5 or 1/2")
    common_unit(f"`nic={nic}`", [width])
    return width


def _claim(file: File, on: Network | None) -> Claim:
    refuse_unless_schedule_or_small(file)
    found = recognize(file)
    if is_in_paths(file) or ((found is None or found.read_schedule is None) and file.first not in ("{", "[", "<", "")):
        return read_paths(file, on)
    if found is None or found.read_schedule is None:
        content = decode(file.data, Keys, file).format_text if file.first == "{" else "is not a JSON object"
        raise InputError(
            f"{file}: this file {content}, where a schedule file ({SCHEDULE_FORMAT}) was expected; "
            "`pavane.write_schedule` writes one"
        )
    with _named_in_errors(file):
        return found.read_schedule(file, on)


@contextmanager
def _named_in_errors(file: File) -> Iterator[None]:
    """Put the file's name before what a network or problem refuses, which knows no files."""
    try:
        yield
    except InputError as error:
        if str(error).startswith((f"{file}:", f"{file},")):
            raise
        raise InputError(f"{file}: {error}") from None

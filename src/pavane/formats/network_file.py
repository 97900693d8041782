"""Networks and problems from files: the format is recognized by what the file says, not by its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from pavane.errors import InputError
from pavane.formats.files import SCHEDULE_FORMAT, content, refuse_if_large, refuse_if_nonsense, replacing
from pavane.formats.foreign_schedules import read_foreign
from pavane.formats.graph_files import read_graphml, read_node_link
from pavane.formats.imports import MSCCL, named_form, read_as, recognized
from pavane.formats.objects import NETWORK_FORMAT, Keys, NetworkFile, ProblemObject, ScheduleFile, decoded
from pavane.formats.text_files import read_text
from pavane.model.network import Network
from pavane.model.problem import Problem


def read_network(path: str | Path, form: str | None = None) -> Network:
    """Read a network from a file, in whatever format it is, or in the one that `form` names (see `imports.FORMS`)."""
    found = read_network_or_problem(path, form)
    if isinstance(found, Problem):
        raise InputError(f"{path}: this is a problem or schedule, where a network was expected")
    return found


def read_problem(path: str | Path) -> Problem:
    """Read a problem: a problem file, or the problem of a schedule file."""
    found = read_network_or_problem(path)
    if isinstance(found, Network):
        raise InputError(f"{path}: this is a network alone; name a collective, too")
    return found


def read_network_or_problem(path: str | Path, form: str | None = None) -> Network | Problem:
    """Read whichever of the two a file holds; `form` names its format where it would not be recognized."""
    path = Path(path)
    asked = None if form is None else named_form(form)
    view = content(path)
    try:
        return _read(path, view) if asked is None else read_as(asked, path, view)
    except InputError as error:
        raise error if str(error).startswith(str(path)) else InputError(f"{path}: {error}") from None


def _read(path: Path, view: memoryview) -> Network | Problem:
    start = bytes(view[:4096]).lstrip()[:1]
    if start in (b"{", b"["):
        return _read_json(path, view)
    refuse_if_large(path, view)
    foreign = read_foreign(path, view)
    if foreign is not None:
        return foreign[0]
    form = recognized(view)
    if form is not None:
        return read_as(form, path, view)
    return read_graphml(path, view) if start == b"<" else read_text(path, view)


def _read_json(path: Path, view: memoryview) -> Network | Problem:
    refuse_if_nonsense(path, view)
    keys = decoded(view, Keys, path)
    if keys.format == SCHEDULE_FORMAT:
        return decoded(view, ScheduleFile, path).problem.problem()
    refuse_if_large(path, view)
    foreign = read_foreign(path, view)
    if foreign is not None:
        return foreign[0]
    if MSCCL.recognizes(view):
        return read_as(MSCCL, path, view)
    if keys.format == NETWORK_FORMAT:
        return decoded(view, NetworkFile, path).network()
    if keys.format is None and keys.network:
        return decoded(view, ProblemObject, path).problem()
    if keys.format is None and keys.nodes:
        return read_node_link(path, view)
    raise InputError(
        f"{path}: this JSON {keys.said}; known are {NETWORK_FORMAT}, {SCHEDULE_FORMAT}, a problem, and node-link JSON"
    )


def write_network(path: str | Path, network: Network) -> None:
    """Write a network file."""
    content: dict[str, Any] = {
        "format": NETWORK_FORMAT,
        "name": network.name,
        "routers": network.routers,
        "channels": network.channels.tolist(),
        "processors": network.router_of.tolist(),
    }
    if network.positions is not None:
        content["positions"] = network.positions.tolist()
    with replacing(path) as file:
        file.write(msgspec.json.encode(content) + b"\n")


def write_problem(path: str | Path, problem: Problem) -> None:
    """Write a problem file."""
    with replacing(path) as file:
        file.write(msgspec.json.encode(problem.to_dict()) + b"\n")

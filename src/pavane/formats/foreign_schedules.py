"""Schedules that others made, as a problem and a schedule, to be judged and shown like our own."""

from __future__ import annotations

from pathlib import Path

from pavane.errors import InputError
from pavane.formats.files import SCHEDULE_FORMAT, refuse_if_large
from pavane.formats.imports.opened import begins_with_element
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule

SCCL, MSCCL = "SCCL", "MSCCL"


def foreign_kind(path: str | Path, view: memoryview) -> str | None:
    """Return whose schedule a file holds; None for our own and for what is none."""
    if SCHEDULE_FORMAT.encode() in bytes(view[:4096]):
        return None
    start = bytes(view[:4096]).lstrip()[:1]
    if start == b"{":
        from pavane.formats.imports.msccl_topology import kind_of_json

        refuse_if_large(path, view)
        return SCCL if kind_of_json(view) == "algorithm" else None
    return MSCCL if start == b"<" and begins_with_element(view, "algo") else None


def read_foreign(path: Path, view: memoryview) -> tuple[Problem, Schedule, str] | None:
    """Read a schedule of others, and say whose it is; None where the file is no such thing."""
    kind = foreign_kind(path, view)
    if kind is None:
        return None
    try:
        if kind == SCCL:
            from pavane.formats.imports.sccl import read_sccl

            return *read_sccl(path, view), kind
        from pavane.formats.imports.msccl_xml import read_msccl_xml

        return *read_msccl_xml(path, view), kind
    except InputError as error:
        raise error if str(error).startswith(str(path)) else InputError(f"{path}: {error}") from None

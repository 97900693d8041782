"""A schedule in another program's format, as a text or as files."""

from __future__ import annotations

import difflib
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pavane.errors import InputError, shortened
from pavane.io.files import path_of, refuse_unwritable, replacing
from pavane.timing import read_size

if TYPE_CHECKING:
    from pavane.io.exports import Export, Options
    from pavane.judge.result import Result
MEANT = {
    **dict.fromkeys(("hardware", "noc", "rtl", "slots", "tdm", "verilog", "vhdl"), ("slot-tables",)),
    **dict.fromkeys(("c", "mpi", "python"), ("mpi-c", "mpi-python")),
    **dict.fromkeys(("gpu", "msccl", "nccl", "xml"), ("msccl-xml", "mscclpp")),
}
"""Words that users try, and the formats that they mean."""


def export(
    result: Result,
    to: str,
    path: str | Path | None = None,
    *,
    size: int | str | None = None,
    stem: str = "schedule",
) -> str | tuple[Path, ...]:
    """Return a schedule in another format, or write it and return the files; the function behind `Result.export`."""
    target = None if path is None else path_of(path)
    chosen = export_named(to).form_of(target)
    refuse_without_folder(chosen, target)
    contents = exported(result, chosen, size, stem)
    if target is None:
        (content,) = contents.values()
        return content.decode()
    return write_exported(chosen, contents, target)


def export_named(name: str) -> Export:
    """Return the export of a name; refuse unknown ones with similar names."""
    from pavane.io.exports import EXPORTS

    if not isinstance(name, str):
        raise InputError(f"`to` is {shortened(name)}; name a format: {', '.join(EXPORTS)}")
    key = name.strip().lower()
    if key not in EXPORTS:
        near = MEANT.get(key) or difflib.get_close_matches(key, EXPORTS, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"choose one of {', '.join(EXPORTS)}"
        raise InputError(f"there is no format {name!r}; {hint}")
    return EXPORTS[key]


def fitting_formats(what: Literal["render_network", "has_several", "has_times"]) -> str:
    """Return in words the formats that carry networks, several collectives at once, or start times."""
    from pavane.io.exports import EXPORTS

    names = [each.name for each in EXPORTS.values() if getattr(each, what)]
    return f"{', '.join(names[:-1])} or {names[-1]}"


def refuse_without_folder(chosen: Export, target: Path | None) -> None:
    """Refuse to write several files without a folder."""
    if chosen.num_files != 1 and target is None:
        raise InputError(f"{chosen.name} makes {chosen.files_text}; name a folder for them: `path=FOLDER`")


def export_options(chosen: Export, size: int | str | None, stem: str) -> Options:
    """Return the options of an export; refuse invalid sizes, and those that the format does not have."""
    from pavane.io.exports import Options

    about = Options(stem)
    if size is None:
        return about
    if not chosen.sized:
        raise InputError(f"{chosen.name} says nothing about sizes; leave `size` out")
    about = replace(about, size=read_size(str(size), "`size`"))
    if about.size < 1:
        raise InputError(f"`size` {size}: a message needs at least one byte")
    return about


def exported(result: Result, chosen: Export, size: int | str | None, stem: str = "schedule") -> dict[str, bytes]:
    """Return the files of an export by name; refuse schedules that the format does not support."""
    if result.figure is None:
        raise InputError(f"there is no schedule to write as {chosen.name}; the search found none")
    if result.problem.has_several and not chosen.has_several:
        raise InputError(
            f"{chosen.name} carries one collective, and this schedule has several collectives at once; choose "
            f"{fitting_formats('has_several')}"
        )
    if result.problem.has_times and not chosen.has_times:
        raise InputError(
            f"{chosen.name} carries steps, and this schedule has start times; choose {fitting_formats('has_times')}"
        )
    if result.problem.has_times and size is not None:
        raise InputError(f"`size` {size}: its messages have {result.problem.timing.num_bytes:,} bytes; leave it out")
    if result.table is not None:
        form = chosen.of_table(result)
        chosen, result = (chosen, result.expanded()) if form is None else (form, result)
    about, pieces = export_options(chosen, size, stem), max(one.pieces for one in result.problem.collectives)
    if chosen.sized and about.size < pieces:
        if size is not None:
            raise InputError(f"`size` {size}: a message in {pieces} pieces needs at least {pieces} bytes")
        about = replace(about, size=pieces)
    reason = chosen.refusal(result)
    if reason is not None:
        raise InputError(f"{chosen.name} cannot carry this schedule: {reason}")
    return chosen.write(result, about)


def write_exported(chosen: Export, contents: dict[str, bytes], output: Path) -> tuple[Path, ...]:
    """Write the one file to `output`, or all files into that folder; return the paths."""
    if chosen.num_files == 1 and not os.path.isdir(output):
        targets = {output: next(iter(contents.values()))}
    else:
        if os.path.exists(output) and not os.path.isdir(output):
            raise InputError(f"{output}: {chosen.name} makes {chosen.files_text}; name a folder, not a file")
        try:
            output.mkdir(exist_ok=True)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise InputError(f"{output}: the folder cannot be made: {reason}") from None
        targets = {output / name: content for name, content in contents.items()}
    for target in targets:
        refuse_unwritable(target)
    for target, content in targets.items():
        with replacing(target) as opened:
            opened.write(content)
    return tuple(targets)

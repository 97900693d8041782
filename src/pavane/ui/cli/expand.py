"""`pavane expand`: write a schedule out that a table gives."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pavane.errors import InputError
from pavane.io.files import open_file
from pavane.ui.cli import options
from pavane.ui.cli.inputs import read_result
from pavane.ui.cli.options import option
from pavane.ui.cli.outputs import refuse_output, write_result
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import answer, figures, report_lines


def command(
    file: Annotated[Path, options.argument("FILE", "A table file.")],
    output: Annotated[
        Path, option("-o --output FILE", "The schedule file (.json, .json.gz), page (.html) or picture to write.")
    ],
    as_json: options.JsonOption = False,
) -> None:
    """Write out the transfers of all routers that a table gives, judged again one by one."""
    from pavane.io.table_file import is_table

    refuse_output(output, as_json)
    if not is_table(open_file(file)):
        raise InputError(f"{file}: this is not a table file (pavane/table/1), so there is nothing to expand")
    with waited_for(f"writing {file} out"):
        result = read_result(file)
        write_result(output, result)
    answer(as_json, lambda: figures(result, output), lambda: report_lines(result, output), output)

"""Commands as typer classes: help in groups with examples, Python's names of options, and quick options.

The summaries and examples of all commands are in help.json, so that the help of the program imports no command.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from typer.core import TyperCommand, TyperGroup

TEXTS: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("help.json").read_text(encoding="utf-8"))
"""Summary and examples of each command, below the title of its group; subcommands have no group."""

SUMMARIES = {
    path.split()[-1]: texts["summary"] for title, group in TEXTS.items() if title for path, texts in group.items()
}
"""The first sentence of each command, in the order of the help."""

EXAMPLES = {path: texts["examples"] for group in TEXTS.values() for path, texts in group.items()}
"""Example calls and their effect, by command."""

OTHER_WORDS = {"--seconds": "--time", "--num-steps": "--steps"}
"""Names of options in Python that are accepted too; help shows one name for each."""

PLAIN = (str, int, float)
"""Types of values that need no conversion; what a user gives is text, so that numbers are defaults."""


class _Shared:
    """The common part of commands and groups of commands."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write examples at the end."""
        if ctx.command_path not in EXAMPLES:
            return
        with formatter.section("Examples"):
            for typed, effect in EXAMPLES[ctx.command_path]:
                indent = " " * formatter.current_indent
                formatter.write(f"{indent}{typed}\n{indent}    {effect}\n")

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters; they convert only what needs it."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            # Versions of typer without pydantic lack this attribute.
            if hasattr(parameter, "type_descriptor") and "process_value" not in vars(parameter):
                vars(parameter)["process_value"] = _quick_conversion(parameter)
        return parameters


class GroupedCommands(_Shared, TyperGroup):
    """The program, or a command that has subcommands: the help of the program lists its commands by topic."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands in groups, each with its whole first sentence."""
        names = self.list_commands(ctx)
        groups = {title: [path.split()[-1] for path in group] for title, group in TEXTS.items() if title}
        for title, members in (groups if ctx.parent is None else {"Commands": names}).items():
            shown = [(name, self.get_command(ctx, name)) for name in members if name in names]
            if shown:
                width = max(map(len, names))
                with formatter.section(title):
                    formatter.write_dl([(name.ljust(width), _summary(command)) for name, command in shown])


class GroupedOptions(_Shared, TyperCommand):
    """A command whose help lists its options by topic."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then a section for each group of options, then all others."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        others: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            if parameter.param_type_name == "argument":
                sections["Arguments"].append(record)
            else:
                title = getattr(parameter, "rich_help_panel", None)
                (others if title is None else sections.setdefault(title, [])).append(record)
        for title, records in (*sections.items(), ("Options" if len(sections) == 1 else "Other options", others)):
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def make_parser(self, ctx: Any) -> Any:
        """Return the parser of the options, which accepts Python's names of some of them, and suggests its own only."""
        parser: Any = super().make_parser(ctx)
        match = parser._match_long_opt

        def match_either_word(name: str, *rest: Any) -> None:
            own = OTHER_WORDS.get(name)
            match(own if own in parser._long_opt else name, *rest)

        parser._match_long_opt = match_either_word
        return parser


def _summary(command: Any) -> str:
    """Return the first paragraph of the help of a command, in one line."""
    return " ".join((command.help or "").strip().split("\n\n")[0].split())


def _quick_conversion(parameter: Any) -> Callable[[Any, Any], Any]:
    """Return a parameter's `process_value` that leaves values alone which need no conversion.

    typer converts every option with pydantic, whether it was given or not, and importing that takes a tenth of a second
    and more.
    """
    convert, kind = parameter.process_value, parameter.type_descriptor.annotation

    def process(context: Any, value: Any) -> Any:
        if value is None and not parameter.required:
            value = () if parameter.multiple or parameter.nargs == -1 else None
        elif not (kind in PLAIN and type(value) is kind):
            return convert(context, value)
        return value if parameter.callback is None else parameter.callback(context, parameter, value)

    return process

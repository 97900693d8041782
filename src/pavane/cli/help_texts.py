"""Help of commands: commands and options in groups, summaries whole, and three examples at the end."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

GROUPS = {
    "Find and prove": ("solve", "bounds", "verify"),
    "Look and hand over": ("show", "export", "serve"),
    "What a schedule takes": ("time", "run", "simulate"),
    "Broken links": ("faults", "repair"),
    "Many problems": ("study", "paper", "atlas"),
    "What there is": ("networks", "solvers", "warm-up"),
}
"""The commands by what they are for; those that are not named here stand at the end."""

OTHERS = "Around a search"

EXAMPLES = {
    "pavane": (
        ("pavane solve octagon alltoall", "find a schedule, and prove how good it is"),
        ("pavane solve mynet.txt allgather -o s.json", "for the links in a file; keep the schedule"),
        ("pavane show s.json -o s.html", "make a page that plays it"),
    ),
    "pavane solve": (
        ("pavane solve octagon alltoall", "the catalogue's octagon; MPI's name of AAS"),
        ("pavane solve mesh:4x4 scatter --root 5 --ports 1", "from processor 5, one port each"),
        ("pavane solve mynet.txt allgather --time 2m -o s.json", "two minutes at most; keep the schedule"),
    ),
    "pavane show": (
        ("pavane show s.json", "the paths of each step, and who gets what when"),
        ("pavane show s.json -o s.html", "a page that plays the schedule"),
        ("pavane show octagon -o octagon.svg", "a drawing of a network"),
    ),
    "pavane export": (
        ("pavane export s.json --to csv -o s.csv", "a row per transfer"),
        ("pavane export s.json --to mpi-c -o s.c", "a function for an MPI program"),
        ("pavane export octagon --to booksim -o octagon.anynet", "a network"),
    ),
    "pavane networks": (
        ("pavane networks", "the catalogue"),
        ("pavane networks kautz:3,2 mynet.txt", "the figures of two networks"),
        ("pavane networks octagon -o octagon.json", "write a network file, to edit it"),
    ),
}
"""What to type, and what comes of it, by the command that is asked for help."""


class GroupedCommands(TyperGroup):
    """The program, or a command that has others: its help lists them by what they are for."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands in groups, each with its whole first sentence."""
        left = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        groups = GROUPS if any(name in left for names in GROUPS.values() for name in names) else {}
        width = max(map(len, left), default=0)
        sections = [(title, [name for name in names if name in left]) for title, names in groups.items()]
        named = {name for _, names in sections for name in names}
        sections.append((OTHERS if groups else "Commands", [name for name in left if name not in named]))
        for title, names in sections:
            if names:
                with formatter.section(title):
                    formatter.write_dl([(name.ljust(width), _summary(left[name])) for name in names])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write examples at the end."""
        _write_examples(ctx, formatter)


class GroupedOptions(TyperCommand):
    """A command whose help lists its options by what they are about."""

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

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write examples at the end."""
        _write_examples(ctx, formatter)


def _summary(command: Any) -> str:
    """Return the first sentence of what a command does, whole."""
    return " ".join((command.help or "").strip().split("\n\n")[0].split())


def _write_examples(ctx: Any, formatter: Any) -> None:
    examples = EXAMPLES.get(ctx.command_path, ())
    if examples:
        with formatter.section("Examples"):
            for typed, what in examples:
                formatter.write(
                    f"{'':>{formatter.current_indent}}{typed}\n{'':>{formatter.current_indent + 4}}{what}\n"
                )

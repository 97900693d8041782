"""Texts of the library in the words of the command line: parameters in backticks become flags."""

from __future__ import annotations

from dataclasses import fields

from pavane.errors import reworded
from pavane.io.request import Request

ARGUMENTS = ("network", "collective")
"""Parameters without a flag; help shows them in capitals."""

COMMANDS = {
    "pavane.networks.FAMILIES": "`pavane networks`",
    "pavane.solvers.SOLVERS": "`pavane solvers`",
    "pavane.study": "`pavane study -o`",
    "pavane.write_schedule": "`pavane solve -o FILE`",
    "Network.channels": "`pavane show`",
    "Result.export": "`pavane export`",
}
"""The commands for names of Python."""

FLAGS = {
    **{field.name: f"--{field.name.replace('_', '-')}" for field in fields(Request)},
    **{name: name.upper() for name in ARGUMENTS},
    "form": "--from",
    "cluster": "--cluster",
    "collectives": "--collectives",
    "evaluations": "--evaluations",
    "message_bytes": "--bytes",
    "method": "--method",
    "num_steps": "--steps",
    "on": "--on",
    "path": "-o",
    "seconds": "--time",
    "seed": "--seed",
    "settings": "--set",
    "size": "--bytes",
    "timeout": "--timeout",
    "workers": "--workers",
    "wrap": "--wrap",
}


def with_flags(text: str) -> str:
    """Return an error or a note in the words of the command line."""
    return reworded(text, {**FLAGS, **COMMANDS})


def with_commands(text: str) -> str:
    """Return a help text in the words of the command line; a parameter's name in it stays as it is."""
    return reworded(text, COMMANDS)

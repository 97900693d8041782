"""The command line's own words for what texts of the library name in backticks: parameters become flags."""

from __future__ import annotations

from dataclasses import fields

from pavane.errors import reworded
from pavane.io.request import Request

ARGUMENTS = ("network", "collective")
"""What stands on the command line without a flag; its name is in capitals there."""

COMMANDS = {
    "pavane.networks.FAMILIES": "`pavane networks`",
    "pavane.solvers.SOLVERS": "`pavane solvers`",
    "pavane.study": "`pavane study -o`",
    "pavane.write_schedule": "`pavane solve -o FILE`",
    "Network.channels": "`pavane show`",
    "Result.export": "`pavane export`",
}
"""The commands that say what a name of Python says."""

FLAGS = {
    **{field.name: f"--{field.name}" for field in fields(Request)},
    **{name: name.upper() for name in ARGUMENTS},
    "faults": "--fault",
    "form": "--from",
    "cluster": "--cluster",
    "collectives": "--collectives",
    "device": "--device",
    "evaluations": "--evaluations",
    "message_bytes": "--bytes",
    "method": "--method",
    "num_steps": "--steps",
    "on": "--on",
    "path": "-o",
    "resume": "--resume",
    "seconds": "--time",
    "seed": "--seed",
    "settings": "--set",
    "size": "--bytes",
    "speed": "--speed",
    "timeout": "--timeout",
    "workers": "--workers",
}


def with_flags(text: str) -> str:
    """Return an error or a note in the words of the command line."""
    return reworded(text, {**FLAGS, **COMMANDS})


def with_commands(text: str) -> str:
    """Return a help text in the words of the command line; a parameter's name in it stays as it is."""
    return reworded(text, COMMANDS)

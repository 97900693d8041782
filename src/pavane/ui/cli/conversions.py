"""Spares options their conversion where there is nothing to convert.

typer converts every option with pydantic, whether it was given or not, and a tenth of a second and more goes by until
that is imported and knows all options. What is left out, and what is text and is to be text, is passed on as it is.
"""

from __future__ import annotations

from typing import Any

PLAIN = (str, int, float)
"""What an option may be as it stands; what a user gives is text, so numbers are defaults."""


def spare_conversions(programme: Any) -> None:
    """Let a group of commands, as typer makes it, convert only what is not yet what it is to be."""
    vars(programme)["get_params"] = _Parameters(programme)
    for command in getattr(programme, "commands", {}).values():
        spare_conversions(command)


class _Parameters:
    """The parameters of a command, the one that shows its help among them."""

    def __init__(self, command: Any) -> None:
        self.listed = command.get_params

    def __call__(self, context: Any) -> list[Any]:
        parameters: list[Any] = self.listed(context)
        for parameter in parameters:
            # Older versions of typer do without pydantic, and without this attribute.
            if hasattr(parameter, "type_descriptor") and "process_value" not in vars(parameter):
                vars(parameter)["process_value"] = _Sparing(parameter)
        return parameters


class _Sparing:
    """How the value of a parameter is processed."""

    def __init__(self, parameter: Any) -> None:
        self.parameter, self.process = parameter, parameter.process_value
        self.kind = parameter.type_descriptor.annotation

    def __call__(self, context: Any, value: Any) -> Any:
        """Return the value as it is, if it can stay so, or what typer makes of it."""
        parameter = self.parameter
        if value is None and not parameter.required:
            value = () if parameter.multiple or parameter.nargs == -1 else None
        elif not (self.kind in PLAIN and type(value) is self.kind):
            return self.process(context, value)
        return value if parameter.callback is None else parameter.callback(context, parameter, value)

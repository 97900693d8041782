"""A form: a format that others write and networks are read from."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from pavane.model.network import Network


@dataclass(frozen=True)
class Form:
    """A format by its name; the module that recognizes and reads it is imported when it is asked."""

    name: str
    """What --from calls it."""
    about: str
    """What it is, and what becomes routers, processors and channels, in one sentence."""
    module: str

    def recognizes(self, view: memoryview) -> bool:
        """Tell whether a file is in this format; never raises."""
        return bool(import_module(f"pavane.formats.imports.{self.module}").recognizes(view))

    def read(self, path: Path, view: memoryview) -> Network:
        """Make the network; InputError says what is wrong, where, and how to mend it."""
        made: Network = import_module(f"pavane.formats.imports.{self.module}").read(path, view)
        return made

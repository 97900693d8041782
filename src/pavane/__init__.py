"""Synthesizes conflict-free schedules of collective communications for any interconnection network.

import pavane

network = pavane.network("kautz:3,2")
result = pavane.solve(pavane.Problem(network, "alltoall"))
print(result.num_steps, result.status)
result.save("schedule.json")
"""

from __future__ import annotations

import re as _re
from importlib import import_module as _import_module
from pathlib import Path as _Path
from typing import Any as _Any

from pavane.text import VERSION as _VERSION

__version__ = _VERSION


def _homes() -> dict[str, str]:
    """Return the module of every public name, as the stub beside this file lists them.

    A module is imported when its name is first used, so that `import pavane` is quick.
    """
    stub = _Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    return {name: home for home, name in _re.findall(r"^from (\S+) import \w+ as (\w+)$", stub, _re.MULTILINE)}


_HOME_OF = _homes()

_ROOMS = ("exports", "networks", "notebook", "plot", "solvers")
"""Packages that `import pavane` is enough for, like `pavane.networks.FAMILIES`."""

__all__ = ["__version__", *(name for name in _HOME_OF if name not in _ROOMS)]


def __getattr__(name: str) -> _Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOME_OF[name]
    found = _import_module(f"{home}.{name}") if name in _ROOMS else getattr(_import_module(home), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__, *_ROOMS})

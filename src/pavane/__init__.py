"""Synthesizes conflict-free schedules of collective communications for any interconnection network.

import pavane

network = pavane.network("kautz:3,2")
problem = pavane.Problem(network, pavane.alltoall(network))
result = pavane.synthesize(problem)
print(result.num_steps, result.status)
pavane.write_schedule("schedule.json", result)
"""

from __future__ import annotations

import ast as _ast
from importlib import import_module as _import_module
from pathlib import Path as _Path
from typing import Any as _Any

from pavane.words import VERSION as _VERSION

__version__ = _VERSION


def _homes() -> dict[str, str]:
    """Return the module of every public name, as the stub beside this file lists them.

    What is asked for is imported then: `import pavane` takes no longer than a small problem needs.
    """
    stub = _ast.parse(_Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, _ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


_HOME_OF = _homes()

__all__ = ["__version__", *_HOME_OF]


def __getattr__(name: str) -> _Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(_import_module(_HOME_OF[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})

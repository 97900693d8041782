"""Hot loops on plain arrays; they know no other part of pavane.

Each kernel is plain Python on numpy arrays. `compiled` turns it into machine code with numba, which takes seconds to
import, so small problems run the kernel as it is.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

F = TypeVar("F", bound=Callable[..., object])


@cache
def compiled(kernel: F) -> F:
    """Return the machine code of a kernel, cached on disk where that is possible."""
    folder = Path(__file__).parent
    if "NUMBA_CACHE_DIR" not in os.environ and not os.access(folder, os.W_OK):
        # numba refuses to import a cached function when it finds no place to write to.
        os.environ["NUMBA_CACHE_DIR"] = str(Path(tempfile.gettempdir()) / f"pavane-numba-{os.getuid()}")
    import numba

    return cast(F, numba.njit(cache=True, nogil=True)(kernel))

"""The folder of cached machine code, which only this user can write to.

numba's cache is pickled, so a user that can write to it can run code as any user that reads it. Folders in places where
anyone can create one, such as the system's folder of temporary files, are therefore never found by name.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import stat
import sys
import tempfile
from functools import cache
from pathlib import Path

INHERITED = "PAVANE_TEMPORARY_CACHE"
"""The variable with the temporary folder of this process, so that its children use it, too."""


KERNEL_FOLDERS = ("jit", "*/kernels", "*/*/kernels")
"""Where kernels are, below the package."""


def kernel_cache() -> Path | None:
    """Return a folder for the machine code of the kernels as they are now; None if no folder is safe.

    `NUMBA_CACHE_DIR` takes precedence. Otherwise the folder is beside the kernels, in the user's cache, or a temporary
    one that is removed with this process.
    """
    here = Path(__file__).parent
    name = f"kernels-{_digest(here.parent)}"
    if "NUMBA_CACHE_DIR" in os.environ:
        return Path(os.environ["NUMBA_CACHE_DIR"]) / name
    return _beside(here, name) or _in_users_cache(name) or _inherited(name) or _temporary(name)


@cache
def _digest(package: Path) -> str:
    """Return a fingerprint of the sources of all kernels, and of what compiles them."""
    found = hashlib.sha256()
    for path in sorted(path for folder in KERNEL_FOLDERS for path in package.glob(f"{folder}/*.py")):
        found.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()[:16]


def _beside(kernels: Path, name: str) -> Path | None:
    """Return a folder beside the kernels, where their sources are this user's own."""
    if not hasattr(os, "geteuid") or not _is_private(kernels):
        return None  # without owners of folders, nothing is known about the package's folder either
    compiled_by_python = kernels / "__pycache__"
    try:
        compiled_by_python.mkdir(exist_ok=True)
    except OSError:
        return None
    return _made_private(compiled_by_python / name) if _is_private(compiled_by_python) else None


def _in_users_cache(name: str) -> Path | None:
    try:
        above = _users_cache() / "pavane"
        above.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # there is no home, or nothing can be made in it
        return None
    return _made_private(above / name) if _made_private(above) else None


def _users_cache() -> Path:
    """Return the folder that the system has for caches of programs."""
    chosen = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    if os.path.isabs(chosen):  # the XDG specification ignores relative ones
        return Path(chosen)
    usual = {"win32": ("AppData", "Local"), "darwin": ("Library", "Caches")}
    return Path.home().joinpath(*usual.get(sys.platform, (".cache",)))


def _inherited(name: str) -> Path | None:
    folder = os.environ.get(INHERITED)
    return _made_private(Path(folder) / name) if folder and _is_private(Path(folder)) else None


def _temporary(name: str) -> Path | None:
    """Return a new folder of unpredictable name, for this process and its children."""
    try:
        fresh = tempfile.mkdtemp(prefix="pavane-kernels-")
    except OSError:
        return None
    os.environ[INHERITED] = fresh
    atexit.register(_remove, fresh, os.getpid())
    return _made_private(Path(fresh) / name)


def _remove(folder: str, maker: int) -> None:
    if os.getpid() == maker:  # and not in a child that was forked
        shutil.rmtree(folder, ignore_errors=True)


def _made_private(folder: Path) -> Path | None:
    """Return a folder, made if need be, if it is private."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        return None
    return folder if _is_private(folder) else None


def _is_private(folder: Path) -> bool:
    """Whether this user owns a folder and is the only one that can write to it; links do not count."""
    try:
        about = os.lstat(folder)
    except OSError:
        return False
    if not stat.S_ISDIR(about.st_mode) or not os.access(folder, os.W_OK | os.X_OK):
        return False
    if not hasattr(os, "geteuid"):
        return True  # in the user's profile, which the system protects
    return about.st_uid == os.geteuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)

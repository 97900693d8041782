"""The folder in which machine code is kept: one that nobody but this user can write to.

What numba keeps is pickled, so whoever can write there can run code as whoever reads it. Folders in places where anyone
may make one, as in the system's folder of temporary files, are therefore never guessed by name.
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

HANDED_DOWN = "PAVANE_TEMPORARY_CACHE"
"""Names the temporary folder of this process in its environment, so that its children use it, too."""


KERNEL_FOLDERS = ("jit", "*/kernels", "*/*/kernels")
"""Where kernels are, below the package."""


def kernel_cache() -> Path | None:
    """Return a folder for the machine code of the kernels as they are now; None where no folder is safe.

    `NUMBA_CACHE_DIR` is the user's own choice. Else it is kept beside the kernels, or in the user's cache, or for as
    long as this process lives.
    """
    here = Path(__file__).parent
    name = f"kernels-{_digest(here.parent)}"
    if "NUMBA_CACHE_DIR" in os.environ:
        return Path(os.environ["NUMBA_CACHE_DIR"]) / name
    return _beside(here, name) or _in_users_cache(name) or _handed_down(name) or _temporary(name)


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
        return None  # a system that does not tell whose a folder is says nothing about the package's either
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
    """Return where the system wants programs to keep what they can make again."""
    said = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    if os.path.isabs(said):  # the XDG specification has relative ones ignored
        return Path(said)
    usual = {"win32": ("AppData", "Local"), "darwin": ("Library", "Caches")}
    return Path.home().joinpath(*usual.get(sys.platform, (".cache",)))


def _handed_down(name: str) -> Path | None:
    said = os.environ.get(HANDED_DOWN)
    return _made_private(Path(said) / name) if said and _is_private(Path(said)) else None


def _temporary(name: str) -> Path | None:
    """Return a folder that no one could know of before, for this process and its children."""
    try:
        fresh = tempfile.mkdtemp(prefix="pavane-kernels-")
    except OSError:
        return None
    os.environ[HANDED_DOWN] = fresh
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
    """Tell whether this user owns a folder and can write to it, and nobody else can; a link to one is none."""
    try:
        about = os.lstat(folder)
    except OSError:
        return False
    if not stat.S_ISDIR(about.st_mode) or not os.access(folder, os.W_OK | os.X_OK):
        return False
    if not hasattr(os, "geteuid"):
        return True  # in the user's profile, which the system keeps from others
    return about.st_uid == os.geteuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)

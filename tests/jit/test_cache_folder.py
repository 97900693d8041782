"""Machine code is kept where nobody but this user can write."""

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from pavane.jit import cache_folder
from pavane.jit.cache_folder import INHERITED, kernel_cache


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the kernels lie in a folder of others, and home and temporary files in folders of this test."""
    kernels, home, temporary = tmp_path / "package" / "kernels", tmp_path / "home", tmp_path / "tmp"
    for folder in (kernels, home, temporary):
        folder.mkdir(parents=True)
    kernels.chmod(0o777)
    monkeypatch.setattr(cache_folder, "__file__", str(kernels / "cache_folder.py"))
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", INHERITED):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setattr(sys, "platform", "linux")
    return home


def is_private(folder: Path) -> bool:
    """Tell whether only its owner can do anything there."""
    return stat.S_IMODE(folder.stat().st_mode) == 0o700


def is_temporary(folder: Path | None, home: Path) -> bool:
    """Tell whether a folder is a fresh one among temporary files."""
    return folder is not None and is_private(folder.parent) and folder.parent.parent == home.parent / "tmp"


def test_the_users_cache_is_used(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the package's folder is none, the folder is the user's cache of the platform, and private."""
    folder = kernel_cache()
    assert folder is not None
    assert folder.parent == home / ".cache" / "pavane"
    assert is_private(folder)
    assert is_private(folder.parent)
    assert kernel_cache() == folder
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "elsewhere"))
    other = kernel_cache()
    assert other is not None
    assert other.parent == home / "elsewhere" / "pavane"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert kernel_cache() == folder


def test_the_package_is_used_where_it_is_safe(home: Path) -> None:
    """Machine code is kept beside the kernels where they are the user's own and nobody else can write there."""
    kernels = home.parent / "package" / "kernels"
    kernels.chmod(0o755)
    folder = kernel_cache()
    assert folder is not None
    assert folder.parent == kernels / "__pycache__"
    (kernels / "__pycache__").chmod(0o775)
    other = kernel_cache()
    assert other is not None
    assert home in other.parents


def test_what_the_user_names_is_used(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that the user chose is not judged."""
    home.chmod(0o777)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(home))
    folder = kernel_cache()
    assert folder is not None
    assert folder.parent == home


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
@pytest.mark.parametrize("name", ["pavane", "pavane/{kernels}"])
def test_a_folder_that_others_can_write_to_is_not_used(home: Path, mode: int, name: str) -> None:
    """Neither the folder nor the one above it may be open to others."""
    good = kernel_cache()
    assert good is not None
    planted = home / ".cache" / name.format(kernels=good.name)
    planted.chmod(mode)
    assert is_temporary(kernel_cache(), home)


def test_a_link_is_not_used(home: Path) -> None:
    """A link in place of the folder leads to whatever its maker wants."""
    (home / "theirs").mkdir(mode=0o700)
    (home / ".cache").mkdir()
    (home / ".cache" / "pavane").symlink_to(home / "theirs")
    assert is_temporary(kernel_cache(), home)
    assert not list((home / "theirs").iterdir())


def test_a_folder_of_someone_else_is_not_used(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder is used by its owner alone."""
    (home / ".cache" / "pavane").mkdir(parents=True, mode=0o700)
    seen = os.lstat

    def of_someone_else(path: str | Path) -> os.stat_result:
        about = seen(path)
        theirs = str(path).startswith(str(home))
        return os.stat_result((*about[:4], about.st_uid + 1, *about[5:])) if theirs else about

    monkeypatch.setattr(os, "lstat", of_someone_else)
    assert is_temporary(kernel_cache(), home)


def test_a_planted_temporary_folder_is_not_used(home: Path) -> None:
    """A temporary folder has a name that could not be known, whatever lies among temporary files."""
    planted = home.parent / "tmp" / f"pavane-numba-{os.geteuid()}"
    planted.mkdir()
    (home / ".cache").write_text("no folder")
    folder = kernel_cache()
    assert is_temporary(folder, home)
    assert folder is not None
    assert planted not in folder.parents


def test_one_process_has_one_temporary_folder_and_hands_it_down(home: Path) -> None:
    """Kernels of one process and of its children share a folder, also where it is temporary; it goes with it."""
    script = """
from pavane.jit import cache_folder
from pavane.parallel.pools import local_pool
from tests.jit.test_cache_folder import told_folder
cache_folder._beside = cache_folder._in_users_cache = lambda *_: None
with local_pool(2, None) as pool:
    print(*sorted({folder for _, folder in pool.results(told_folder, [(), (), ()])}))
print(cache_folder.kernel_cache())
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "TMPDIR": str(home.parent / "tmp"), "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    children, own = done.stdout.splitlines()
    assert children == own
    assert not list((home.parent / "tmp").iterdir())


def told_folder(*_: object) -> str:
    """Return the folder that a worker uses."""
    return str(kernel_cache())


def test_where_nothing_can_be_made_there_is_none(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a home and without temporary files nothing is kept."""

    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.setattr(tempfile, "tempdir", str(home / "nowhere"))
    assert kernel_cache() is None


def test_systems_that_do_not_tell_owners_use_the_profile(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows, where no one has a number, machine code is kept in the user's local data."""
    monkeypatch.delattr(os, "geteuid")
    monkeypatch.delattr(os, "getuid")
    monkeypatch.setattr(sys, "platform", "win32")
    (home.parent / "package" / "kernels").chmod(0o755)
    monkeypatch.setenv("LOCALAPPDATA", str(home / "local"))
    folder = kernel_cache()
    assert folder is not None
    assert folder.parent == home / "local" / "pavane"

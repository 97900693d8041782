"""Opening and writing files: nothing is lost, nothing hangs, nothing large is swallowed."""

from __future__ import annotations

import gzip
import os
import re
import stat
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from pavane.errors import InputError
from pavane.io import files, read_network_or_problem, read_schedule, write_network
from pavane.io.files import open_file, refuse_unwritable, replacing
from pavane.networks import ring
from tests.io.permissions import closed


def refused(act: Callable[[], object], text: str) -> None:
    """Expect one line with a text."""
    with pytest.raises(InputError, match=re.escape(text)) as caught:
        act()
    assert "\n" not in str(caught.value)


# -- reading


@pytest.mark.parametrize("read", [open_file, read_network_or_problem, read_schedule])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("no.json", "{path}: cannot be read: no such file or directory"),
        ("empty", "{path}: the file is empty"),
        (".", "{path}: it is a directory; name a file"),
        # Opening a pipe nobody writes to would never end.
        ("pipe", "{path}: it is not a regular file; name a file"),
        ("a" * 300, "cannot be read: file name too long"),
        ("empty/n.json", "cannot be read: not a directory"),
        ("folder/n.json", "{path}: cannot be read: permission denied"),
    ],
)
def test_what_cannot_be_opened_is_refused(read: Callable[[Path], object], name: str, text: str, tmp_path: Path) -> None:
    """The text names the file and says what it is, or what the system says."""
    (tmp_path / "empty").touch()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "n.json").write_text("0 1")
    with closed(tmp_path / "folder") if name.startswith("folder") else nullcontext():
        refused(lambda: read(tmp_path / name), text.format(path=tmp_path / name))


def test_the_system_may_refuse_to_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system says is passed on, for root as well."""
    (tmp_path / "n.json").write_text("0 1")

    def denied(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", denied)
    with pytest.raises(InputError, match=r"n\.json: cannot be read: permission denied"):
        open_file(tmp_path / "n.json")


def test_large_files_are_mapped_and_read_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a file is read or mapped says nothing about what it holds."""
    path = tmp_path / "n.json"
    write_network(path, ring(8))
    small = read_network_or_problem(path)
    monkeypatch.setattr(files, "MAPPED_BYTES", 10)
    assert read_network_or_problem(path) == small


@pytest.mark.parametrize(
    "start", ["0 1\n", "<graphml>", '{"format": "pavane/network/1", ', '{"nodes": [', "[", "{"], ids=repr
)
def test_networks_beyond_a_limit_are_refused_by_size(
    start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No network needs so many bytes, so they are not looked at."""
    monkeypatch.setattr(files, "MOST_NETWORK_BYTES", 4 * 2**20)
    path = tmp_path / "large"
    path.write_text(start)
    os.truncate(path, 5 * 2**20)
    refused(
        lambda: read_network_or_problem(path),
        f"{path}: 5 MiB are too many for a network or problem; at most 4 MiB are read",
    )


def test_a_large_file_that_begins_like_a_schedule_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Schedules may be as large as they like; other files of that size are refused unread."""
    monkeypatch.setattr(files, "MOST_NETWORK_BYTES", 2**20)
    path = tmp_path / "large"
    path.write_text('{"format": "pavane/schedule/1", ')
    os.truncate(path, 2 * 2**20)
    refused(lambda: read_schedule(path), "malformed")
    path.write_text('{"format": "something else", ')
    os.truncate(path, 2 * 2**20)
    refused(lambda: read_schedule(path), "2 MiB are too many")


def test_packed_files_are_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that gzip has packed is what it was before, named without .gz; cut or large ones are refused."""
    packed = tmp_path / "net.txt.gz"
    packed.write_bytes(gzip.compress(b"0 1\n1 2\n"))
    assert read_network_or_problem(packed).name == "net"  # type: ignore[union-attr]
    content = packed.read_bytes()
    packed.write_bytes(content[:-5])
    refused(lambda: open_file(packed), f"{packed}: it is packed (gzip) and cannot be unpacked: ")
    packed.write_bytes(content[:12] + b"\xff\xff" + content[14:])
    refused(lambda: open_file(packed), f"{packed}: it is packed (gzip) and cannot be unpacked: ")
    packed.write_bytes(gzip.compress(bytes(2 * 2**20)))
    monkeypatch.setattr(files, "MOST_UNPACKED_BYTES", 2**20)
    refused(lambda: open_file(packed), f"{packed}: it unpacks to more than 1 MiB; unpack it with gunzip")


# -- writing


def test_a_file_appears_when_all_is_written(tmp_path: Path) -> None:
    """Until then the old one stands, to which a link may point; a new one is as readable as the user's other files."""
    path, link = tmp_path / ("a" * 250), tmp_path / "link"
    path.write_text("old")
    link.symlink_to(path)
    with replacing(link) as file:
        file.write(b"new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert link.is_symlink()
    with replacing(tmp_path / "f") as file:
        file.write(b"x")
    assert sorted(tmp_path.iterdir()) == [path, tmp_path / "f", link]
    (tmp_path / "other").touch()
    assert (tmp_path / "f").stat().st_mode == (tmp_path / "other").stat().st_mode


@pytest.mark.parametrize("error", [RuntimeError(), KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_a_failure_in_the_middle_leaves_the_old_file(error: BaseException, tmp_path: Path) -> None:
    """Neither half a file nor a temporary one is left behind; what the system says is passed on."""
    path = tmp_path / "f"
    path.write_text("old")

    def act() -> None:
        with replacing(path) as file:
            file.write(b"half")
            raise error

    if isinstance(error, OSError):
        refused(act, f"{path}: cannot be written: no space left on device")
    else:
        with pytest.raises(type(error)):
            act()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_written_is_known_before(tmp_path: Path) -> None:
    """Directories, missing directories and devices are refused before any work."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").touch()
    refused(lambda: refuse_unwritable(tmp_path), f"{tmp_path}: it is a directory; name a file")
    refused(
        lambda: refuse_unwritable(tmp_path / "no" / "f"),
        f"{tmp_path}/no/f: cannot be written: there is no directory {tmp_path}/no",
    )
    refused(lambda: refuse_unwritable(tmp_path / "file" / "f"), f"there is no directory {tmp_path}/file")
    refused(lambda: refuse_unwritable(tmp_path / "pipe"), f"{tmp_path}/pipe: it is not a regular file; name a file")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_closed_directory_is_known_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file appears by being renamed, so its directory must be open to the user."""
    (tmp_path / "folder").mkdir()
    with closed(tmp_path / "folder"):
        refused(lambda: refuse_unwritable(tmp_path / "folder" / "f"), "f: cannot be written: ")
    monkeypatch.setattr(os, "access", lambda *_: False)
    refused(lambda: refuse_unwritable(tmp_path / "f"), f"f: cannot be written: no permission in directory {tmp_path}")

"""Files of finished work: one process writes them at a time, and what a crash cut off is removed under the lock."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from pavane.errors import InputError
from pavane.parallel.finished_lines import FinishedLines, read_lines
from tests.parallel.clusters import environment, wait_until
from tests.ui.cli.calls import Call


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Call the command line."""
    return Call(capsys)


class Word(msgspec.Struct):
    """A line of one word."""

    word: str


def _opened(path: Path, notes: list[str] | None = None) -> FinishedLines[Word]:
    said: list[str] = [] if notes is None else notes
    return FinishedLines(path, Word, "word", said.append)


def _words(lines: list[Word]) -> list[str]:
    return [line.word for line in lines]


def test_lines_are_kept_and_read_again(tmp_path: Path) -> None:
    """Old ones come first; a folder is made where there is none."""
    path = tmp_path / "new" / "words.jsonl"
    with _opened(path) as kept:
        kept.add(Word("one"))
    with _opened(path) as kept:
        kept.add(Word("two"))
        assert _words(kept.lines) == ["one", "two"]
    assert _words(read_lines(path, Word, "word")) == ["one", "two"]


def test_a_second_writer_is_refused_and_a_reader_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line; when the first is done, the second may go on."""
    monkeypatch.setattr("pavane.parallel.finished_lines.LOCK_SECONDS", 0.1)
    path = tmp_path / "words.jsonl"
    with _opened(path) as kept:
        kept.add(Word("one"))
        with pytest.raises(InputError, match=r"words.jsonl: another process writes words there now; wait for it, or "):
            _opened(path)
        assert _words(read_lines(path, Word, "word")) == ["one"]
    with _opened(path) as kept:
        assert _words(kept.lines) == ["one"]


def test_a_torn_line_is_cut_by_who_holds_the_lock_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What looks torn may be a line that somebody is writing: nobody but the writer touches it."""
    monkeypatch.setattr("pavane.parallel.finished_lines.LOCK_SECONDS", 0.1)
    path = tmp_path / "words.jsonl"
    path.write_bytes(b'{"word":"one"}\n{"wo')
    with open(path, "ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="another process"):
            _opened(path)
        assert _words(read_lines(path, Word, "word")) == ["one"]
        assert path.read_bytes().endswith(b'{"wo')
    notes: list[str] = []
    with _opened(path, notes):
        assert path.read_bytes() == b'{"word":"one"}\n'
    assert notes == [f"{path}: its last line was cut off and is ignored; that word is made again"]


def test_the_lock_goes_with_its_process(tmp_path: Path) -> None:
    """Who was killed keeps nobody out."""
    path = tmp_path / "words.jsonl"
    code = (
        "import sys, time; from pathlib import Path; from tests.parallel.test_finished_lines import *\n"
        "kept = FinishedLines(Path(sys.argv[1]), Word, 'word', print); kept.add(Word('one')); time.sleep(600)"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(path)], env=environment())
    try:
        wait_until(lambda: path.exists() and path.read_bytes().endswith(b"\n"), "a line")
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    with _opened(path) as kept:
        assert _words(kept.lines) == ["one"]


def test_without_locks_lines_are_kept_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some disks have no locks, and some systems."""

    def no_lock(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    path = tmp_path / "words.jsonl"
    with monkeypatch.context() as disk:
        disk.setattr(fcntl, "flock", no_lock)
        with _opened(path) as kept:
            kept.add(Word("one"))
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with _opened(path) as kept:
        kept.add(Word("two"))
    assert _words(read_lines(path, Word, "word")) == ["one", "two"]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """In one line."""
    with pytest.raises(InputError, match=r"none\.jsonl: cannot be read: no such file or directory$"):
        read_lines(tmp_path / "none.jsonl", Word, "word")


@pytest.mark.parametrize(
    "command", [("study", "ring:4", "aas", "--method", "greedy", "--seeds", "1"), ("faults", "ring:4", "aas")]
)
def test_a_second_command_on_a_file_is_refused(
    call: Call, tmp_path: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line, and exit code 2."""
    monkeypatch.setattr("pavane.parallel.finished_lines.LOCK_SECONDS", 0.1)
    file = tmp_path / "runs.jsonl"
    with open(file, "ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert call(*command, "-o", file).is_refusal("runs.jsonl: another process writes")
    assert call(*command, "-o", file).code == 0

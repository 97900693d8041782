"""The payloads of messages."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from pavane.execution import mpi_worker
from pavane.execution.jobs import job
from pavane.execution.mpi_worker import payload, summed
from tests.execution.small import need_mpi, triangle


def test_payloads_depend_on_everything() -> None:
    """The bytes of a message follow from origin, target, repeat number and position, and nothing else."""
    made = {(o, t, r): payload(o, t, r, 64).tobytes() for o, t, r in product(range(4), range(-1, 4), range(3))}
    assert len(set(made.values())) == len(made)
    assert made[1, 2, 0] == payload(1, 2, 0, 64).tobytes()
    assert payload(1, 2, 0, 13).tobytes() == made[1, 2, 0][:13]
    words = payload(1, 2, 0, 8 * 1000).view(np.uint64)
    assert len(set(words.tolist())) == 1000


def test_pieces_are_cut_out_of_the_message() -> None:
    """The bytes of a piece are those of the message from its first byte on, of a sum too."""
    whole = payload(1, 2, 0, 100).tobytes()
    cuts = ((0, 33), (33, 66), (66, 100))
    assert b"".join(payload(1, 2, 0, end - first, first).tobytes() for first, end in cuts) == whole
    assert payload(1, 2, 0, 0, 7).tobytes() == b""
    both = summed([0, 1], 5, 1, 24).tobytes()
    assert summed([0, 1], 5, 1, 8, 16).tobytes() == both[16:]


def test_sums_wrap_around() -> None:
    """Contributions are integers of 8 bytes, added modulo 2^64."""
    parts = [payload(origin, 5, 1, 24).view(np.uint64).tolist() for origin in range(6)]
    expected = [sum(column) % 2**64 for column in zip(*parts, strict=True)]
    assert summed(range(6), 5, 1, 24).view(np.uint64).tolist() == expected
    assert any(sum(column) >= 2**64 for column in zip(*parts, strict=True))


def test_processes_that_do_not_find_each_other(tmp_path: Path) -> None:
    """Where each believes to be alone, as under the mpiexec of another library, one line says so; exit 3, no answer."""
    need_mpi()
    (tmp_path / "job.json").write_text(json.dumps(job(*triangle(), size=8, repeat=1)))
    words = [str(tmp_path / "job.json"), str(tmp_path / "answer.json"), "60"]
    done = subprocess.run(
        [sys.executable, "-P", mpi_worker.__file__, *words], capture_output=True, text=True, check=False, timeout=300
    )
    assert (done.returncode, done.stderr) == (3, "3 processes were started, but they do not find each other\n")
    assert not (tmp_path / "answer.json").exists()


def test_an_error_in_one_process_ends_all(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """One line says which process and what it was, before the others would wait for it for ever."""
    ended: list[int] = []

    class Three:
        """The view of process 2."""

        rank = 2
        Abort = staticmethod(ended.append)

    def broken(*_: object) -> None:
        raise ValueError("no such message")

    monkeypatch.setattr(mpi_worker, "_performed", broken)
    with pytest.raises(ValueError, match="no such message"):
        mpi_worker.perform(Three(), None)
    assert ended == [1]
    assert capsys.readouterr().err == "process 2: ValueError: no such message\n"

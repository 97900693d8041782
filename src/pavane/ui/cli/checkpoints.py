"""`--checkpoint` and `--resume`: a search that was killed, or had too little time, goes on where it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pavane.errors import InputError
from pavane.ui.cli.notes import note
from pavane.ui.cli.outputs import is_stdout

if TYPE_CHECKING:
    from pavane.model.problem import Problem
    from pavane.parallel.journal import Journal


@dataclass(frozen=True)
class CheckpointOptions:
    """Whether a search can go on."""

    checkpoint: Annotated[
        bool,
        typer.Option("--checkpoint", help="Keep where the search is in FILE.part beside -o FILE, every ten seconds."),
    ] = False
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Go on from FILE.part, if it is there, and keep where the search is."),
    ] = False

    def opened(self, output: Path | None, problem: Problem, asked: Mapping[str, Any]) -> Checkpoint:
        """Return what is kept of a search; `asked` is what decides its answer besides the problem."""
        if not self.checkpoint and not self.resume:
            return Checkpoint(None, None)
        flag = "--resume" if self.resume else "--checkpoint"
        if output is None or is_stdout(output):
            raise InputError(f"{flag} keeps where a search is beside the file that it writes; name one with -o FILE")
        from pavane.search.checkpoints import checkpoint_of, new_journal, read_journal

        path = checkpoint_of(output)
        if not self.resume:
            return Checkpoint(path, new_journal(path, problem, asked))
        if path.exists():
            return Checkpoint(path, read_journal(path, problem, asked))
        note(f"{path} is not there: the search starts anew")
        return Checkpoint(path, new_journal(path, problem, asked))


@dataclass(frozen=True)
class Checkpoint:
    """The journal of a search and its file; nothing where none was asked for."""

    path: Path | None
    journal: Journal | None

    @contextmanager
    def searching(self) -> Iterator[None]:
        """Write down where the search is if an interrupt ends this block."""
        try:
            yield
        except KeyboardInterrupt:
            if self.journal is not None:
                self.journal.written()
            raise

    def seconds(self, of_this_run: float) -> float:
        """Return the seconds of a search with those of the runs that it goes on from."""
        before = 0.0 if self.journal is None else self.journal.seconds_before
        return round(before + of_this_run, 3)

    def close(self, *, interrupted: bool) -> None:
        """Remove the file of a search that has ended by itself; keep it where there is something to go on with."""
        if self.journal is None or self.path is None:
            return
        from pavane.io.checkpoint_file import remove_checkpoint

        if interrupted or self.journal.is_cut:
            self.journal.written()
        else:
            remove_checkpoint(self.path)
        if self.journal.failure:
            note(f"where the search is could not be kept: {self.journal.failure}")
        elif interrupted or self.journal.is_cut:
            note(f"where the search is stands in {self.path}; add --resume to go on")

"""`--checkpoint` and `--resume`: continue a search that was killed or had too little time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pavane.errors import InputError
from pavane.ui.cli.notes import note
from pavane.ui.cli.options import option
from pavane.ui.cli.outputs import is_stdout
from pavane.ui.cli.signals import ended_by

if TYPE_CHECKING:
    from pavane.model.joint import JointProblem
    from pavane.model.problem import Problem
    from pavane.parallel.checkpoint import Checkpoint


@dataclass(frozen=True)
class CheckpointOptions:
    """Resuming."""

    checkpoint: Annotated[
        bool, option("--checkpoint", "Write the state of the search to FILE.part beside -o FILE, every ten seconds.")
    ] = False
    resume: Annotated[bool, option("--resume", "Continue from FILE.part if it exists; implies --checkpoint.")] = False

    def opened(
        self, output: Path | None, problem: Problem | JointProblem, options: Mapping[str, Any]
    ) -> OpenCheckpoint:
        """Return the checkpoint of a search; `options` decide its result besides the problem."""
        if not self.checkpoint and not self.resume:
            return OpenCheckpoint(None, None)
        flag = "--resume" if self.resume else "--checkpoint"
        if output is None or is_stdout(output):
            raise InputError(f"{flag} writes the state of the search beside its output file; name one with -o FILE")
        from pavane.search.checkpoints import checkpoint_of, new_journal, read_journal

        path = checkpoint_of(output)
        if self.resume and path.exists():
            return OpenCheckpoint(path, read_journal(path, problem, options))
        if self.resume:
            note(f"{path} does not exist: the search starts from the beginning")
        return OpenCheckpoint(path, new_journal(path, problem, options))


@dataclass(frozen=True)
class OpenCheckpoint:
    """The journal of a search and its file; both None without --checkpoint and --resume."""

    path: Path | None
    journal: Checkpoint | None

    @contextmanager
    def searching(self) -> Iterator[None]:
        """Write the journal if an interrupt ends this block."""
        try:
            yield
        except KeyboardInterrupt:
            if self.journal is not None:
                self.journal.save()
            raise

    def seconds(self, of_this_run: float) -> float:
        """Return the seconds of a search, with those of the runs that it continues."""
        before = 0.0 if self.journal is None else self.journal.seconds_before
        return round(before + of_this_run, 3)

    def end(self, notes: Iterable[str], interrupted: bool, name: str = "best") -> None:
        """Print the notes of a search, and remove the file of a finished one; write it if it can be continued."""
        for text in notes:
            note(text)
        if interrupted:
            note(f"{ended_by()}: this is the {name} so far")
        if self.journal is None or self.path is None:
            return
        from pavane.io.checkpoint_file import remove_checkpoint

        if interrupted or self.journal.is_cut:
            self.journal.save()
        else:
            remove_checkpoint(self.path)
        if self.journal.failure:
            note(f"the state of the search could not be written: {self.journal.failure}")
        elif interrupted or self.journal.is_cut:
            note(f"the state of the search is in {self.path}; add --resume to continue")

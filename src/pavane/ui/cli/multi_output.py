"""Files of a search for several schedules, during the search and at its end: the chosen one, and a folder of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from pavane.errors import InputError
from pavane.ui.cli.outputs import write_result, writes_soon

if TYPE_CHECKING:
    from pavane.judge.result import Result


class MultiOutput:
    """A file for the chosen schedule and a folder for all; tracks which files it has written."""

    def __init__(
        self,
        output: Path | None,
        folder: Path | None,
        cost: Callable[[Result], tuple[float, int]],
        name: Callable[[Result], str],
    ) -> None:
        """Write the schedule of least cost to `output`, and the Pareto-optimal ones under their names to a folder."""
        self.output, self.folder, self.cost, self.name = output, folder, cost, name
        self._found: dict[tuple[int, int], Result] = {}
        """The incumbents, by number of pieces and of steps."""
        self._cheapest: Result | None = None
        self._written: dict[Path, Result] = {}
        if folder is not None:
            make_folder(folder)  # refused now rather than after the search

    @property
    def are_wanted_soon(self) -> bool:
        """Whether a file can be written during the search."""
        return self.folder is not None or writes_soon(self.output)

    def write_so_far(self, results: list[Result]) -> None:
        """Add new results, and write the best of all so far."""
        for result in results:
            self._found[result.problem.collective.pieces, result.num_steps or 0] = result
        cheapest = min(self._found.values(), key=self.cost)
        if self.output is not None and writes_soon(self.output) and cheapest is not self._cheapest:
            write_result(self.output, cheapest)
            self._cheapest = cheapest
        self.write_folder(nondominated(self._found.values()))

    def write_folder(self, results: list[Result]) -> None:
        """Write schedules to the folder, and remove files of earlier ones that are not among them."""
        from pavane.io import write_schedule

        if self.folder is None:
            return
        make_folder(self.folder)
        wanted: Mapping[Path, Result] = {self.folder / self.name(result): result for result in results}
        for path, result in wanted.items():
            if self._written.get(path) is not result:
                write_schedule(path, result)
                self._written[path] = result
        for path in [path for path in self._written if path not in wanted]:
            path.unlink(missing_ok=True)
            del self._written[path]


def nondominated(results: Iterable[Result]) -> list[Result]:
    """Return the Pareto-optimal results in steps and message times."""
    front: list[Result] = []
    for result in sorted(results, key=lambda result: (result.num_steps or 0, message_times(result))):
        if not front or message_times(result) < message_times(front[-1]):
            front.append(result)
    return front


def message_times(result: Result) -> Fraction:
    """Return the TCO of a schedule in whole messages; without combining its steps are its TCO."""
    assert result.schedule is not None
    return Fraction(result.schedule.tco, result.problem.collective.pieces)


def make_folder(folder: Path) -> None:
    """Create the folder of several schedules."""
    if str(folder) == "-":
        raise InputError("--front -: a front is several files; name a folder for them")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--front {folder}: cannot be created: {(error.strerror or str(error)).lower()}") from None

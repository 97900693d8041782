"""The data type of an export, and reasons for refusing a schedule that several formats share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pavane.io.levels import OrderedResult
from pavane.judge.result import Result
from pavane.model.network import Network
from pavane.text import counted

DEFAULT_BYTES = 1024


@dataclass(frozen=True)
class Options:
    """What a user may choose about the files."""

    stem: str = "schedule"
    """The name of the files, without ending."""
    size: int = DEFAULT_BYTES
    """Bytes in one message, where a format needs a size."""


Rendered = str | Mapping[str, str | bytes]
"""The text of a file, or the contents of several by their endings."""


@dataclass(frozen=True)
class Export:
    """A format that schedules are written in, and perhaps networks alone."""

    name: str
    about: str
    """One sentence."""
    ending: str
    """The ending of the one file, or of the first of several."""
    render: Callable[[OrderedResult, Options], Rendered]
    """Return the text of the file, or the contents of several files by their endings."""
    refuses: Callable[[OrderedResult], str | None] = lambda _: None
    """Return in words why a schedule cannot be written in this format; None where it can."""
    num_files: int = 1
    """How many files it makes; 0 for one for each processor."""
    sized: bool = False
    """Whether the size of a message matters."""
    has_times: bool = False
    """Whether it carries start times, if only by the order that they give."""
    has_several: bool = False
    """Whether it carries several collectives at once."""
    render_network: Callable[[Network], str] | None = None
    """Return the text of the file of a network alone; None where the format is about transfers."""
    refuses_network: Callable[[Network], str | None] = lambda _: None
    """Return in words why a network cannot be written in this format; None where it can."""
    of_table: Callable[[Result], Export | None] = lambda _: None
    """Return the form that writes a table itself; None where the schedule is written out for this format."""
    forms: tuple[Export, ...] = ()
    """Other forms of the format, which the ending of the file's name chooses."""

    def form_of(self, path: Path | None) -> Export:
        """Return the form that the name of a file chooses; the format itself where it chooses none."""
        name = "" if path is None else path.name.lower()
        return next((form for form in self.forms if name.endswith(form.ending)), self)

    @property
    def files_text(self) -> str:
        """Return in words how many files it makes."""
        return counted(self.num_files, "file") if self.num_files else "a file for each processor"

    def refusal(self, result: Result) -> str | None:
        """Return in words why a result cannot be written in this format; None where it can."""
        if result.figure is None:
            return "there is no schedule to write"
        if result.problem.has_several and not self.has_several:
            return "it has several collectives at once, and the format carries one"
        if result.problem.has_times and not self.has_times:
            return "it has start times, and the format carries steps"
        return self.refuses(OrderedResult(result))

    def write(self, result: Result, options: Options) -> dict[str, bytes]:
        """Return the files of a result by name; call it only where there is no refusal."""
        return self._files(self.render(OrderedResult(result), options), options)

    def write_network(self, network: Network, options: Options) -> dict[str, bytes]:
        """Return the file of a network by its name; call it only where there is no refusal."""
        assert self.render_network is not None
        return self._files(self.render_network(network), options)

    def _files(self, rendered: Rendered, options: Options) -> dict[str, bytes]:
        texts = {self.ending: rendered} if isinstance(rendered, str) else rendered
        return {
            f"{options.stem}{ending}": text.encode() if isinstance(text, str) else text
            for ending, text in texts.items()
        }


def refuse_resting(ordered: OrderedResult, who: str) -> str | None:
    """Refuse messages that rest at pure switches, where nothing of the target runs."""
    problem, schedule = ordered.problem, ordered.schedule
    ends = np.concatenate((schedule.senders, schedule.receivers))
    if (ends < 0).any():
        switch = ~int(ends[ends < 0].max())
        name = problem.network.routers[switch]
        return (
            f"messages rest at the pure switch r{switch} (router {name}), and {who} on processors only; solve with "
            "`switches='pass'`"
        )
    return None


def refuse_trees(ordered: OrderedResult, who: str) -> str | None:
    """Refuse schedules in which routers copy and add, for targets whose transfers have one sender and one receiver."""
    if ordered.problem.has_trees:
        return f"routers copy and add here, and transfers of {who} go from one to one; solve without copying"
    return None


def refuse_unordered(ordered: OrderedResult, who: str) -> str | None:
    """Refuse what programs cannot do that take one step after the other, and a slot for a step.

    They receive a packet in the slot of its injection. A sum that arrives later than its location sends another one
    would then be part of both.
    """
    problem, schedule = ordered.problem, ordered.schedule
    if problem.rules.has_slots and problem.pattern == "reduction":
        senders = np.repeat(schedule.senders, schedule.payloads).astype(np.int64)
        sums = senders * problem.num_messages + schedule.messages
        if len(np.unique(sums)) < len(sums):
            return (
                "a processor sends several sums of one message, which depend on the slots in which others arrive; "
                "solve with `switching='wormhole'`"
            )
    return refuse_resting(ordered, who)


def refuse_for_gpus(
    ordered: OrderedResult, who: str, kinds: Mapping[str, str], words: str, has_trees: bool = False
) -> str | None:
    """Refuse schedules for libraries of collectives on GPUs that have only some kinds; `words` say which.

    With `has_trees` switches copy and add for the library.
    """
    refused = refuse_unordered(ordered, "GPUs hold data") or (None if has_trees else refuse_trees(ordered, who))
    if refused is not None:
        return refused
    collective = ordered.problem.collective
    if collective.kind not in kinds:
        return f"{words}, and this is {collective.kind}"
    # Every GPU calls the library's collective, and all of them get its results.
    sides = {"OAB": ({*collective.senders, *collective.receivers},), "ALLREDUCE": (collective.senders,)}
    members = sides.get(collective.kind, (collective.senders, collective.receivers))
    if any(len(side) < ordered.problem.network.num_processors for side in members):
        return f"{who}'s {kinds[collective.kind]} is that of all GPUs, and this {collective.kind} of some"
    if collective.sizes and ordered.problem.pattern != "allreduce":  # a vector has any parts
        return f"messages have sizes of their own, and in the collectives of {who} all have one size"
    return refuse_routing_processors(ordered, "GPUs do not route for others")


def refuse_routing_processors(ordered: OrderedResult, who: str) -> str | None:
    """Refuse paths through routers that carry processors, for targets that route through switches only."""
    problem, schedule, network = ordered.problem, ordered.schedule, ordered.problem.network
    owner = np.repeat(np.arange(len(schedule)), schedule.path_lengths)
    inner = np.ones(len(owner), dtype=bool)
    inner[schedule.path_offsets[1:][schedule.path_lengths > 0] - 1] = False
    heads = network.heads[schedule.path_channels]
    through = np.flatnonzero(inner & ~problem.is_switch[heads])
    if not len(through):
        return None
    transfer = schedule.transfer(int(owner[through[0]]))
    passing = " and `switches='pass'`" if problem.has_switches else ""
    return (
        f"the transfer from processor {transfer.sender} to {transfer.receiver} in step {transfer.start + 1} runs "
        f"through router {network.routers[heads[through[0]]]}, and {who}; solve with "
        f"`switching='store-and-forward'`{passing}"
    )

"""`pavane predict`: how long an application takes on networks, phase by phase."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pavane.errors import InputError
from pavane.io.request import Request, network_from
from pavane.model.problem import Problem
from pavane.ui.cli import options
from pavane.ui.cli.inputs import costs_of
from pavane.ui.cli.notes import note
from pavane.ui.cli.options import argument, option, seconds_option
from pavane.ui.cli.pool_options import PoolOptions
from pavane.ui.cli.predict_tables import figures, print_predictions
from pavane.ui.cli.progress import show_progress
from pavane.ui.cli.report import print_json, print_lines, print_report
from pavane.ui.cli.signals import ended_by
from pavane.ui.cli.table_files import refuse_plot, write_plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pavane.campaign.workload_model.prediction import Prediction
    from pavane.campaign.workload_model.workload import Workload
    from pavane.judge.result import Result
    from pavane.model.problem import Rules
    from pavane.timing import Costs

LIST = "list"


@dataclass(frozen=True)
class RulesOptions(Request):
    """The rules, and links that are broken; schedules with and without combining are tried."""

    LEFT_OUT = ("network", "collective", "combining", "root", "senders", "receivers", "pairs", "pieces", "sizes")

    def problem_on(self, text: str) -> Problem:
        """Return a problem on a network under the requested rules, or under the default rules of the network."""
        found = network_from(text, self.form, self.nodes, self.nic)
        if isinstance(found, Problem):
            raise InputError(f"{text} is a whole problem, where a prediction takes a network; name a network")
        return replace(self, network=text, collective="alltoall").problem(found)


@dataclass(frozen=True)
class CostOptions:
    """What start-ups, bytes and operations cost."""

    startup: Annotated[str, option("--startup TIME", "Time of a start-up (ts, alpha), as 10ns or 1us.")] = "1us"
    per_byte: Annotated[
        str,
        option(
            "--per-byte TIME|BANDWIDTH", "Per byte (t1, beta) on a channel of capacity 1, as 1ns or 1GB/s or 100Gb/s."
        ),
    ] = "10GB/s"
    per_hop: Annotated[str, option("--per-hop TIME", "Time that each channel of a path adds.")] = "0"
    speed: Annotated[
        str | None, option("--speed SPEED", "Speed of a processor, as 10GFLOP/s. [default: the workload's]")
    ] = None
    settings: Annotated[
        list[str] | None, option("--set NAME=VALUE", "A parameter of the workload, as n=8192. May be repeated.")
    ] = None

    def costs(self) -> Costs:
        """Return what start-ups, bytes and hops cost."""
        return costs_of(self.startup, self.per_byte, self.per_hop)

    def parameters(self) -> dict[str, float]:
        """Return the parameters that are set."""
        found = {}
        for text in self.settings or ():
            name, mark, value = text.partition("=")
            if not mark or not re.fullmatch(r"\s*\d+(\.\d*)?([eE][+-]?\d{1,3})?\s*", value, re.ASCII):
                raise InputError(f"--set {text!r:.60} sets no parameter to a number; write one like n=8192")
            found[name.strip()] = float(value)
        return found


@dataclass(frozen=True)
class PredictFlags:
    """How to search, and for how long."""

    seconds: Annotated[
        float | None,
        seconds_option("--time", "All searches for one network share it. [default: 8, unless --evaluations]"),
    ] = None
    evaluations: options.EvaluationsOption = None
    seed: options.SeedOption = 0
    atlas: Annotated[
        str | None, option("--atlas FILE", "Start from what this atlas knows; shipped: the package's.")
    ] = None

    @contextmanager
    def known(self) -> Iterator[Callable[[Problem], Result | None]]:
        """Return where schedules to start from are looked up, as long as the block lasts."""
        if self.atlas is None:
            yield lambda _: None
            return
        from pavane.atlas.atlas_file import AtlasFile
        from pavane.atlas.known import known_of

        with AtlasFile(self.atlas) as opened:
            yield lambda problem: known_of(opened, problem, note).result


@dataclass(frozen=True)
class PredictionOutput:
    """The output."""

    sizes: Annotated[
        str | None, option("--n N,N,...", "Networks of a family: {n} in NETWORK is each of these, as 2,4,8.")
    ] = None
    overlap: Annotated[
        bool, option("--overlap", "Also the time if all computing ran beside all communication, a bound.")
    ] = False
    timed: Annotated[
        bool, option("--timed", "Also search for schedules with start times, without barriers; the faster one counts.")
    ] = False
    simulate: Annotated[bool, option("--simulate", "Also replay every phase in SimGrid, and print the difference.")] = (
        False
    )
    plot: Annotated[Path | None, option("--plot FILE", "Draw bars, with --n curves: .svg, .png or .pdf.")] = None
    as_json: options.JsonOption = False
    quiet: options.QuietOption = False

    def networks(self, texts: list[str]) -> list[str]:
        """Return the networks that are named, those of a family one by one."""
        if self.sizes is None:
            for text in texts:
                if "{n}" in text:
                    raise InputError(f"{text} is a family; say which sizes, as in --n 2,4,8")
            return texts
        if not re.fullmatch(r"\s*\d{1,6}\s*(,\s*\d{1,6}\s*)*", self.sizes, re.ASCII):
            raise InputError(f"--n {self.sizes!r:.60} is not a list of whole numbers; write one like 2,4,8")
        numbers = list(dict.fromkeys(int(number) for number in self.sizes.split(",")))
        if not any("{n}" in text for text in texts):
            raise InputError("--n goes with a family; write {n} in its name, as in 'mesh:{n}x{n}'")
        return [each for text in texts for each in _of_sizes(text, numbers)]

    def refuse(self) -> None:
        """Refuse what cannot be drawn or simulated, before the work that fills it."""
        refuse_plot(self.plot)
        if self.simulate and self.timed:
            raise InputError("--simulate replays steps; leave it out, or --timed")
        if self.simulate:
            from pavane.execution.simulate import simgrid_python

            simgrid_python()


def _of_sizes(text: str, numbers: list[int]) -> list[str]:
    return [text.replace("{n}", str(number)) for number in numbers] if "{n}" in text else [text]


def command(
    *,
    source: Annotated[str, argument("WORKLOAD", "A workload file (YAML), or a name from `list`.")],
    networks: Annotated[
        list[str] | None,
        argument(
            "NETWORK...", "Networks, or families like 'mesh:{n}x{n}'; after `list`, the name of a workload to print."
        ),
    ] = None,
    table: PredictionOutput,
    costs: CostOptions,
    rules: RulesOptions,
    search: PredictFlags,
    pool: PoolOptions,
) -> None:
    """Predict how long an application takes on networks, with the fastest schedule for each of its phases."""
    if source == LIST:
        _list(networks or [])
        return
    if not networks:
        raise InputError(f"no network was named; put one behind {source}, as in `pavane predict {source} mesh:4x4`")
    from pavane.campaign.workload_model.workload_file import workload

    about, texts = workload(source, speed=costs.speed), table.networks(networks)
    costs.costs()
    table.refuse()
    problems = [rules.problem_on(text) for text in texts]
    made = _predicted(about, [(problem.network, problem.rules) for problem in problems], costs, search, pool)
    if table.timed:
        made = _with_start_times(made, search)
    simulated = [_simulated(each) if table.simulate else None for each in made]
    write_plot(table.plot, lambda: _figure(made, table.sizes is not None))
    if table.as_json:
        print_json(figures(about, costs.costs(), made, simulated))
    else:
        print_predictions(made, simulated, overlap=table.overlap)
        if table.plot is not None:
            print_report([f"plot        {table.plot}"])
    for each in made:
        if each.seconds is None and not each.interrupted:
            note(f"{each.network.name}: no schedule was found in time for some phase; give more with --time")
    if len(made) < len(texts) or any(each.interrupted for each in made):
        note(f"{ended_by()}: what is missing was not searched for any more")
    options.stop(0 if len(made) == len(texts) and all(each.seconds is not None for each in made) else 1)


def _predicted(
    about: Workload,
    places: list[tuple[Any, Rules]],
    costs: CostOptions,
    search: PredictFlags,
    pool: PoolOptions,
) -> list[Prediction]:
    """Predict for one network after the other; an interrupt ends it with what there is."""
    from pavane.campaign.workload_model.prediction import predict
    from pavane.search.options import SearchOptions

    # Problems of a workload are small: processes take more time than they save unless they are requested.
    hired = pool if pool.workers is not None or pool.cluster is not None else PoolOptions(workers=1)
    made: list[Prediction] = []
    with hired.open() as workers, search.known() as known, show_progress() as on_progress:
        limits = SearchOptions(search.seed, search.seconds, search.evaluations, workers, on_progress)
        for network, rules in places:
            each = predict(about, network, rules, costs.costs(), limits, parameters=costs.parameters(), known=known)
            made.append(each)
            for text in each.notes:
                note(text)
            if each.interrupted:
                break
    return made


def _with_start_times(made: list[Prediction], search: PredictFlags) -> list[Prediction]:
    """Return the predictions with timed schedules; an interrupt ends this, and steps stay."""
    from pavane.campaign.start_times import with_timed_phases
    from pavane.campaign.workload_model.prediction import USUAL_SECONDS
    from pavane.search.options import SearchOptions

    timed: list[Prediction] = []
    try:
        for each in made:
            limits = SearchOptions(search.seed, USUAL_SECONDS if search.seconds is None else search.seconds)
            timed.append(with_timed_phases(each, limits))
    except KeyboardInterrupt:
        note(f"{ended_by()}: networks from {made[len(timed)].network.name} on have steps alone")
    return [*timed, *made[len(timed) :]]


def _simulated(made: Prediction) -> tuple[float | None, ...]:
    from pavane.execution.simulated_phases import reason_of_difference, replay_phases, simulated_total

    phases = replay_phases(made)
    total = simulated_total(made, phases)
    reason = "" if total is None else reason_of_difference(made, total)
    if reason:
        note(f"{made.network.name}: SimGrid differs by more than a tenth: {reason}")
    return phases


def _figure(made: list[Prediction], is_family: bool) -> Axes | Figure:
    from pavane.ui.plot.predictions import plot_predictions, plot_speedups

    return plot_speedups(made) if is_family else plot_predictions(made)


def _list(names: list[str]) -> None:
    """Print the workloads of the package, or the files of those that are named."""
    from pavane.campaign.workload_model.workload_file import EXAMPLES, example_text, workload

    if not names:
        width = max(map(len, EXAMPLES))
        print_lines(f"{name:<{width}}  {workload(name).about}" for name in EXAMPLES)
        return
    for name in names:
        if name not in EXAMPLES:
            raise InputError(f"there is no workload {name!r:.60} in the package; it has {', '.join(EXAMPLES)}")
        print(example_text(name), end="")

"""How long an application takes on a network: its phases, each with the fastest schedule for its size.

The time is the sum over phases of computing and of communication, by the papers' model (noc eq. (1)); computing and
communication do not overlap. The longer of the two bounds the time with overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pavane.campaign.workload_model.choices import Solved, WorkloadChoice, solve
from pavane.campaign.workload_model.groups import layout_of
from pavane.campaign.workload_model.tasks import Setting, WorkloadTask, task_of
from pavane.campaign.workload_model.ways import WorkloadSearch
from pavane.campaign.workload_model.workload import Communicate, Compute, Workload, repeated
from pavane.campaign.workload_model.workload_file import workload as read_workload
from pavane.errors import InputError, expect
from pavane.jit import clock
from pavane.model.network import Network
from pavane.model.problem import Rules, default_rules
from pavane.networks import network as named_network
from pavane.parallel.campaign import Campaign
from pavane.search.options import SearchOptions
from pavane.timing import Costs, refuse_slots, short_time_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pavane.judge.result import Result
    from pavane.judge.timed_result import TimedResult
    from pavane.model.problem import Problem

USUAL_COSTS = Costs(startup=1e-6, per_byte=1e-10)
"""A start-up of a microsecond, and ten gigabytes a second on a channel of capacity 1."""

USUAL_SECONDS = 8.0
"""Default time limit of all searches for one network."""


@dataclass(frozen=True)
class PhaseTime:
    """The time of one phase, each time that it runs."""

    name: str
    where: str
    """The phase in the workload, as in `phases[2]`."""
    times: int
    """How often it runs, in all loops."""
    computing: float
    """The seconds of computing; 0 for a phase that communicates."""
    communication: float | None = 0.0
    """The seconds of communication; None where no schedule was found in time."""
    bound: float | None = 0.0
    """The least seconds that any schedule takes for the communication; None where nothing was searched for."""
    collective: str = ""
    """What is communicated, in words; empty for a phase that computes."""
    size: float = 0.0
    """The bytes of a message, as the workload names them."""
    choice: WorkloadChoice | None = None
    """The schedule; None where nothing is sent, or none was found."""
    timed: TimedResult | None = None
    """The timed schedule, where one was requested and ends earlier than the steps."""

    @property
    def seconds(self) -> float | None:
        """Return what it takes each time; None where that is not known."""
        return None if self.communication is None else self.computing + self.communication


@dataclass(frozen=True, repr=False)
class Prediction:
    """How long an application takes on a network, phase by phase; `pavane.predict` makes one.

    Example:
        >>> mine = {"workload": 1, "name": "mine", "phases": [{"collective": "alltoall", "bytes": "10kB"}]}
        >>> pavane.predict(mine, "complete:4")
        <Prediction: mine on complete:4 in 2 us, 100 % communication, at the bound>
    """

    workload: Workload
    network: Network
    rules: Rules
    costs: Costs
    phases: tuple[PhaseTime, ...]
    shape: tuple[int, int]
    """The rows and columns that processors are laid out in."""
    alone: float | None = None
    """The seconds of computing on one processor; None where the workload cannot be that small."""
    notes: tuple[str, ...] = ()
    seed: int = 0
    spent: float = 0.0
    """The seconds that the searches took."""
    interrupted: bool = False

    @property
    def computing(self) -> float:
        """Return the seconds of computing."""
        return sum(phase.times * phase.computing for phase in self.phases)

    @property
    def communication(self) -> float | None:
        """Return the seconds of communication; None where that of a phase is not known."""
        return _added((phase.times, phase.communication) for phase in self.phases)

    @property
    def seconds(self) -> float | None:
        """Return the seconds of the whole; None where those of a phase are not known."""
        return None if self.communication is None else self.computing + self.communication

    @property
    def share(self) -> float | None:
        """Return the part of the time that is communication."""
        if self.communication is None or not self.seconds:
            return None
        return self.communication / self.seconds

    @property
    def bound(self) -> float | None:
        """Return the seconds that the whole takes at least, computing and the least time of each communication."""
        least = _added((phase.times, phase.bound) for phase in self.phases)
        return None if least is None else self.computing + least

    @property
    def overlapped(self) -> float | None:
        """Return the seconds if all communication ran beside all computing: a bound, which few programs come near."""
        return None if self.communication is None else max(self.computing, self.communication)

    @property
    def speedup(self) -> float | None:
        """Return how many times as long one processor would compute; None where nothing is computed."""
        return self.alone / self.seconds if self.alone and self.seconds else None

    def plot(self) -> Figure:
        """Draw what the phases take, as a bar in parts.

        Returns:
            The figure, which a notebook shows.

        Example:
            >>> pavane.predict("training", "ring:4").plot().savefig("training.png")
        """
        import pavane

        return pavane.notebook.plot_predictions([self])

    def simulated(self) -> tuple[float | None, ...]:
        """Replay the schedule of every phase in SimGrid, a simulator that is independent of pavane.

        Returns:
            The simulated seconds of each phase, each time that it runs; computing is not simulated.

        Example:
            >>> callable(pavane.predict("training", "ring:4").simulated)
            True
        """
        import pavane

        return pavane.notebook.simulate_prediction(self)

    def _repr_html_(self) -> str:
        import pavane

        return pavane.notebook.prediction_view(self)

    def __repr__(self) -> str:
        name = f"{self.workload.name} on {self.network.name}"
        if self.seconds is None or self.share is None:
            return f"<Prediction: {name}, not complete>"
        time = f"{short_time_text(self.seconds)}, {100 * self.share:.0f} % communication"
        return f"<Prediction: {name} in {time}, {bound_text(self)}>"


def bound_text(made: Prediction) -> str:
    """Return how far a prediction is above its bound, in words."""
    if made.bound is None or made.seconds is None:
        return "no bound"
    if made.seconds <= made.bound * (1 + 1e-9):
        return "at the bound"
    above = 100 * (made.seconds / made.bound - 1) if made.bound else float("inf")
    return f"{above:.1f} % above the bound" if above >= 0.05 else "less than 0.1 % above the bound"


def _added(parts: Any) -> float | None:
    total = 0.0
    for times, seconds in parts:
        if seconds is None and times:
            return None
        total += times * (seconds or 0.0)
    return total


def predict(
    workload: Workload | str | Path | Mapping[str, Any],
    network: Network | str,
    rules: Rules | None = None,
    costs: Costs = USUAL_COSTS,
    options: SearchOptions = SearchOptions(),
    *,
    parameters: Mapping[str, float] | None = None,
    known: Callable[[Problem], Result | None] | None = None,
) -> Prediction:
    """Predict how long an application takes on a network, with the fastest schedule for the size of each phase.

    An interrupt (Ctrl-C) ends the searches: phases that have no schedule then have no time, and the prediction is
    `interrupted`.

    Args:
        workload: The workload of the application, a YAML file, a dict, or a name like fft.
        network: The network, or its name.
        rules: How transfers use the network; unless given, its `default_rules`. Schedules with and without combining
            are tried.
        costs: The time of start-ups, bytes and hops.
        options: How to search. `seconds` limits all searches together, to 8 seconds unless `evaluations` are given,
            with which the same seed gives the same result on every machine.
        parameters: Values that replace those of the workload, like {"L": 14}.
        known: Returns a schedule to start from, for example from an atlas.

    Returns:
        The time of each phase and of the whole, and a lower bound on both.

    Example:
        >>> mine = {"workload": 1, "phases": [{"compute": "4us"}, {"collective": "alltoall", "bytes": "10kB"}]}
        >>> made = pavane.predict(mine, "complete:4")
        >>> f"{1e6 * made.seconds:.1f} us, {made.share:.0%} communication"
        '6.0 us, 33% communication'
        >>> str(made.phases[1].choice)
        '1 step'
    """
    expect(costs, Costs, "costs", "say them like `pavane.Costs(startup=1e-6, per_byte=1e-9)`")
    expect(options, SearchOptions, "options", "make them like `pavane.SearchOptions(seconds=60)`")
    if options.seconds is None and options.evaluations is None:
        options = replace(options, seconds=USUAL_SECONDS)
    setting = _setting(workload, network, rules, parameters)
    workload, layout = setting.workload, setting.layout
    phases, tasks = _phases(setting, _speed(workload, setting.names))
    started = clock.now()
    search = WorkloadSearch(options) if known is None else WorkloadSearch(options, known)
    solved, interrupted = _solve_all(tasks, setting, costs, search)
    return Prediction(
        workload,
        setting.network,
        setting.rules,
        costs,
        tuple(_timed(phase, task, solved, costs) for phase, task in zip(phases, tasks, strict=True)),
        layout.shape,
        _alone(workload, parameters),
        (layout.why,) if layout.why and _needs_shape(workload) else (),
        options.seed,
        round(clock.now() - started, 3),
        interrupted,
    )


def _setting(
    workload: Workload | str | Path | Mapping[str, Any],
    network: Network | str,
    rules: Rules | None,
    parameters: Mapping[str, float] | None,
) -> Setting:
    """Return a workload with its layout on a network and the values of its parameters there."""
    if not isinstance(workload, Workload):
        workload = read_workload(workload)
    if isinstance(network, str):
        network = named_network(network)
    expect(network, Network, "network", "make a network of a text or a graph with `pavane.network`")
    rules = default_rules(network) if rules is None else rules
    expect(rules, Rules, "rules", "say them like `pavane.Rules(ports=1)`")
    refuse_slots(rules)
    layout = layout_of(workload, network, parameters)
    names = workload.names(layout.shape, parameters)
    return Setting(workload, network, layout, names, replace(rules, combining=False))


def _speed(workload: Workload, names: Mapping[str, float]) -> float | None:
    if workload.speed is None:
        return None
    speed = workload.speed.value(names)
    if not speed > 0:
        raise InputError(f"`speed`: expected more than 0 operations a second, as in 10GFLOP/s, got {speed:g}")
    return speed


def _phases(setting: Setting, speed: float | None) -> tuple[list[PhaseTime], list[WorkloadTask | None]]:
    """Return the phases with their computing times, and the communication task of each."""
    phases: list[PhaseTime] = []
    tasks: list[WorkloadTask | None] = []
    for phase, times in repeated(setting.workload.phases, setting.names):
        if isinstance(phase, Compute):
            computing = _computing(phase, setting.names, speed)
            phases.append(PhaseTime(phase.name, phase.where, times, computing))
            tasks.append(None)
            continue
        task = task_of(phase, setting) if times else None
        size = phase.size.value(setting.names)
        phases.append(PhaseTime(phase.name, phase.where, times, 0.0, collective=_collective_text(phase), size=size))
        tasks.append(task)
    return phases, tasks


def _computing(phase: Compute, names: Mapping[str, float], speed: float | None) -> float:
    if phase.seconds is not None:
        return phase.seconds.value(names)
    assert phase.operations is not None
    own = speed if phase.speed is None else phase.speed.value(names)
    if not own:
        raise InputError(
            f"{phase.where}.compute.speed: the speed of processors is not known; give `speed`, as in 10GFLOP/s, here "
            "or for the whole workload"
        )
    return phase.operations.value(names) / own


def _collective_text(phase: Communicate) -> str:
    """Return what a phase communicates, and in which groups."""
    if phase.collective == "pairs":
        return phase.pairs if isinstance(phase.pairs, str) else "pairs"
    where = phase.groups if isinstance(phase.groups, str) else "groups"
    text = phase.collective + ("v" if phase.sizes is not None else "")
    return text if where == "all" else f"{text} in {where}"


def _needs_shape(workload: Workload) -> bool:
    """Return whether the shape matters: whether a phase has rows, columns or neighbours."""
    communicating = (phase for phase in workload.leaves if isinstance(phase, Communicate))
    return any(phase.groups in ("rows", "columns") or isinstance(phase.pairs, str) for phase in communicating)


def _solve_all(
    tasks: list[WorkloadTask | None], setting: Setting, costs: Costs, search: WorkloadSearch
) -> tuple[dict[tuple[str, ...], Solved], bool]:
    """Search every distinct task once, for all its sizes in the workload; return also whether an interrupt ended it."""
    leaves = list(repeated(setting.workload.phases, setting.names))
    sizes: dict[tuple[str, ...], set[float]] = {}
    distinct: dict[tuple[str, ...], tuple[WorkloadTask, str]] = {}
    for (phase, _), task in zip(leaves, tasks, strict=True):
        if task is not None and isinstance(phase, Communicate):
            distinct.setdefault(task.key, (task, phase.name))
            sizes.setdefault(task.key, set()).add(phase.size.value(setting.names))
    budget = search.options.budget()

    def name(key: tuple[str, ...]) -> str:
        return f"{setting.network.name}, {distinct[key][1]}"

    def solutions() -> Iterator[tuple[tuple[str, ...], Solved]]:
        for number, (key, (task, _)) in enumerate(distinct.items()):
            campaign.report(name(key))
            solved = solve(task, costs, sorted(sizes[key]), search, budget.part(1 / (len(distinct) - number)))
            yield key, solved
            if solved.interrupted:
                raise KeyboardInterrupt

    campaign = Campaign[tuple[str, ...], Solved](len(distinct), name, search.options.on_progress)
    campaign.collect(solutions(), may_be_empty=True)
    return campaign.results, campaign.interrupted


def _timed(
    phase: PhaseTime, task: WorkloadTask | None, solved: Mapping[tuple[str, ...], Solved], costs: Costs
) -> PhaseTime:
    if task is None:
        return phase
    found = solved.get(task.key)
    if found is None:
        return replace(phase, communication=None, bound=None)
    choice, bound = found.best(costs, phase.size), found.bound(costs, phase.size)
    return replace(phase, communication=None if choice is None else choice.seconds(costs), bound=bound, choice=choice)


def _alone(workload: Workload, parameters: Mapping[str, float] | None) -> float | None:
    """Return how long a single processor would compute; None if a formula has no value then."""
    try:
        names = workload.names((1, 1), parameters)
        own = _speed(workload, names)
        return sum(
            times * _computing(phase, names, own)
            for phase, times in repeated(workload.phases, names)
            if isinstance(phase, Compute)
        )
    except InputError:
        return None

"""The stages of `auto` as tables: which solver runs when, at which numbers of steps, with what effort and time.

Stages run from top to bottom until the search is over; one whose solver does not support the problem is skipped.
Without a time limit the effort is counted, so that a seed always gives the same schedule. With one, the last stages
repeat until the time is over. `portfolio.py` runs the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pavane.bounds.registry import Work
from pavane.model.problem import Problem
from pavane.search.shortest import ShortestSearch
from pavane.search.tuning import TUNING
from pavane.solvers import SOLVERS

Steps = Literal[
    "as few as it can",
    "the bound",
    "as few as it can, in several orders",
    "as few as it can, along plans with detours",
    "as few as it can, one message of each orbit",
    "as few as it can, from the best schedule",
    "as few as it can, along the trees of the phases",
    "the bound and more, a few pieces at a time",
    "from the bound upwards",
    "one less than the best, repeatedly",
    "between the bound and the best",
    "halfway to the bound, repeatedly",
    "from the bound upwards, until one is undecided",
    "both phases, joined",
    "both phases, overlapped",
]
"""At which numbers of steps a stage runs its solver; `portfolio.py` has a function for each."""


@dataclass(frozen=True)
class When:
    """A condition of a stage, in words and as a test."""

    text: str
    holds: Callable[[ShortestSearch], bool]

    def __and__(self, other: When) -> When:
        texts = (f"({when.text})" if " or " in when.text else when.text for when in (self, other))
        return When(" and ".join(texts), lambda search: self.holds(search) and other.holds(search))

    def __or__(self, other: When) -> When:
        return When(f"{self.text} or {other.text}", lambda search: self.holds(search) or other.holds(search))


@dataclass(frozen=True)
class Stage:
    """One row of a table: a solver with its effort, or bounds of some work."""

    solver: str
    steps: Steps = "as few as it can"
    when: When | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    bound_as: str = ""
    """The argument as which the solver is given the bound, where it takes one."""
    share: tuple[float, float] = (1.0, 1.0)
    """The most of the time left that it takes, before there is a schedule and after."""
    orders: range = range(1)
    """Of first fit in several orders: which."""
    most_searches: int | None = 1
    """Of repeated searches: how many for one number of steps; None: as many as there is time for."""
    work: Work | None = None
    """Of bounds: the most work of their arguments."""
    ends: Literal["", "all if it is better", "this table without a schedule"] = ""
    """Whether stages end after it."""
    is_urgent: bool = False
    """Whether it runs even if the time is over, if nothing has run before."""


def sized(figure: str, limit: str, *, above: bool = False) -> When:
    """Return the condition that a figure of the problem is at most, or above, a limit of the tuning."""
    words = {"num_deliveries": "arrivals", "num_messages": "messages"}[figure]
    text = f"{'more than' if above else 'at most'} {getattr(TUNING, limit):,} {words}"
    return When(text, lambda search: (getattr(search.problem, figure) > getattr(TUNING, limit)) == above)


def supported_by(name: str, holds: bool = True) -> When:
    """Return the condition that a solver supports the problem, or does not."""
    return When(
        f"{'' if holds else 'not '}supported by {name}",
        lambda search: SOLVERS[name].supports(search.problem) == holds,
    )


def is_waited_for(search: ShortestSearch) -> bool:
    """Return whether first fit is worth its time: where steps are filled along a plan, only for a first schedule."""
    if search.best.schedule is None:
        return True
    return not fills_plans(search.problem) and search.judging_seconds is not None


def fills_plans(problem: Problem) -> bool:
    """Return whether packing fills steps along a plan."""
    from pavane.solvers.large_scatter.packing import fills_along_plans

    return SOLVERS["packing"].supports(problem) and fills_along_plans(problem)


def goes_on_whole_paths(problem: Problem) -> bool:
    """Return whether messages are private and each goes in one transfer."""
    return any(SOLVERS[name].supports(problem) for name in ("first-fit", "ejection"))


def has_rotation_bound(search: ShortestSearch) -> bool:
    """Return whether rotation, one step less than there are messages, meets the bound."""
    return search.best.lowest >= search.problem.num_messages - 1


def has_two_way_bound(search: ShortestSearch) -> bool:
    """Return whether rotation both ways, half as many steps as there are messages, meets the bound."""
    return search.best.lowest >= search.problem.num_messages // 2


def is_beaten_by_rotation(search: ShortestSearch) -> bool:
    """Return whether rotation has fewer steps than the best schedule."""
    return search.best.num_steps is None or search.best.num_steps > search.problem.num_messages - 1


def _decides(problem: Problem, **settings: int) -> bool:
    solver: Any = SOLVERS["cp-sat"]
    return bool(replace(solver, **settings).decides(problem))


FEW_ARRIVALS, QUICK_ARRIVALS = sized("num_deliveries", "small"), sized("num_deliveries", "quick")
MANY_ARRIVALS = sized("num_deliveries", "quick", above=True)
MANY_MESSAGES, FEW_MESSAGES = sized("num_messages", "few", above=True), sized("num_messages", "few")
BOUNDED_LATER = sized("num_messages", "small", above=True)
TIMED = When("a time limit", lambda search: search.is_timed)
NOT_PLAIN = When("pieces, sizes, capacities", lambda search: not search.problem.is_plain)
PLAIN = When("no pieces, sizes, capacities", lambda search: search.problem.is_plain)
PASSING = When("switches that pass", lambda search: search.problem.passes_switches)
NO_PASSING = When("no switches that pass", lambda search: not search.problem.passes_switches)
WITHOUT_SLOTS = When("no slots", lambda search: not search.problem.rules.has_slots)
STORED = When("store-and-forward", lambda search: search.problem.rules.switching == "store-and-forward")
ANY_ROUTING = When("any routing", lambda search: search.problem.rules.routing == "any")
MINIMAL = When("shortest paths", lambda search: search.problem.rules.routing != "any")
HAS_TREES = When("some router copies", lambda search: search.problem.has_trees)
NO_TREES = When("no router copies", lambda search: not search.problem.has_trees)
COMBINING = When("combining", lambda search: search.problem.rules.combining)
ON_PATHS = When("each message in one transfer", lambda search: goes_on_whole_paths(search.problem))
SOLVED = When("a schedule is found", lambda search: search.best.schedule is not None)
UNSOLVED = When("no schedule yet", lambda search: search.best.schedule is None)
FIRST_FIT_FIRST = (
    sized("num_deliveries", "tiny") | (FEW_ARRIVALS & (TIMED | NOT_PLAIN)) | (QUICK_ARRIVALS & PASSING)
)  # nothing is quicker, or a schedule is wanted before kernels compile
FIRST_FIT_CAME = When("first fit came first", FIRST_FIT_FIRST.holds)
FIRST_FIT_LATER = When("first fit did not come first", lambda search: not FIRST_FIT_FIRST.holds(search))
WAITED_FOR = When("first fit is worth its time", is_waited_for)
NOT_PACKED = supported_by("packing", False)
CONSTRUCTED_FIRST = sized("num_deliveries", "many", above=True) & PLAIN
CONSTRUCTED_LATER = When("it did not come first", lambda search: not CONSTRUCTED_FIRST.holds(search))
SMALL_NETWORK = When(
    f"at most {TUNING.translated_routers} routers",
    lambda search: search.problem.network.num_routers <= TUNING.translated_routers,
)
DETOURED = ANY_ROUTING & When(
    f"at least {TUNING.least_detoured} messages and steps filled along a plan",
    lambda search: search.problem.num_messages >= TUNING.least_detoured and fills_plans(search.problem),
)
FEW_TREES, MANY_TREES = sized("num_deliveries", "grown"), sized("num_deliveries", "grown", above=True)
TREES_FIRST = TIMED & sized("num_deliveries", "few", above=True) & FEW_TREES
PHASES_FIRST = When("phases came first", lambda search: not TREES_FIRST.holds(search))
SMALL_PROGRAM = When(
    f"at most {TUNING.small_variables:,} variables of cp-sat",
    lambda search: _decides(search.problem, most_variables=TUNING.small_variables),
)
DECIDED = When("decided by cp-sat", lambda search: _decides(search.problem))
IN_PHASES = When("the phases go along trees", lambda search: bool(search.best.phases and search.best.phases.trees))
JOINED = When("the phases have schedules", lambda search: search.best.phases is not None)

PLANNED_PATHS: Mapping[str, Any] = {"paths": "planned", "most_paths": 16, "detour": 1}
"""Settings of ejection along one path for each message; more and longer paths make the integer program slow."""

QUICK_TABLES: Mapping[str, Any] = {"most_trials": TUNING.quick_trials, "most_paths": 24, "most_homomorphisms": 2}
LONG_TABLES: Mapping[str, Any] = {**QUICK_TABLES, "most_trials": 2 * TUNING.long_trials}
"""Settings of one table of slots for all routers; every run draws new paths."""

HALF = (TUNING.half, TUNING.half)
SHARE_OF_PHASES = (1.0 - TUNING.of_exchange, 1.0 - TUNING.of_exchange)
SHARE_BEFORE_TREES = (2 * TUNING.of_exchange, 2 * TUNING.of_exchange)
HALF_BEFORE_FIRST = (TUNING.half, 1.0)


def bounds(work: Work, when: When | None = None) -> Stage:
    """Return the stage that tries arguments for bounds."""
    return Stage("bounds", when=when, work=work)


def known(solver: str, when: When | None = None) -> Stage:
    """Return the stage of a solver whose schedules are not improved on."""
    return Stage(solver, when=when, share=HALF, ends="all if it is better", is_urgent=True)


KNOWN = (
    known("flow"),
    known("table", WITHOUT_SLOTS),
    Stage("translated", when=STORED & NO_PASSING, share=HALF, is_urgent=True),
    bounds(Work.SPLIT, STORED & NO_PASSING & supported_by("translated")),
    Stage("translated", when=PASSING & BOUNDED_LATER, share=HALF, is_urgent=True),
    Stage("combining", when=COMBINING, ends="all if it is better", is_urgent=True),
)
"""What is exact or known, for all problems."""

BROADCAST = (
    Stage("tree-packing", bound_as="least_steps", share=HALF_BEFORE_FIRST, is_urgent=True),
    Stage("greedy", when=FIRST_FIT_FIRST, is_urgent=True),
    Stage("informed-sets", share=HALF_BEFORE_FIRST),
    Stage(
        "rotation",
        when=When("one way meets the bound", has_rotation_bound),
        settings={"ways": 1},
        share=HALF_BEFORE_FIRST,
    ),
    Stage("translated-trees", when=CONSTRUCTED_FIRST, share=HALF_BEFORE_FIRST, is_urgent=True),
    Stage(
        "rotation",
        when=CONSTRUCTED_FIRST & (When("both ways meet the bound", has_two_way_bound) | TIMED),
        settings={"ways": 2},
        share=HALF_BEFORE_FIRST,
        is_urgent=True,
    ),
    Stage("rotation", when=MANY_ARRIVALS & TIMED & UNSOLVED, settings={"ways": 1}, share=HALF_BEFORE_FIRST),
    Stage(
        "rarest-first",
        "the bound and more, a few pieces at a time",
        sized("num_deliveries", "many", above=True),
        {"most_effort": TUNING.quick_effort},
        share=HALF,
    ),
    bounds(Work.SEARCH, QUICK_ARRIVALS & NOT_PLAIN & SOLVED),  # counted bounds are rarely the last word then
    Stage(
        "rarest-first",
        when=QUICK_ARRIVALS,
        settings={"most_effort": TUNING.quick_effort},
        bound_as="least_steps",
        share=HALF_BEFORE_FIRST,
    ),
    bounds(Work.SEARCH, QUICK_ARRIVALS),
    Stage("greedy", "as few as it can, in several orders", FEW_ARRIVALS & FIRST_FIT_CAME, orders=range(1, 5)),
    Stage("greedy", "as few as it can, in several orders", FEW_ARRIVALS & FIRST_FIT_LATER, orders=range(5)),
    Stage(
        "cp-sat",
        "from the bound upwards, until one is undecided",
        QUICK_ARRIVALS & (NO_TREES | SMALL_PROGRAM),
        {"most_variables": TUNING.small_variables, "effort": 1.0},
    ),
    Stage("rarest-first", bound_as="least_steps", share=HALF_BEFORE_FIRST),
    Stage("translated-trees", when=CONSTRUCTED_LATER, share=HALF_BEFORE_FIRST),
    Stage(
        "rotation",
        when=When("one way has fewer steps", is_beaten_by_rotation),
        settings={"ways": 1},
        share=HALF_BEFORE_FIRST,
    ),
    Stage("greedy", when=UNSOLVED),
    bounds(Work.SEARCH),
)
"""Broadcasts and reductions."""

LARGE_SCATTER = (
    Stage(
        "first-fit",
        when=TIMED,
        settings={"is_hasty": True},
        ends="this table without a schedule",
        is_urgent=True,
    ),
    bounds(Work.SPLIT),
    Stage(
        "ejection",
        "the bound and more, a few pieces at a time",
        ANY_ROUTING,
        {**PLANNED_PATHS, "most_trials": TUNING.long_trials},
        share=HALF,
    ),
    Stage(
        "ejection",
        "the bound and more, a few pieces at a time",
        MINIMAL,
        {"most_trials": TUNING.long_trials},
        share=HALF,
    ),
    Stage("translation", "the bound", SMALL_NETWORK),
    Stage("first-fit", when=WAITED_FOR),
    Stage("greedy", when=supported_by("first-fit", False) & WAITED_FOR),
    bounds(Work.SEARCH),
    Stage(
        "packing",
        "as few as it can, one message of each orbit",
        settings={"most_cells": 5 * TUNING.detour_cells},
        share=(TUNING.half, TUNING.half),
    ),
    Stage("packing", "as few as it can, from the best schedule"),
    Stage("ejection", "from the bound upwards", NOT_PACKED, {"most_trials": TUNING.quick_trials}),
    Stage(
        "ejection",
        "one less than the best, repeatedly",
        NOT_PACKED,
        {"most_trials": TUNING.long_trials},
        most_searches=TUNING.long_searches,
    ),
)
"""Many private messages, each in one transfer."""

SCATTER = (
    Stage("greedy", "as few as it can, in several orders", orders=range(20), is_urgent=True),
    bounds(Work.SEARCH, ON_PATHS),
    Stage("translation", "the bound", ON_PATHS),
    Stage(
        "packing",
        "as few as it can, along plans with detours",
        DETOURED,
        settings={"most_cells": TUNING.detour_cells},
        share=(TUNING.half, TUNING.half),
    ),
    Stage("ejection", "from the bound upwards", ON_PATHS, {"most_trials": TUNING.quick_trials}),
    Stage(
        "ejection",
        "one less than the best, repeatedly",
        ON_PATHS,
        {"most_trials": TUNING.long_trials},
        most_searches=TUNING.long_searches,
    ),
)
"""Fewer private messages."""

SLOTS = (
    Stage("table", share=HALF_BEFORE_FIRST),
    Stage("first-fit", when=MANY_MESSAGES & UNSOLVED, is_urgent=True),
    Stage("greedy", when=UNSOLVED, is_urgent=True),
    bounds(Work.SEARCH),
    Stage("translation", "halfway to the bound, repeatedly", settings=QUICK_TABLES),
    Stage(
        "ejection",
        "halfway to the bound, repeatedly",
        FEW_MESSAGES | supported_by("translation", False),
        {"most_trials": TUNING.quick_trials},
    ),
    Stage("translation", "the bound", settings=LONG_TABLES, share=HALF),  # more may be harder
    Stage(
        "translation",
        "one less than the best, repeatedly",
        settings=LONG_TABLES,
        most_searches=TUNING.long_searches // 4,
    ),
    Stage(
        "ejection",
        "one less than the best, repeatedly",
        settings={"most_trials": 3 * TUNING.long_trials},
        most_searches=TUNING.long_searches // 2,
    ),
)
"""Private messages in slots (tdm)."""

STORED_SCATTER = (
    Stage("greedy", "as few as it can, in several orders", FEW_MESSAGES, orders=range(20), is_urgent=True),
    Stage(
        "planned",
        when=BOUNDED_LATER,
        settings={"most_passes": 10},
        share=HALF_BEFORE_FIRST,
    ),
    bounds(Work.SEARCH),
    Stage("planned", "the bound and more, a few pieces at a time", MANY_MESSAGES, {"detour": 1}, share=HALF),
    Stage("time-ejection", "the bound", FEW_MESSAGES, {"most_cells": TUNING.glance_cells}),
    Stage("planned", when=FEW_MESSAGES, settings={"detour": 0}, bound_as="goal", share=HALF_BEFORE_FIRST),
    Stage("planned", settings={"detour": 1}, bound_as="goal", share=HALF_BEFORE_FIRST),
    Stage("planned", settings={"detour": 2}, bound_as="goal", share=HALF_BEFORE_FIRST),
    Stage("greedy", when=UNSOLVED),
    Stage("time-ejection", "between the bound and the best"),
)
"""Private messages that are relayed."""

LAST = (
    Stage("cp-sat", "from the bound upwards, until one is undecided", NO_TREES | DECIDED, {"effort": 5.0}),
    Stage(
        "ejection",
        "one less than the best, repeatedly",
        TIMED,
        {"most_trials": TUNING.long_trials},
        most_searches=None,
    ),
    Stage("time-ejection", "one less than the best, repeatedly", TIMED, most_searches=None),
    Stage("rarest-first", "one less than the best, repeatedly", TIMED, most_searches=None),
)
"""What is decided exactly, and shortened while there is time, for all problems."""

ALLREDUCE = (
    bounds(Work.SEARCH, HAS_TREES),
    Stage("in-network-sums", bound_as="least_steps", share=HALF_BEFORE_FIRST),
    Stage("exchange", bound_as="least_steps", share=(TUNING.of_exchange, TUNING.of_exchange)),
    Stage(
        "trees",
        when=sized("num_deliveries", "tiny"),
        settings={"most_effort": 4 * TUNING.quick_effort},
        bound_as="least_steps",
        share=(TUNING.of_exchange, TUNING.of_exchange),
    ),
    bounds(Work.SPLIT, TREES_FIRST),
    Stage("trees", when=TREES_FIRST, bound_as="least_steps", share=HALF),
    Stage(
        "auto",
        "both phases, joined",
        FEW_TREES,
        share=SHARE_BEFORE_TREES,
    ),
    Stage("auto", "both phases, joined", MANY_TREES, share=SHARE_OF_PHASES),
    bounds(Work.SEARCH),
    Stage(
        "trees",
        "as few as it can, along the trees of the phases",
        IN_PHASES,
        bound_as="least_steps",
        share=SHARE_BEFORE_TREES,
    ),
    Stage("trees", when=PHASES_FIRST & FEW_TREES, bound_as="least_steps"),
    Stage("auto", "both phases, overlapped", JOINED),
    Stage("trees", "one less than the best, repeatedly", TIMED & FEW_TREES, most_searches=None),
)
"""Allreduce."""

PHASES = (
    Stage("auto", "both phases, joined", share=SHARE_OF_PHASES),
    bounds(Work.SEARCH),
    Stage("auto", "both phases, overlapped", JOINED),
)
"""Allreduce by a chosen solver of broadcasts."""


def kind_of(problem: Problem) -> str:
    """Return the table of a problem between the first and the last one."""
    if problem.pattern != "private":
        return "broadcasts and reductions"
    if problem.rules.has_slots:
        return "private messages in slots"
    if goes_on_whole_paths(problem) and problem.num_messages > TUNING.few:
        return "many private messages, each in one transfer"
    return "private messages, relayed" if SOLVERS["time-ejection"].supports(problem) else "other private messages"


TABLES: dict[str, tuple[Stage, ...]] = {
    "all problems, first": KNOWN,
    "broadcasts and reductions": BROADCAST,
    "many private messages, each in one transfer": LARGE_SCATTER,
    "private messages in slots": SLOTS,
    "private messages, relayed": STORED_SCATTER,
    "other private messages": SCATTER,
    "all problems, last": LAST,
    "allreduce": ALLREDUCE,
}
"""The tables by the kind of problem."""

"""The method `auto`: what is exact or known first, then what is quick, then what is thorough.

Without a time limit the effort is counted, so that the same seed gives the same answer whatever the machine does
besides. With one, the search for scatter goes on after that until the time is over.

Solvers are imported where they are used: most small problems are solved before most of them have their turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from pavane.bounds.registry import Work
from pavane.search.search_run import Attempt
from pavane.search.shortest import ShortestSearch, prove
from pavane.solvers import SOLVERS, Solver

if TYPE_CHECKING:
    from pavane.model.problem import Problem
    from pavane.solvers.exact.cp_sat import CpSat
    from pavane.solvers.large_scatter.warm_start import WarmStart

QUICK_TRIALS = 4_000_000
"""Pairs of a path and a step that a quick ejection search may try: under a second."""

LONG_TRIALS = 20_000_000
"""Those of a long one: a few seconds."""

MOST_LONG_SEARCHES = 16
"""How often the long search starts anew where no time limit is given; starting anew beats going on."""

MOST_TRANSLATED = 300
"""In larger networks translations take tens of seconds, and find nothing at the bound."""

CELLS_OF_ORBITS = 10_000_000_000
"""What packing of orbits may look at where no time limit is given; packing of all messages follows."""

LEAST_DETOURED = 500
"""With fewer messages ejection search along picked paths is as good as plans with detours, and quick."""

CELLS_OF_DETOURS = 2_000_000_000
"""What filling along plans with detours may look at in small problems where no time limit is given: two seconds."""

SHARE_OF_DETOURS = 0.5
"""What part of the time left it may take."""

SHARE_BEFORE_AN_ANSWER = 0.5
"""What part of the time left an attempt may take while there is no schedule, so that first fit has its turn."""

BROADCASTERS = ("nested-codes", "informed-sets")
"""What broadcasts and reductions of one message are tried with, in this order, before rarest first."""

QUICK_EFFORT = 50_000
"""That of rarest first before better bounds, and before a small problem is decided exactly: under a second."""

MOST_TINY_DELIVERIES = 60
"""Up to this many arrivals first fit takes milliseconds, and nothing is quicker."""

MOST_SMALL_DELIVERIES = 1_000
"""Up to this many arrivals several passes of first fit take less than a second."""

MOST_QUICK_DELIVERIES = 10_000
"""With more arrivals even one attempt of rarest first is not quick, and no better bound ends a search sooner."""

MOST_SPREAD_AT_ONCE = 20_000
"""With more arrivals many pieces are spread a few at a time first; all at once they take five seconds and more."""

MOST_VARIABLES = 20_000
"""Programs of CP-SAT up to this size decide in a second what a long search could only ever find, never refute."""

MOST_SMALL = 5_000
"""With more messages even first fit takes seconds, and many pieces are tried a few at a time."""

MOST_BOUNDED_FIRST = 1_000
"""With more messages under store-and-forward better bounds take a while, and a quick plan comes before them."""

QUICK_PASSES = 10
"""Passes over all messages of a plan that is to give a first answer on a large network."""

CELLS_OF_A_GLANCE = 20_000_000
"""Pairs of a hop and a step that ejection search through time may look at before anything is planned."""

QUICK_CELLS = 100_000_000
"""Pairs of a hop and a step that a quick ejection search through time may look at: half a second."""

MOST_MESSAGES_IN_STEPS = 50_000_000
"""With more messages times steps one ejection search through time takes minutes; plans do without."""


def try_all(search: ShortestSearch) -> None:
    """Try what is exact or known first, then what is quick, then what is thorough."""
    problem, asked, seed = search.problem, search.best.requested_steps, search.seed
    for name in ("flow", "complement-pairs", "antipodal-trails", "transposed-pairs"):
        if SOLVERS[name].supports(problem):
            better = search.run([Attempt(SOLVERS[name], asked, seed)], share=SHARE_BEFORE_AN_ANSWER)
            if better or search.is_over:
                return
    if problem.rules.switching == "store-and-forward" and SOLVERS["translated"].supports(problem):
        search.run([Attempt(SOLVERS["translated"], asked, seed)], share=SHARE_BEFORE_AN_ANSWER)
        prove(search, Work.SPLIT)
        if search.is_over:
            return
    combines = problem.rules.combining and SOLVERS["combining"].supports(problem)
    if combines and search.run([Attempt(SOLVERS["combining"], asked, seed)]):
        return
    if problem.pattern != "private":
        _broadcast(search)
    elif problem.num_messages > MOST_SMALL and _goes_on_whole_paths(problem):
        _large_scatter(search)
    else:
        is_stored = _goes_hop_by_hop(problem)
        if not is_stored or problem.num_messages <= MOST_SMALL:
            search.run(_passes(search, 20))
        if not search.is_over and is_stored:
            _stored_scatter(search)
        elif not search.is_over and _goes_on_whole_paths(problem):
            _small_scatter(search)
    if not search.is_over:
        _thoroughly(search)


def _goes_on_whole_paths(problem: Problem) -> bool:
    """Say whether messages are private and each goes in one transfer."""
    return any(SOLVERS[name].supports(problem) for name in ("first-fit", "ejection"))


def _goes_hop_by_hop(problem: Problem) -> bool:
    """Say whether messages are private and relayed, and not too many to be planned."""
    return problem.rules.switching == "store-and-forward" and SOLVERS["time-ejection"].supports(problem)


def _thoroughly(search: ShortestSearch) -> None:
    """Decide exactly what is small, and shorten while there is time."""
    from pavane.solvers.exact.cp_sat import CpSat

    problem = search.problem
    if CpSat().supports(problem):
        _exactly(search, CpSat(effort=5.0))
    if search.budget.deadline is None:
        return
    if SOLVERS["ejection"].supports(problem):
        _shorten(search, None)
    elif _goes_hop_by_hop(problem):
        while not search.is_over and search.best.num_steps is not None:
            _first_success(search, _timed(search, search.best.num_steps - 1, count(2)))


def _passes(search: ShortestSearch, most: int, first: int = 0) -> Iterator[Attempt]:
    """Yield first fit in several orders: cheap on small problems, and counted, so that a seed says all."""
    for number in range(first, max(1, min(most, 10_000 // search.problem.num_deliveries))):
        yield Attempt(SOLVERS["greedy"], search.best.requested_steps, search.seed + number)


def _broadcast(search: ShortestSearch) -> None:
    """Known codes, informed sets, rotation and rarest first, after one pass of first fit where it is quick or wanted.

    Rotation takes one step less than there are messages. It goes first where that is the bound, or where a large
    problem wants an answer in time, and last where it is shorter than what the others found.
    """
    num_passes = 1 if _is_first_fit_first(search) else 0
    if num_passes:
        search.run(_passes(search, 1))
    _run_each(search, (SOLVERS[name] for name in BROADCASTERS))
    is_large = search.problem.num_deliveries > MOST_QUICK_DELIVERIES
    num_rotations = search.problem.num_messages - 1
    if search.best.lowest >= num_rotations or (is_large and search.budget.deadline is not None):
        _run_each(search, [SOLVERS["rotation"]])
    if not search.is_over:
        _rarest_first(search, num_passes)
    if search.best.num_steps is None or search.best.num_steps > num_rotations:
        _run_each(search, [SOLVERS["rotation"]])
    if search.best.schedule is None and not search.is_over:
        search.run(_passes(search, 1))
    prove(search, Work.SEARCH)


def _is_first_fit_first(search: ShortestSearch) -> bool:
    """Say whether first fit goes first: it does where nothing is quicker, and for an answer before kernels compile."""
    problem = search.problem
    if problem.num_deliveries <= MOST_TINY_DELIVERIES:
        return True
    is_small = problem.num_deliveries <= MOST_SMALL_DELIVERIES
    if is_small and (search.budget.deadline is not None or not problem.is_plain):
        return True
    return problem.passes_switches and problem.num_deliveries <= MOST_QUICK_DELIVERIES


def _rarest_first(search: ShortestSearch, num_passes: int) -> None:
    """Spread with little effort, look for better bounds, decide what is small exactly; then spread with more effort.

    Better bounds come before the rest, because they may end the search. Passes of first fit have been made; small
    problems get more of them.
    """
    from pavane.solvers.broadcast.rarest_first import RarestFirst
    from pavane.solvers.exact.cp_sat import CpSat

    problem = search.problem
    quick = RarestFirst(most_effort=QUICK_EFFORT)
    if problem.num_deliveries > MOST_SPREAD_AT_ONCE:
        _few_pieces_at_a_time(search, quick)
    if problem.num_deliveries <= MOST_QUICK_DELIVERIES:
        if not problem.is_plain and search.best.schedule is not None:
            prove(search, Work.SEARCH)  # with pieces and capacities what is counted is rarely the last word
        _run_each(search, [replace(quick, least_steps=search.best.lowest)])
        prove(search, Work.SEARCH)
        if not search.is_over and problem.num_deliveries <= MOST_SMALL_DELIVERIES:
            search.run(_passes(search, 5, num_passes))
        small = CpSat(most_variables=MOST_VARIABLES, effort=1.0)
        if not search.is_over and small.supports(problem):
            _exactly(search, small)
    _run_each(search, [RarestFirst(least_steps=search.best.lowest)])


def _run_each(search: ShortestSearch, solvers: Iterable[Solver]) -> None:
    """Let solvers that can work on the problem try in turn; none is made before its turn."""
    made = iter(solvers)
    while not search.is_over and (solver := next(made, None)) is not None:
        if solver.supports(search.problem):
            share = SHARE_BEFORE_AN_ANSWER if search.best.schedule is None else 1.0
            search.run([Attempt(solver, search.best.requested_steps, search.seed)], share=share)


def _large_scatter(search: ShortestSearch) -> None:
    """Translations where the network has them, first fit for an answer at once, then packing with ever fewer steps.

    Many pieces are tried a few at a time before that.
    """
    from pavane.solvers.ejection.ejection import Ejection, Routed
    from pavane.solvers.large_scatter.windowed_first_fit import WindowedFirstFit

    problem, seed = search.problem, search.seed
    if search.budget.deadline is not None and SOLVERS["first-fit"].supports(problem):
        search.run([Attempt(WindowedFirstFit(), search.best.requested_steps, seed)])
        if search.best.schedule is None and search.best.requested_steps is None:
            return
    prove(search, Work.SPLIT)
    _few_pieces_at_a_time(search, Routed() if problem.rules.routing == "any" else Ejection(most_trials=LONG_TRIALS))
    if problem.network.num_routers <= MOST_TRANSLATED and SOLVERS["translation"].supports(problem):
        search.run([Attempt(SOLVERS["translation"], search.best.lowest, seed)])
    if search.is_over:
        return
    # Where steps are filled along a plan, a first schedule is all that first fit is good for.
    is_waited_for = search.best.schedule is None or not _is_carried_out(problem)
    if is_waited_for and (search.best.schedule is None or search.judging_seconds is not None):
        quick = "first-fit" if SOLVERS["first-fit"].supports(problem) else "greedy"
        search.run([Attempt(SOLVERS[quick], search.best.requested_steps, seed)])
    prove(search, Work.SEARCH)
    if not search.is_over and SOLVERS["packing"].supports(problem):
        _pack(search)
    elif not search.is_over and SOLVERS["ejection"].supports(problem):
        _walk(search)


def _is_carried_out(problem: Problem) -> bool:
    """Say whether packing fills steps along a plan."""
    from pavane.solvers.large_scatter.packing import fills_along_plans

    return SOLVERS["packing"].supports(problem) and fills_along_plans(problem)


def _few_pieces_at_a_time(search: ShortestSearch, few: Solver) -> None:
    """Repeat schedules of a few pieces, at the bound and then at more and more steps, until one succeeds."""
    from pavane.solvers.ejection.repetition import Repetition

    if not Repetition(few).supports(search.problem):
        return
    prove(search, Work.SEARCH)
    more = 0
    while not search.is_over and search.best.lowest + more < (search.best.num_steps or 2 * search.best.lowest):
        if search.run([Attempt(Repetition(few), search.best.lowest + more, search.seed)], share=SHARE_BEFORE_AN_ANSWER):
            return
        more = max(1, 2 * more)


def _pack(search: ShortestSearch) -> None:
    """Pack orbits where the network has symmetries, for half of the time, then shorten the best schedule.

    Where steps are filled by orbits that is part of packing.
    """
    from pavane.solvers.large_scatter.packing import Packing, fills_by_orbits
    from pavane.solvers.large_scatter.warm_start import WarmStart
    from pavane.symmetry.orbits import quotient

    enough = max(search.best.lowest, search.best.requested_steps or 0)
    group = () if fills_by_orbits(search.problem) else quotient(search.problem)
    if group:
        _shorten_by(search, WarmStart(None, enough, group, Packing(most_cells=CELLS_OF_ORBITS)), 0.5)
    if not search.is_over:
        packing = Packing(
            part_of_limit=0.5 if group else 1.0, is_hasty=search.best.result.provenance.solver == "first-fit"
        )
        _shorten_by(search, WarmStart(search.best.schedule, enough, packing=packing), 1.0)


def _shorten_by(search: ShortestSearch, solver: WarmStart, share: float) -> None:
    """Run a solver; with a time limit every worker does, with a seed of its own and shorter and shorter strides.

    The first one fills quickly before it fills with care; the others use all of their time for care. On the largest
    networks workers of this machine fill the same steps together instead.
    """
    from pavane.solvers.large_scatter.packing import is_filled_by_threads

    runs = 1 if search.budget.deadline is None else search.workers.size
    if runs > 1 and search.workers.is_local and is_filled_by_threads(search.problem):
        runs = 1
    packings = [
        replace(solver.packing, strides=(number + 1) * solver.packing.strides, is_quick_first=number == 0)
        for number in range(runs)
    ]
    solvers = [replace(solver, packing=packing) for packing in packings]
    attempts = [Attempt(one, search.best.requested_steps, search.seed + number) for number, one in enumerate(solvers)]
    search.run(attempts, share=share)


def _small_scatter(search: ShortestSearch) -> None:
    """Better bounds, translations, then ejection search at every number of steps from the bound upwards."""
    prove(search, Work.SEARCH)
    if not search.is_over and SOLVERS["translation"].supports(search.problem):
        search.run([Attempt(SOLVERS["translation"], search.best.lowest, search.seed)])
    if not search.is_over and search.problem.rules.routing == "any":
        _pack_with_detours(search)
    if not search.is_over:
        _walk(search)


def _pack_with_detours(search: ShortestSearch) -> None:
    """Fill steps along plans with detours, where they are allowed and there are enough messages for that to pay."""
    from pavane.solvers.large_scatter.packing import Packing
    from pavane.solvers.large_scatter.warm_start import WarmStart

    problem = search.problem
    if problem.num_messages >= LEAST_DETOURED and _is_carried_out(problem):
        packing = Packing(most_cells=CELLS_OF_DETOURS, part_of_limit=SHARE_OF_DETOURS)
        search.run(
            [Attempt(WarmStart(None, search.best.lowest, packing=packing), search.best.requested_steps, search.seed)],
            share=SHARE_OF_DETOURS,
        )


def _walk(search: ShortestSearch) -> None:
    """Quick attempts from the bound upwards until one succeeds, then long ones downwards until none does."""
    above = search.best.num_steps if search.best.num_steps is not None else (search.best.requested_steps or 2**31) + 1
    for num_steps in range(search.best.lowest, above):
        quick = _ejections(search, num_steps, QUICK_TRIALS, range(1))
        if search.run(quick, until_success=True) or search.is_over:
            break
    _shorten(search, MOST_LONG_SEARCHES)


def _shorten(search: ShortestSearch, most_searches: int | None) -> None:
    """Long attempts at one step less than the best, `most_searches` of them, or None: while there is time."""
    while not search.is_over and search.best.num_steps is not None:
        numbers = count(1) if most_searches is None else range(1, 1 + most_searches)
        if not _first_success(search, _ejections(search, search.best.num_steps - 1, LONG_TRIALS, numbers)):
            return


def _ejections(search: ShortestSearch, num_steps: int, trials: int, numbers: Iterable[int]) -> Iterator[Attempt]:
    """Yield ejection searches, with symmetry where there is one and along picked paths where detours are allowed."""
    from pavane.solvers.ejection.ejection import Ejection, Quotient, Routed
    from pavane.symmetry.involutions import free_involutions

    symmetric = next(free_involutions(search.problem), None) is not None
    for number in numbers:
        # What has a symmetry and resisted the quick attempts mostly wants the symmetry.
        if not symmetric or number % 4 == 0:
            yield Attempt(Ejection(most_trials=trials), num_steps, search.seed + number)
        if symmetric:
            yield Attempt(Quotient(most_trials=trials), num_steps, search.seed + number)
        if search.problem.rules.routing == "any":
            yield Attempt(Routed(most_trials=trials), num_steps, search.seed + number)


def _first_success(search: ShortestSearch, attempts: Iterator[Attempt]) -> bool:
    """Make attempts, a batch for the workers at a time, until one succeeds."""
    while True:
        batch = [attempt for _, attempt in zip(range(2 * search.workers.size), attempts, strict=False)]
        if not batch or search.is_over:
            return False
        if search.run(batch, until_success=True):
            return True


def _stored_scatter(search: ShortestSearch) -> None:
    """A glance at the bound, plans with ever longer detours, then searches between the bound and the best schedule."""
    from pavane.solvers.ejection.planned import Planned
    from pavane.solvers.ejection.time_ejection import TimeEjection

    problem = search.problem
    is_large = problem.num_messages > MOST_SMALL
    if problem.num_messages > MOST_BOUNDED_FIRST:
        _run_each(search, [Planned(most_passes=QUICK_PASSES)])
    prove(search, Work.SEARCH)
    if is_large and not search.is_over:
        _few_pieces_at_a_time(search, Planned(detour=1))
    elif not search.is_over:
        search.run([Attempt(TimeEjection(most_cells=CELLS_OF_A_GLANCE), search.best.lowest, search.seed)])
    _run_each(
        search, [Planned(goal=search.best.lowest, detour=detour) for detour in ((1, 2) if is_large else (0, 1, 2))]
    )
    if search.best.schedule is None and not search.is_over:
        search.run(_passes(search, 1))
    _close_in(search)


def _close_in(search: ShortestSearch) -> None:
    """Try the bound, then the middle between what failed and what was found, until they meet."""
    failed, num_steps = search.best.lowest - 1, search.best.lowest
    while not search.is_over:
        found = search.best.num_steps
        above = found if found is not None else (search.best.requested_steps or 0) + 1
        if num_steps >= above:
            return
        if not search.run(_timed(search, num_steps, range(2)), until_success=True):
            failed = num_steps
        above = search.best.num_steps or above
        num_steps = max(failed + 1, (failed + above) // 2)


def _timed(search: ShortestSearch, num_steps: int, numbers: Iterable[int]) -> Iterator[Attempt]:
    """Yield ejection searches through time and plans by turns, along shortest paths and with detours."""
    from pavane.solvers.ejection.planned import Planned
    from pavane.solvers.ejection.time_ejection import TimeEjection

    is_light = search.problem.num_messages * num_steps <= MOST_MESSAGES_IN_STEPS
    for number in numbers:
        if is_light:
            solver = TimeEjection(detour=number % 2, most_cells=QUICK_CELLS * (1 + number))
            yield Attempt(solver, num_steps, search.seed + number)
        yield Attempt(Planned(goal=num_steps, detour=1 + number % 2), num_steps, search.seed + 1 + number)


def _exactly(search: ShortestSearch, solver: CpSat) -> None:
    """Let CP-SAT decide fewer steps than the best, one at a time from the bound upwards."""
    for num_steps in range(search.best.lowest, search.best.num_steps or search.best.lowest + 1):
        if search.run([Attempt(solver, num_steps, search.seed)]) or search.is_over:
            return
        if search.best.lowest <= num_steps:
            return  # neither found nor refuted: more steps would prove nothing

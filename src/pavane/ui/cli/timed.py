"""`pavane solve --timed` and timed schedule files: start times on links with a latency and a bandwidth each."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pavane.errors import InputError, InvalidSchedule
from pavane.io.objects import LinkDefaults
from pavane.text import counted
from pavane.timing import picoseconds_text, rate_text, read_per_byte, read_size, read_time
from pavane.ui.cli.outputs import is_stdout, write_bytes
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import answer, headline

if TYPE_CHECKING:
    from pavane.io.timed_file import TimedClaim
    from pavane.judge.timed_result import TimedResult
    from pavane.model.links import Links
    from pavane.model.timed import TimedProblem
    from pavane.ui.cli.solve_run import SolveRun

MOST_PIECES_TRIED = 64
"""With --pieces auto numbers of pieces are doubled up to this one."""


def refuse_for_times(run: SolveRun) -> None:
    """Refuse options that go with steps only, and times without a size."""
    front, search, files = run.front, run.search, run.files
    given: dict[str, object] = {"--front": front.folder, "--startup": front.startup, "--per-byte": front.per_byte}
    given |= {"--steps": search.steps, "--atlas": search.atlas, "--trace": files.trace}
    for flag, value in given.items():
        if value is not None:
            raise InputError(f"{flag} does not go with --timed; links have --latency and --bandwidth")
    if search.method != "auto":
        raise InputError(f"--method {search.method} does not go with --timed; leave it out")
    if front.size is None:
        raise InputError("--timed needs the size of a message; add --bytes, for example --bytes 1MiB")
    output = files.output
    is_file = output is not None and not is_stdout(output)
    if output is not None and is_file and not output.name.lower().removesuffix(".gz").endswith(".json"):
        raise InputError(f"-o {output}: a timed schedule is written as .json or .json.gz")


def solve_with_times(run: SolveRun) -> bool:
    """Search for a timed schedule, for each number of pieces, write and print the best; return whether there is one."""
    from pavane.search.options import SearchOptions
    from pavane.search.timed import solve_timed

    search, output = run.search, run.files.output
    best: TimedResult | None = None
    tried: list[tuple[int, int]] = []
    with waited_for(f"searching {run.problem}"), run.pool.open(run.problem) as workers:
        for count in _piece_counts(run):
            timed = _timed(run, count)
            result = solve_timed(timed, SearchOptions(search.seed, search.seconds, workers=workers))
            if result.finish is None:
                continue
            tried.append((count, result.finish))
            if best is None or best.finish is None or result.finish < best.finish:
                best = result
            elif run.request.piece_counts == "auto":
                break  # more pieces have begun to cost more than they gain
    if best is None:
        return False
    if output is not None:
        from pavane.io.timed_file import timed_bytes, write_timed

        if is_stdout(output):
            write_bytes(timed_bytes(best))
        else:
            write_timed(output, best)
    found = best
    answer(run.printing.as_json, lambda: timed_figures(found, tried), lambda: _lines(found, tried, run), output)
    return True


def _piece_counts(run: SolveRun) -> Iterator[int]:
    counts = run.request.piece_counts
    if counts != "auto":
        yield from counts
        return
    count = 1
    while count <= MOST_PIECES_TRIED:
        yield count
        count *= 2


def _timed(run: SolveRun, pieces: int) -> TimedProblem:
    """Return the timed problem for a number of pieces."""
    from pavane.model.timed import TimedProblem

    front, problem = run.front, run.problem
    collective = problem.collective
    if not run.request.has_one_piece_count:
        collective = replace(collective, pieces=pieces)
    size = read_size(front.size or "", "--bytes")
    return TimedProblem(replace(problem, collective=collective), _links(run), size)


def _links(run: SolveRun) -> Links:
    """Return the links of a network file, or those that the options say, the same for all channels."""
    from pavane.io.timed_file import read_links
    from pavane.model.links import Links

    front, network = run.front, run.problem.network
    rate = None if front.bandwidth is None else round(1 / read_per_byte(front.bandwidth, "--bandwidth"))
    latency = 0 if front.latency is None else round(read_time(front.latency, "--latency") * 1e12)
    overhead = 0 if front.overhead is None else round(read_time(front.overhead, "--overhead") * 1e12)
    if os.path.isfile(run.request.network):
        if run.request.faults:
            raise InputError("--fault does not go with --timed and a network file; take the channels out of the file")
        links = read_links(run.request.network, network, LinkDefaults(latency, overhead, rate))
        if links is not None:
            return links
    if rate is None:
        raise InputError("--timed needs the bandwidth of channels; add --bandwidth, for example --bandwidth 25GB/s")
    return Links.uniform(network, latency_ps=latency, bytes_per_second=rate, overhead_ps=overhead)


# -- reports


def bandwidths(result: TimedResult) -> tuple[float, float] | None:
    """Return the algorithmic and the bus bandwidth as nccl-tests define them, in bytes per second; None elsewhere."""
    problem, finish = result.timed.problem, result.finish
    count = len(problem.collective.senders)
    factors = {"AAB": 1 - 1 / count, "AAS": 1 - 1 / count, "AAR": 1 - 1 / count, "ALLREDUCE": 2 * (1 - 1 / count)}
    factors |= {"OAB": 1.0, "AOR": 1.0}
    kind = problem.collective.kind
    if kind not in factors or not finish or problem.collective.sizes:
        return None
    total = result.timed.num_bytes * (1 if kind in ("OAB", "AOR") else count)
    if kind == "ALLREDUCE":
        total = result.timed.num_bytes * len(problem.collective.receivers)
    rate = total * 1e12 / finish
    return rate, rate * factors[kind]


def timed_figures(result: TimedResult, tried: Sequence[tuple[int, int]] = ()) -> dict[str, Any]:
    """Return the figures of a timed result for JSON."""
    problem, bound, rates = result.timed.problem, result.bound, bandwidths(result)
    return {
        "network": problem.network.name,
        "collective": problem.collective.kind,
        "bytes": result.timed.num_bytes,
        "pieces": problem.collective.pieces,
        "finish_ps": result.finish,
        "bound_ps": None if bound is None else bound.finish,
        "status": result.status,
        "solver": result.provenance.solver,
        "transfers": 0 if result.schedule is None else len(result.schedule),
        **({} if rates is None else {"algorithmic_bandwidth": rates[0], "bus_bandwidth": rates[1]}),
        "tried": [{"pieces": count, "finish_ps": finish} for count, finish in tried],
    }


def _lines(result: TimedResult, tried: list[tuple[int, int]], run: SolveRun) -> Iterator[str]:
    """Yield the report of a timed result."""
    yield from headline(result.timed.problem, run.request.collective)
    yield from timed_lines(result)
    if len(tried) > 1:
        texts = (f"{counted(count, 'piece')} {picoseconds_text(finish)}" for count, finish in tried)
        yield f"tried       {', '.join(texts)}"
    yield f"found by    {result.provenance.solver} in {result.provenance.seconds:.2f} s, seed {result.provenance.seed}"
    if run.files.output is not None and not is_stdout(run.files.output):
        yield f"written to  {run.files.output}"


def timed_lines(result: TimedResult) -> Iterator[str]:
    """Yield the lines on links, end, bound and status."""
    from pavane.ui.player.timed_texts import link_text

    timed, bound, finish = result.timed, result.bound, result.finish or 0
    yield f"links       {link_text(timed)}"
    if bound is not None:
        yield f"bound       {picoseconds_text(bound.finish)} ({bound.argument})"
    transfers = 0 if result.schedule is None else len(result.schedule)
    yield f"ends        {picoseconds_text(finish)}, {counted(transfers, 'transfer')}"
    rates = bandwidths(result)
    if rates is not None:
        yield f"bandwidth   {rate_text(rates[0])} algorithmic, {rate_text(rates[1])} bus"
    gap = "" if bound is None or result.status == "optimal" else f", {finish / bound.finish:.3f} times the bound"
    yield f"status      {result.status}{gap}"


def verify_timed_file(file: Path, most: int, as_json: bool) -> int:
    """Judge a timed schedule file, print what is wrong with it, and return the exit code."""
    from pavane.io.timed_file import read_timed
    from pavane.judge.timed_rules import verify_timed

    with waited_for(f"reading and judging {file}"):
        claim = read_timed(file)
        violations = verify_timed(claim.timed, claim.schedule, most)
        result = None
        objection = ""
        try:
            result = claim.result()
        except (InputError, InvalidSchedule) as error:
            objection = str(error)
    answer(
        as_json,
        lambda: {
            "valid": result is not None,
            "violations": [{"rule": each.rule, "text": each.text} for each in violations],
            **({"objection": objection} if result is None else timed_figures(result)),
        },
        lambda: _verdict_lines(claim, result, [f"{each.rule}: {each.text}" for each in violations] or [objection]),
    )
    return 0 if result is not None else 1


def _verdict_lines(claim: TimedClaim, result: TimedResult | None, objections: list[str]) -> Iterator[str]:
    yield from headline(claim.timed.problem)
    if result is None:
        yield from (f"violation   {text}" for text in objections)
        yield "verdict     invalid"
        return
    yield from timed_lines(result)
    for bound in claim.bounds:
        if bound not in result.bounds:
            yield f"bound       {picoseconds_text(bound.finish)} ({bound.argument}): claimed, not proven"
    yield f"verdict     valid, {result.status}"

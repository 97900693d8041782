"""`pavane solve --timed`: start times on links with a latency and a bandwidth each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from pavane.errors import InputError
from pavane.model.channel_speeds import ChannelSpeeds
from pavane.text import counted
from pavane.timing import picoseconds_text, read_per_byte, read_size, read_time
from pavane.ui.cli.notes import note, note_end
from pavane.ui.cli.options import refuse_given
from pavane.ui.cli.outputs import is_stdout, write_bytes
from pavane.ui.cli.report import answer
from pavane.ui.cli.result_report import result_lines
from pavane.ui.description import figures_of

if TYPE_CHECKING:
    from pavane.judge.result import Result
    from pavane.model.links import Links
    from pavane.ui.cli.solve_run import SolveRun


def refuse_for_times(run: SolveRun) -> None:
    """Refuse options that go with steps only, and times without a size."""
    front, search, files = run.front, run.search, run.files
    given: dict[str, object] = {"--front": front.folder, "--startup": front.startup, "--per-byte": front.per_byte}
    given |= {"--steps": search.steps}
    refuse_given(given, "does not go with --timed; links have --latency and --bandwidth")
    if search.method != "auto":
        raise InputError(f"--method {search.method} does not go with --timed; leave it out")
    if front.size is None and front.sweep is None and front.is_timed:
        raise InputError("--timed needs the size of a message; add --bytes, for example --bytes 1MiB")
    if front.size is not None and front.sweep is not None:
        raise InputError("--sweep says the sizes of messages; leave out --bytes, or --sweep")
    run.printing.refuse_several("--timed")
    output = files.output
    if front.sweep is not None:
        return
    is_file = output is not None and not is_stdout(output)
    if output is not None and is_file and not output.name.lower().removesuffix(".gz").endswith(".json"):
        raise InputError(f"-o {output}: a schedule with start times is written as .json or .json.gz")


def solve_with_times(run: SolveRun) -> bool:
    """Search for start times, for each number of pieces, write and print the best; return whether there is one."""
    from pavane.io import schedule_bytes, write_schedule
    from pavane.search.pieces import sweep_pieces

    output, counts = run.files.output, run.request.piece_counts
    if run.request.has_one_piece_count:
        counts = (run.problem.collective.pieces,)  # also that of a problem file

    def write(result: Result) -> None:
        if output is not None and not is_stdout(output):
            write_schedule(output, result)

    problem = run.problem
    if run.front.is_timed:
        problem = replace(problem, links=links_of(run), num_bytes=read_size(run.front.size or "", "--bytes"))
    with run.searching(None) as options:
        found = sweep_pieces(problem, counts, replace(options, on_improvement=write))
    best = found.best() if found.solved else None
    if best is not None and is_stdout(output):
        write_bytes(schedule_bytes(best))
    note_end(found.notes, found.interrupted)
    if best is None:
        return False
    tried = [(result.problem.collective.pieces, result.finish) for result in found.results if result.finish is not None]
    more = [{"pieces": count, "finish_ps": finish} for count, finish in tried]
    answer(
        run.printing.as_json,
        lambda: {**figures_of(best, output), "tried": more},
        lambda: _lines(best, tried, run),
        output,
    )
    return True


def links_of(run: SolveRun) -> Links:
    """Return the links of a network file, with what it does not say from the options."""
    from pavane.model.links import Links

    front, network = run.front, run.problem.network
    rate = None if front.bandwidth is None else round(1 / read_per_byte(front.bandwidth, "--bandwidth"))
    latency = 0 if front.latency is None else round(read_time(front.latency, "--latency") * 1e12)
    overhead = 0 if front.overhead is None else round(read_time(front.overhead, "--overhead") * 1e12)
    known = network.speeds or ChannelSpeeds()
    is_file = os.path.isfile(run.request.network)
    if rate is None and known.bandwidths is None:
        says = f"{run.request.network} says no bandwidths" if is_file else "--timed needs the bandwidth of channels"
        latencies = "" if known.latencies is not None else ", and --latency, as 0.7us"
        raise InputError(f"{says}; add --bandwidth, for example --bandwidth 25GB/s{latencies if is_file else ''}")
    if is_file and known.latencies is None and front.latency is None:
        note(f"{run.request.network} says no latencies, so that they are 0; --latency, as 0.7us, gives one to all")
    return Links.of_network(network, latency_ps=latency, bytes_per_second=rate, overhead_ps=overhead)


def _lines(result: Result, tried: list[tuple[int, int]], run: SolveRun) -> Iterator[str]:
    """Yield the report of a result, and the ends with other numbers of pieces."""
    yield from result_lines(result, run.files.output, run.request.collective)
    if len(tried) > 1:
        texts = (f"{counted(count, 'piece')} {picoseconds_text(finish)}" for count, finish in tried)
        yield f"tried       {', '.join(texts)}"

"""sccl: a schedule as msccl-tools keeps an algorithm that SCCL synthesized, in JSON.

SCCL's model is store-and-forward between processors: `links[dst][src]` says how many messages, or pieces of them, fit
through in one of its rounds, and a step of r rounds has room for r times as many. Port limits and half duplex become
its `switches`, which limit what goes from a set of processors to a set of processors.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import numpy as np

from pavane.io.exports.export import Export, Options
from pavane.io.exports.reasons import carried, resting
from pavane.io.message_bytes import piece_numbers
from pavane.judge.result import Result
from pavane.model.problem import Problem

RUNTIME_NAMES = {"AAB": "allgather", "AAS": "alltoall", "AAR": "reduce_scatter"}
NAMES = {"AAB": "Allgather", "AAS": "Alltoall", "AAR": "ReduceScatter"}


def _refusal(result: Result) -> str | None:
    refused = resting(result, "SCCL keeps data")
    if refused is not None:
        return refused
    problem, schedule = carried(result)
    if problem.pattern == "allreduce":
        return (
            "SCCL does not say whether what arrives is added or takes the place of what is there, and msccl-tools "
            "adds; export to msccl-xml, or the reduce-scatter and the allgather each by itself"
        )
    network = problem.network
    for router, processors in enumerate(network.processors_on):
        if len(processors) > 1:
            return (
                f"router {network.routers[router]} carries {len(processors)} processors that share its channels, "
                "and SCCL knows links between processors only"
            )
    longer = np.flatnonzero(schedule.path_lengths != 1)
    if len(longer):
        transfer = schedule.transfer(int(longer[0]))
        through = [router for router in network.heads[list(transfer.path[:-1])].tolist() if problem.is_switch[router]]
        if through:
            return (
                f"the transfer from processor {transfer.sender} to {transfer.receiver} in step {transfer.step + 1} "
                f"runs through the pure switch r{through[0]} (router {network.routers[through[0]]}), and SCCL knows "
                "links between processors only"
            )
        return (
            f"the transfer from processor {transfer.sender} to {transfer.receiver} in step {transfer.step + 1} covers "
            f"{len(transfer.path)} channels, and SCCL covers one in a step; solve with `switching='store-and-forward'`"
        )
    return None


def _chunks(problem: Problem) -> tuple[list[dict[str, Any]], list[int]]:
    """Return SCCL's chunks, units of messages, and the address of each piece; chunks at one address are added up.

    As in msccl-tools, a chunk that is cut into k has its pieces at k times its address, and those that follow.
    """
    collective, num_processors = problem.collective, problem.network.num_processors
    ends = problem.distinct_ends.tolist()
    sizes = {size[:-1]: size[-1] for size in collective.sizes}
    units = [sizes.get(tuple(row), 1) for row in ends]
    starts = [0, *accumulate(units)]
    if collective.kind == "AAS" and not sizes:
        # The numbers that msccl-tools gives the parts of its own Alltoall, one's own part included.
        chunks = [([o], [t], t * num_processors + o) for t in range(num_processors) for o in range(num_processors)]
        starts = [target * num_processors + origin for origin, target in ends]
    else:
        chunks = [
            (pre, post, starts[number] + unit)
            for number, row in enumerate(ends)
            for unit in range(units[number])
            for pre, post in _chunk_ends(problem, row)
        ]
    first = {tuple(row): start * collective.pieces for row, start in zip(ends, starts, strict=False)}
    numbers = piece_numbers(problem).tolist()
    addresses = [first[tuple(row)] + number for row, number in zip(problem.ends.tolist(), numbers, strict=True)]
    return [{"msccl_type": "chunk", "pre": pre, "post": post, "addr": addr} for pre, post, addr in chunks], addresses


def _chunk_ends(problem: Problem, label: list[int]) -> Iterator[tuple[list[int], list[int]]]:
    """Yield who has a message before, and who after; for a reduction, of each contribution."""
    targets = sorted(problem.collective.receivers)
    if problem.pattern == "private":
        yield [label[0]], [label[1]]
    elif problem.pattern == "broadcast":
        yield [label[0]], targets
    else:
        yield from (([origin], [label[0]]) for origin in sorted(problem.collective.senders))


def _topology(problem: Problem) -> dict[str, Any]:
    network, ports = problem.network, problem.rules.ports
    count = network.num_processors
    home = {int(router): processor for processor, router in enumerate(network.router_of)}
    links = [[0] * count for _ in range(count)]
    joined: dict[tuple[int, int], int] = {}
    for channel, (tail, head) in enumerate(network.channels.tolist()):
        if tail in home and head in home:
            links[home[head]][home[tail]] += int(network.capacity[channel])
            back = int(network.opposite[channel])
            if problem.rules.duplex == "half" and back > channel:
                ends = (min(home[tail], home[head]), max(home[tail], home[head]))
                joined[ends] = joined.get(ends, 0) + int(network.capacity[channel])
    switches: list[list[Any]] = []
    if ports != "all":
        everyone = list(range(count))
        switches += [[[p], [q for q in everyone if q != p], ports, f"ports out of {p}"] for p in everyone]
        switches += [[[q for q in everyone if q != p], [p], ports, f"ports into {p}"] for p in everyone]
    switches += [[[a, b], [a, b], width, f"link {a}-{b}"] for (a, b), width in sorted(joined.items())]
    return {"msccl_type": "topology", "name": network.name, "switches": switches, "links": links}


def _write(result: Result, options: Options) -> dict[str, bytes]:
    problem, schedule = carried(result)
    count, kind = problem.network.num_processors, problem.collective.kind
    chunks, addresses = _chunks(problem)
    cut_into, is_even = problem.collective.pieces, not problem.collective.sizes
    steps: list[dict[str, Any]] = []
    for step in range(schedule.num_steps):
        transfers = [schedule.transfer(number) for number in schedule.of_step(step)]
        sends = [[addresses[m], t.sender, t.receiver] for t in transfers for m in t.messages]
        rounds = max(len(t.messages) for t in transfers)
        steps.append({"msccl_type": "step", "rounds": rounds, "sends": sorted(sends)})
    maps: list[dict[str, list[int]]] = []
    for side in ("pre", "post"):
        found: dict[int, set[int]] = {}
        for chunk in chunks:
            pieces = range(chunk["addr"] * cut_into, (chunk["addr"] + 1) * cut_into)
            for processor in chunk[side]:
                found.setdefault(processor, set()).update(pieces)
        maps.append({str(processor): sorted(found[processor]) for processor in sorted(found)})
    title = f"{NAMES.get(kind, kind) if is_even else kind}(n={count})"
    cut = "" if cut_into == 1 else f",chunks={cut_into}"
    algorithm = {
        "msccl_type": "algorithm",
        "name": f"{title}-{problem.network.name}-steps={schedule.num_steps}{cut}",
        "instance": {
            "msccl_type": "instance",
            "steps": schedule.num_steps,
            "extra_rounds": schedule.tco - schedule.num_steps,
            "chunks": cut_into,
            "pipeline": None,
            "extra_memory": None,
            "allow_exchange": False,
        },
        "input_map": maps[0],
        "output_map": maps[1],
        "steps": steps,
        "collective": {
            "msccl_type": "collective",
            "name": title,
            "nodes": count,
            "chunks": chunks,
            "triggers": {},
            "runtime_name": RUNTIME_NAMES.get(kind, "custom") if is_even else "custom",
        },
        "topology": _topology(problem),
    }
    return {f"{options.stem}.msccl.json": (json.dumps(algorithm) + "\n").encode()}


SCCL = Export(
    "sccl",
    "An algorithm of SCCL as msccl-tools reads it, in JSON: topology, collective, and the sends of each step.",
    ".msccl.json",
    _refusal,
    _write,
)

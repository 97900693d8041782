"""sccl: a schedule as msccl-tools keeps an algorithm that SCCL synthesized, in JSON.

SCCL's model is store-and-forward between processors: `links[dst][src]` says how many messages fit through in one of
its rounds, and a step of r rounds has room for r times as many. Port limits and half duplex become its `switches`,
which limit what goes from a set of processors to a set of processors.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from pavane.exports.export import Export, Options
from pavane.exports.reasons import carried, resting
from pavane.judge.result import Result
from pavane.model.problem import Problem

RUNTIME_NAMES = {"AAB": "allgather", "AAS": "alltoall", "AAR": "reduce_scatter"}
NAMES = {"AAB": "Allgather", "AAS": "Alltoall", "AAR": "ReduceScatter"}


def _refusal(result: Result) -> str | None:
    refused = resting(result, "SCCL keeps data")
    if refused is not None:
        return refused
    problem, schedule = carried(result)
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
        return (
            f"the transfer from processor {transfer.sender} to {transfer.receiver} in step {transfer.step + 1} covers "
            f"{len(transfer.path)} channels, and SCCL covers one in a step; solve with `switching='store-and-forward'`"
        )
    return None


def _pieces(problem: Problem) -> tuple[list[dict[str, Any]], list[int]]:
    """Return SCCL's chunks, and the address of each message; chunks at one address are added up."""
    collective, num_processors = problem.collective, problem.network.num_processors
    labels = problem.labels.tolist()
    if collective.kind == "AAS":
        # The numbers that msccl-tools gives the parts of its own Alltoall, one's own part included.
        ends = [([o], [t], t * num_processors + o) for t in range(num_processors) for o in range(num_processors)]
        addresses = [target * num_processors + origin for origin, target in labels]
    elif problem.pattern == "private":
        ends = [([origin], [target], number) for number, (origin, target) in enumerate(labels)]
        addresses = list(range(len(labels)))
    elif problem.pattern == "broadcast":
        targets = sorted(collective.receivers)
        ends = [([o], sorted({o, *targets}) if o in targets else targets, i) for i, (o,) in enumerate(labels)]
        addresses = list(range(len(labels)))
    else:
        ends = [([o], [t], i) for i, (t,) in enumerate(labels) for o in sorted(collective.senders)]
        addresses = list(range(len(labels)))
    return [{"msccl_type": "chunk", "pre": pre, "post": post, "addr": addr} for pre, post, addr in ends], addresses


def _topology(problem: Problem) -> dict[str, Any]:
    network, ports = problem.network, problem.rules.ports
    count = network.num_processors
    home = {int(router): processor for processor, router in enumerate(network.router_of)}
    links = [[0] * count for _ in range(count)]
    joined: dict[tuple[int, int], int] = {}
    for channel, (tail, head) in enumerate(network.channels.tolist()):
        if tail in home and head in home:
            links[home[head]][home[tail]] += 1
            back = int(network.opposite[channel])
            if problem.rules.duplex == "half" and back > channel:
                ends = (min(home[tail], home[head]), max(home[tail], home[head]))
                joined[ends] = joined.get(ends, 0) + 1
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
    pieces, addresses = _pieces(problem)
    steps: list[dict[str, Any]] = []
    for step in range(schedule.num_steps):
        transfers = [schedule.transfer(number) for number in schedule.of_step(step)]
        sends = [[addresses[m], t.sender, t.receiver] for t in transfers for m in t.messages]
        rounds = max(len(t.messages) for t in transfers)
        steps.append({"msccl_type": "step", "rounds": rounds, "sends": sorted(sends)})
    maps: list[dict[str, list[int]]] = []
    for side in ("pre", "post"):
        found: dict[int, set[int]] = {}
        for piece in pieces:
            for processor in piece[side]:
                found.setdefault(processor, set()).add(piece["addr"])
        maps.append({str(processor): sorted(found[processor]) for processor in sorted(found)})
    title = f"{NAMES.get(kind, kind)}(n={count})"
    algorithm = {
        "msccl_type": "algorithm",
        "name": f"{title}-{problem.network.name}-steps={schedule.num_steps}",
        "instance": {
            "msccl_type": "instance",
            "steps": schedule.num_steps,
            "extra_rounds": schedule.tco - schedule.num_steps,
            "chunks": 1,
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
            "chunks": pieces,
            "triggers": {},
            "runtime_name": RUNTIME_NAMES.get(kind, "custom"),
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

"""The fewest steps of processors that share the memory of their router, by a program of their own rules.

Nothing here knows that a slim network of larger messages would say the same: every processor injects and ejects by its
own ports, and may do so for its neighbours.
"""

from __future__ import annotations

from itertools import product

from ortools.sat.python import cp_model

from pavane.model.network import Network

Way = tuple[int, int, tuple[int, ...]]
"""From a router, to another, over channels."""


def shortest_ways(network: Network) -> list[Way]:
    """Return every shortest path between two routers."""
    found: list[Way] = []
    for target in range(network.num_routers):
        left = network.distances_to(target)
        open_ways: list[Way] = [(source, source, ()) for source in range(network.num_routers) if source != target]
        while open_ways:
            source, here, path = open_ways.pop()
            for channel in network.out_channels[here]:
                there = int(network.heads[channel])
                if left[there] == left[here] - 1:
                    longer = (*path, channel)
                    (found if there == target else open_ways).append((source, there, longer))
    return found


def fewest_steps(network: Network, kind: str, ports: int) -> int:
    """Return the fewest steps of a collective on a network whose routers have shared memory; the root is 0."""
    num_steps = 1
    while not _is_possible(network, kind, ports, num_steps):
        num_steps += 1
    return num_steps


def _messages(network: Network, kind: str) -> list[tuple[int, set[int]]]:
    """Return the router of origin of every message and the routers that want it."""
    homes = network.router_of.tolist()
    senders = range(len(homes)) if kind in ("AAS", "AAB") else [0]
    if kind in ("AAB", "OAB"):
        return [(homes[p], set(homes) - {homes[p]}) for p in senders]
    return [(homes[p], {homes[q]}) for p, q in product(senders, range(len(homes))) if homes[p] != homes[q]]


def _is_possible(network: Network, kind: str, ports: int, num_steps: int) -> bool:
    model = cp_model.CpModel()
    ways, steps = shortest_ways(network), range(num_steps)
    loads: dict[tuple[str, int, int], list[cp_model.IntVar]] = {}
    for origin, targets in _messages(network, kind):
        is_private = kind in ("AAS", "OAS")
        arriving: dict[tuple[int, int], list[cp_model.IntVar]] = {}
        leaving: dict[tuple[int, int], list[cp_model.IntVar]] = {}
        for (source, target, path), step in product(ways, steps):
            if is_private and (source != origin or target not in targets):
                continue
            for sender, receiver in product(network.processors_on[source], network.processors_on[target]):
                goes = model.new_bool_var("")
                arriving.setdefault((target, step), []).append(goes)
                leaving.setdefault((source, step), []).append(goes)
                used = [("out", sender), ("in", receiver), *(("channel", channel) for channel in path)]
                for what, number in used:
                    loads.setdefault((what, number, step), []).append(goes)
        for target in targets:
            model.add_at_least_one(go for step in steps for go in arriving.get((target, step), []))
        for (source, step), gone in leaving.items():
            if source != origin:
                before = [go for earlier in range(step) for go in arriving.get((source, earlier), [])]
                for go in gone:
                    model.add(sum(before) >= go)
    for (what, _, _), using in loads.items():
        model.add(sum(using) <= (1 if what == "channel" else ports))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    return bool(solver.solve(model) == cp_model.OPTIMAL)

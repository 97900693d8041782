"""`pavane bounds`: every lower bound with its argument in words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pavane.cli import options
from pavane.cli.solve import headline
from pavane.words import counted

if TYPE_CHECKING:
    from pavane.model.bound import Bound


def bounds(
    network: options.NetworkArgument,
    collective: options.CollectiveArgument = None,
    switching: options.SwitchingOption = None,
    ports: options.PortsOption = None,
    duplex: options.DuplexOption = None,
    routing: options.RoutingOption = None,
    combining: options.CombiningOption = False,
    root: options.RootOption = None,
    senders: options.SendersOption = None,
    receivers: options.ReceiversOption = None,
    pairs: options.PairsOption = None,
    fault: options.FaultOption = None,
    form: options.FromOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Print lower bounds, each with its argument."""
    from pavane.bounds import best_bounds, explain

    problem = options.problem_from(
        network,
        collective,
        switching=switching,
        ports=ports,
        duplex=duplex,
        routing=routing,
        combining=combining,
        root=root,
        senders=senders,
        receivers=receivers,
        pairs=pairs,
        fault=fault,
        form=form,
    )
    found = best_bounds(problem)
    occupancy = []
    if problem.rules.combining:
        from pavane.bounds.occupancy import explain_occupancy, occupancy_bounds, start_up_bounds

        known = {bound.argument for bound in found}
        found = tuple(sorted((*found, *(b for b in start_up_bounds(problem) if b.argument not in known)), key=_first))
        occupancy = [
            {"tco": b.tco, "argument": b.argument, "text": explain_occupancy(problem, b), "certificate": b.certificate}
            for b in occupancy_bounds(problem, None)
        ]
    if as_json:
        rows = [
            {"steps": b.steps, "argument": b.argument, "text": explain(problem, b), "certificate": b.certificate}
            for b in found
        ]
        told = {"network": problem.network.name, "collective": problem.collective.kind, "bounds": rows}
        print(json.dumps({**told, "occupancy": occupancy} if problem.rules.combining else told))
        return
    for line in headline(problem):
        print(line)
    for bound in found:
        print(f"{counted(bound.steps, 'step'):>11}  {bound.argument:<17} {explain(problem, bound)}")
    for row in occupancy:
        print(f"{row['tco']:>7} TCO  {row['argument']:<17} {row['text']}")


def _first(bound: Bound) -> int:
    """Put the highest bound first."""
    return -bound.steps

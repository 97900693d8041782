"""`pavane bounds`: every lower bound with its argument in words."""

from __future__ import annotations

import json

from pavane.cli import options
from pavane.cli.solve import headline
from pavane.counted import counted


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
    if as_json:
        rows = [
            {"steps": b.steps, "argument": b.argument, "text": explain(problem, b), "certificate": b.certificate}
            for b in found
        ]
        print(json.dumps({"network": problem.network.name, "collective": problem.collective.kind, "bounds": rows}))
        return
    for line in headline(problem):
        print(line)
    for bound in found:
        print(f"{counted(bound.steps, 'step'):>11}  {bound.argument:<17} {explain(problem, bound)}")

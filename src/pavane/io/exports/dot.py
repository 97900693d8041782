"""dot: the network as Graphviz draws it, with the channels that each step uses in the colour of the step."""

from __future__ import annotations

import json

from pavane.io.exports.export import Export, NetworkExport, Options
from pavane.io.exports.reasons import carried, nothing_to_write
from pavane.judge.result import Result
from pavane.model.network import Network


def _quoted(text: str) -> str:
    # Graphviz knows no escapes but that of the quote.
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _write(result: Result, options: Options) -> dict[str, bytes]:
    problem, schedule = carried(result)
    network = problem.network
    lines = _network_lines(network)
    for transfer in schedule:
        # Hues go round in golden sections, so that neighbours differ however many steps there are.
        hue = transfer.step * 0.618033988749895 % 1
        what = " ".join(map(problem.message_name, transfer.messages))
        for channel in transfer.path:
            tail, head = network.channels[channel].tolist()
            lines.append(
                f'  r{tail} -> r{head} [channel={channel}, step={transfer.step + 1}, color="{hue:.3f} 1.000 0.800", '
                f'label="{transfer.step + 1}: {what}"];'
            )
    return _file(lines, options)


def _write_network(network: Network, options: Options) -> dict[str, bytes]:
    return _file(_network_lines(network), options)


def _file(lines: list[str], options: Options) -> dict[str, bytes]:
    return {f"{options.stem}.dot": ("\n".join(lines) + "\n}\n").encode()}


def _network_lines(network: Network) -> list[str]:
    """Return all but the end of a drawing: routers and channels."""
    lines = [f"digraph {_quoted(network.name)} {{", "  node [shape=circle];", "  edge [fontsize=9];"]
    for router, name in enumerate(network.routers):
        on = ",".join(map(str, network.processors_on[router]))
        shape = "" if on else ", shape=box"
        where = ""
        if network.positions is not None:
            x, y = network.positions[router].tolist()[:2]
            where = f', pos="{3 * x:.4f},{3 * y:.4f}!"'
        lines.append(f"  r{router} [label={_quoted(name)}, processors={json.dumps(on)}{shape}{where}];")
    for channel, (tail, head) in enumerate(network.channels.tolist()):
        width = "" if network.capacities is None else f", capacity={network.capacities[channel]}"
        lines.append(f'  r{tail} -> r{head} [channel={channel}{width}, color="gray80"];')
    return lines


DOT = Export(
    "dot",
    "A Graphviz drawing: the network, and each channel a step uses as an edge in the colour of the step.",
    ".dot",
    nothing_to_write,
    _write,
    network=NetworkExport(_write_network),
)

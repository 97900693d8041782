"""dot: the network as Graphviz draws it, with the channels that each step uses in the colour of the step."""

from __future__ import annotations

from pavane.io.formats.export import Export, Options
from pavane.io.levels import OrderedResult
from pavane.model.network import Network
from pavane.model.slots import channel_uses


def _quoted(text: str) -> str:
    # Graphviz knows no escapes but that of the quote.
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _render(ordered: OrderedResult, options: Options) -> str:
    problem, schedule = ordered.problem, ordered.schedule
    network = problem.network
    lines = _network_lines(network)
    # Of the slots of a packet the first is drawn.
    steps = iter(channel_uses(problem, schedule).steps[:: problem.rules.packet_slots].tolist())
    for transfer in schedule:
        what = " ".join(map(problem.message_name, transfer.messages))
        for channel in transfer.path:
            tail, head = network.channels[channel].tolist()
            step = next(steps)
            # Hues go round in golden sections, so that neighbours differ however many steps there are.
            hue = step * 0.618033988749895 % 1
            lines.append(
                f'  r{tail} -> r{head} [channel={channel}, step={step + 1}, color="{hue:.3f} 1.000 0.800", '
                f'label="{step + 1}: {what}"];'
            )
    return "\n".join([*lines, "}\n"])


def _network_lines(network: Network) -> list[str]:
    """Return all but the end of a drawing: routers and channels."""
    lines = [f"digraph {_quoted(network.name)} {{", "  node [shape=circle];", "  edge [fontsize=9];"]
    for router, name in enumerate(network.routers):
        count = len(network.processors_on[router])
        shape = "" if count else ", shape=box"
        where = ""
        if network.positions is not None:
            x, y = network.positions[router].tolist()[:2]
            where = f', pos="{3 * x:.4f},{3 * y:.4f}!"'
        lines.append(f"  r{router} [label={_quoted(name)}, processors={count}{shape}{where}];")
    for channel, (tail, head) in enumerate(network.channels.tolist()):
        width = "" if network.capacities is None else f", capacity={network.capacities[channel]}"
        lines.append(f'  r{tail} -> r{head} [channel={channel}{width}, color="gray80"];')
    return lines


DOT = Export(
    "dot",
    "A Graphviz drawing: the network, and each channel a step uses as an edge in the colour of the step.",
    ".dot",
    _render,
    render_network=lambda network: "\n".join([*_network_lines(network), "}\n"]),
)

"""Reads and writes DOT, the language of Graphviz.

Reading: in a `graph` an edge is a link, in a `digraph` a channel (with `dir=both` a link); edges that repeat are
parallel channels, unless the graph is `strict`. The attributes `processors` and `pos` of a node are the number of
processors of its router (1 if missing) and its position. An edge's `capacity`, or else its `bandwidth`, becomes the
capacity of its channels; `weight` is how Graphviz draws an edge. Other attributes are ignored; a note reports those
about speed. The language is small, so it is parsed here: a general parser toolkit takes milliseconds an edge.

Writing: the network as Graphviz draws it, with the channels that each step uses in the colour of the step.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from itertools import pairwise

from pavane.errors import InputError
from pavane.io.capacities import EdgeCapacities
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.formats.export import Export, Options, problem_and_schedule
from pavane.io.network_builder import NetworkBuilder, allow_count
from pavane.io.parsing import begins_with, shown, text_of, whole
from pavane.judge.result import Result
from pavane.model.network import Network
from pavane.model.slots import channel_uses

MOST_DEPTH = 50

TOKEN = re.compile(
    r"""(?P<space>\s+ | //[^\n]* | /\*.*?\*/ | ^\#[^\n]*)
    | (?P<mark>-- | -> | [{}\[\];,=:+])
    | (?P<quoted>"(?:[^"\\]|\\.)*")
    | (?P<name>[^\W\d]\w* | -?(?:\.\d+|\d+(?:\.\d*)?))
    | (?P<markup><)""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
START = re.compile(r"(?>\s+|//[^\n]*|/\*.*?\*/|#[^\n]*)*+(?:strict\s+)?(?:di)?graph\b[^{\n;]*\{", re.I | re.DOTALL)

Attributes = dict[str, str]


@dataclass(frozen=True)
class Token:
    """A word or mark, and where it stands."""

    text: str
    is_mark: bool
    is_bare: bool
    """Whether it could be a keyword: words in quotes never are."""
    at: int

    def says(self, *words: str) -> bool:
        """Return whether it is one of some keywords."""
        return self.is_bare and self.text.lower() in words


def tokens_of(file: File, text: str) -> list[Token]:
    """Split a file into words and marks."""
    tokens: list[Token] = []
    offset = 0
    while offset < len(text):
        found = TOKEN.match(text, offset)
        if found is None:
            raise InputError(f"{_where(file, text, offset)}: {shown(text[offset : offset + 10])} is not DOT")
        kind = found.lastgroup
        end = found.end()
        if kind == "markup":  # an HTML label
            depth, end = 1, offset + 1
            while depth and end < len(text):
                depth += {"<": 1, ">": -1}.get(text[end], 0)
                end += 1
            if depth:
                raise InputError(f"{_where(file, text, offset)}: the HTML label that begins there has no end")
            tokens.append(Token(text[offset:end], False, False, offset))
        elif kind == "quoted":
            tokens.append(Token(found[0][1:-1].replace('\\"', '"').replace("\\\n", ""), False, False, offset))
        elif kind != "space":
            tokens.append(Token(found[0], kind == "mark", kind == "name", offset))
        offset = end
    return tokens


def _where(file: File, text: str, offset: int) -> str:
    return f"{file}, line {text.count(chr(10), 0, offset) + 1}"


@dataclass
class Scope:
    """The default attributes of nodes and edges in a graph or subgraph."""

    of_nodes: Attributes = field(default_factory=dict)
    of_edges: Attributes = field(default_factory=dict)


class DotParser:
    """Reads one graph: nodes with their attributes, and edges in order."""

    def __init__(self, file: File, text: str) -> None:
        self.file, self.text = file, text
        self.tokens = tokens_of(file, text)
        self.at = 0
        self.directed = False
        self.strict = False
        self.nodes: dict[str, Attributes] = {}
        self.edges: list[tuple[str, str, bool]] = []
        """Tail, head, and whether it goes both ways."""
        self.edge_attributes = EdgeCapacities(file, ("capacity", "bandwidth"))

    def fail(self, wanted: str) -> InputError:
        """Return an error with what was expected at the current token."""
        if self.at >= len(self.tokens):
            return InputError(f"{self.file}: the file ends where {wanted} was expected; it may be cut off")
        token = self.tokens[self.at]
        return InputError(f"{_where(self.file, self.text, token.at)}: {shown(token.text)}, where {wanted} was expected")

    def peek(self) -> Token | None:
        """Return the next token, or None at the end."""
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def takes(self, mark: str) -> bool:
        """Take a mark if it is next."""
        token = self.peek()
        if token is not None and token.is_mark and token.text == mark:
            self.at += 1
            return True
        return False

    def word(self, what: str) -> str:
        """Take a word; parts in quotes may be joined by +."""
        token = self.peek()
        if token is None or token.is_mark:
            raise self.fail(what)
        self.at += 1
        text = token.text
        while not token.is_bare and self.takes("+"):
            token = self.peek()
            if token is None or token.is_mark:
                raise self.fail("more of the text in quotes")
            self.at += 1
            text += token.text
        return text

    def open(self, what: str) -> None:
        """Take the bracket that opens a graph or subgraph, and its name if there is one."""
        if not self.takes("{"):
            self.word(f"the {what}'s name or {{")
            if not self.takes("{"):
                raise self.fail("{")

    def graph(self) -> None:
        """Read the whole file."""
        token = self.peek()
        if token is not None and token.says("strict"):
            self.strict = True
            self.at += 1
            token = self.peek()
        if token is None or not token.says("graph", "digraph"):
            raise self.fail("`graph` or `digraph`")
        self.directed = token.text.lower() == "digraph"
        self.at += 1
        self.open("graph")
        self.statements(Scope(), 0)
        if self.at < len(self.tokens):
            raise self.fail("the end of the file (one file is one network)")

    def statements(self, scope: Scope, depth: int) -> list[str]:
        """Read up to the closing bracket and return the nodes that are named there."""
        if depth > MOST_DEPTH:
            raise InputError(f"{self.file}: subgraphs are nested more than {MOST_DEPTH} deep; flatten them")
        named: dict[str, None] = {}
        while not self.takes("}"):
            token = self.peek()
            if token is None:
                raise self.fail("}")
            if self.takes(";") or self.takes(","):
                continue
            following = self.tokens[self.at + 1 : self.at + 2]
            mark = following[0].text if following and following[0].is_mark else ""
            if mark == "[" and token.says("graph", "node", "edge"):
                self.at += 1
                given = self.attributes()
                if token.says("node"):
                    scope.of_nodes |= given
                elif token.says("edge"):
                    scope.of_edges |= given
            elif mark == "=":
                self.at += 2
                self.word("a value")
            else:
                named |= dict.fromkeys(self.edge_or_node(scope, depth))
        return list(named)

    def edge_or_node(self, scope: Scope, depth: int) -> list[str]:
        """Read a node, a subgraph, or a chain of edges between them."""
        first_at = self.at
        ends = [self.end(scope, depth)]
        while (mark := self.peek()) is not None and mark.is_mark and mark.text in ("--", "->"):
            if (mark.text == "->") != self.directed:
                raise self.fail("->" if self.directed else "--")
            self.at += 1
            ends.append(self.end(scope, depth))
        given = self.attributes()
        if len(ends) > 1:
            given = scope.of_edges | given
            both = given.get("dir", "").lower() == "both"
            for tails, heads in pairwise(ends):
                allow_count(self.file, len(self.edges) + len(tails) * len(heads))
                num_before = len(self.edges)
                self.edges += [(a, b, both or not self.directed) for a in tails for b in heads]
                self.edge_attributes.see(num_before, given, len(tails) * len(heads))
        elif given and not self._is_subgraph(first_at):
            self.nodes[ends[0][0]] |= given
        return [name for end in ends for name in end]

    def _is_subgraph(self, at: int) -> bool:
        token = self.tokens[at]
        return token.says("subgraph") or (token.is_mark and token.text == "{")

    def end(self, scope: Scope, depth: int) -> list[str]:
        """Read one end of an edge: a node with its port, or a subgraph with all its nodes."""
        if self._is_subgraph(self.at) if self.at < len(self.tokens) else False:
            self.at += self.tokens[self.at].says("subgraph")
            self.open("subgraph")
            return self.statements(Scope(dict(scope.of_nodes), dict(scope.of_edges)), depth + 1)
        name = self.word("a node")
        while self.takes(":"):
            self.word("a port")
        self.nodes.setdefault(name, dict(scope.of_nodes))
        return [name]

    def attributes(self) -> Attributes:
        """Read lists of attributes in brackets, as many as there are."""
        given: Attributes = {}
        while self.takes("["):
            while not self.takes("]"):
                key = self.word("an attribute or ]")
                given[key] = self.word("a value") if self.takes("=") else "true"
                if not self.takes(","):
                    self.takes(";")
        return given


def read(file: File) -> Network:
    """Read a network from DOT."""
    parser = DotParser(file, text_of(file))
    parser.graph()
    builder = NetworkBuilder(file)
    for name, given in parser.nodes.items():
        builder.router(name, whole(given.get("processors", "1"), f"{file}: `processors` of node {shown(name)}"))
    seen: set[tuple[str, str]] = set()
    capacities = parser.edge_attributes.capacities(len(parser.edges))
    for (tail, head_, both), capacity in zip(parser.edges, capacities, strict=True):
        if parser.strict:
            ends = (tail, head_) if parser.directed else (min(tail, head_), max(tail, head_))
            if ends in seen:
                continue
            seen.add(ends)
        (builder.link if both else builder.channel)(builder.number[tail], builder.number[head_], capacity)
    positions = [_position(given.get("pos", "")) for given in parser.nodes.values()]
    known = [position for position in positions if position is not None]
    return builder.network(known if len(known) == len(positions) else None, in_order=True)


def _position(text: str) -> tuple[float, float] | None:
    """Read a position as Graphviz writes it, `1.5,2` or `1.5,2!`; None for anything else."""
    try:
        x, y = (float(part) for part in text.rstrip("!").split(","))
    except ValueError:
        return None
    return (x, y) if math.isfinite(x) and math.isfinite(y) else None


DOT = Format(
    "dot",
    "DOT of Graphviz: edges of a `graph` are links, those of a `digraph` channels",
    begins_with(START),
    read,
)


def _quoted(text: str) -> str:
    # Graphviz knows no escapes but that of the quote.
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _render(result: Result, options: Options) -> str:
    problem, schedule = problem_and_schedule(result)
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


DOT_EXPORT = Export(
    "dot",
    "A Graphviz drawing: the network, and each channel a step uses as an edge in the colour of the step.",
    ".dot",
    _render,
    render_network=lambda network: "\n".join([*_network_lines(network), "}\n"]),
)

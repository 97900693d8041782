"""The ordinary formats by name: graphs of NetworkX and plain text, which are recognized elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pavane.formats.graph_files import read_graphml, read_node_link
from pavane.formats.imports.form import Form
from pavane.formats.text_files import read_text
from pavane.model.network import Network


@dataclass(frozen=True)
class Ordinary(Form):
    """A format that network_file knows, beside pavane's own."""

    module: str = ""

    def recognizes(self, view: memoryview) -> bool:
        """Leave that to network_file."""
        return False

    def read(self, path: Path, view: memoryview) -> Network:
        """Make the network."""
        if self.name.endswith("-list"):
            return read_text(path, view, by_neighbours=self.name == "neighbour-list")
        return (read_graphml if self.name == "graphml" else read_node_link)(path, view)


ORDINARY = (
    Ordinary("edge-list", "edge list: a line `0 1` is a link, `0 > 1` a channel"),
    Ordinary("neighbour-list", "neighbour list: a line `0: 1 3` gives the channels from router 0"),
    Ordinary("node-link", "node-link JSON of NetworkX: edges are links, or channels if directed"),
    Ordinary("graphml", "GraphML: edges are links, or channels if directed"),
)

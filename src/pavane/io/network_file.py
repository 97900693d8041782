"""Network files and problem files, pavane's own."""

from __future__ import annotations

from pathlib import Path

import msgspec

from pavane.errors import expect
from pavane.io.files import File, refuse_if_large, replacing
from pavane.io.format import Format
from pavane.io.objects import NETWORK_FORMAT, NetworkFile, ProblemObject, decode
from pavane.model.channel_speeds import COLUMN_KEYS
from pavane.model.network import Network, network_record
from pavane.model.problem import Problem


def is_network(file: File) -> bool:
    """Return whether a file names the format of network files."""
    return file.keys is not None and bool(file.keys.format == NETWORK_FORMAT)


def read_network_file(file: File) -> Network:
    """Read a network file."""
    refuse_if_large(file)
    return decode(file.data, NetworkFile, file).network()


def is_problem(file: File) -> bool:
    """Return whether a file is a problem file: it names no format and contains a network."""
    return file.keys is not None and file.keys.format is None and bool(file.keys.network)


def read_problem_file(file: File) -> Problem:
    """Read a problem file."""
    refuse_if_large(file)
    return decode(file.data, ProblemObject, file).problem()


def network_bytes(network: Network) -> bytes:
    """Return a network as its file has it."""
    content = {"format": NETWORK_FORMAT, **network_record(network)}
    if network.speeds is not None:
        columns = zip(COLUMN_KEYS, network.speeds.columns, strict=True)
        content |= {key: column.tolist() for key, column in columns if column is not None}
    return msgspec.json.encode(content) + b"\n"


def write_network(path: str | Path, network: Network) -> None:
    """Write a network file.

    Args:
        path: The file; an old one is replaced when all is written.
        network: The network.

    Example:
        >>> octagon = pavane.network("octagon")
        >>> pavane.write_network("network.json", octagon)
        >>> pavane.read_network("network.json") == octagon
        True
    """
    expect(network, Network, "network", "make a network of a text or a graph with `pavane.network`")
    with replacing(path) as file:
        file.write(network_bytes(network))


def write_problem(path: str | Path, problem: Problem) -> None:
    """Write a problem file.

    Args:
        path: The file; an old one is replaced when all is written.
        problem: The problem, of one collective or of several at once.

    Example:
        >>> problem = pavane.Problem(pavane.network("octagon"), "alltoall")
        >>> pavane.write_problem("problem.json", problem)
        >>> pavane.read_problem("problem.json") == problem
        True
    """
    expect(problem, Problem, "problem", "make one, like `pavane.Problem('octagon', 'alltoall')`")
    with replacing(path) as file:
        file.write(msgspec.json.encode(problem.to_dict()) + b"\n")


NETWORK = Format(NETWORK_FORMAT, "network file of pavane", is_network, read_network_file)
PROBLEM = Format("pavane/problem", "problem file of pavane", is_problem, read_problem_file)

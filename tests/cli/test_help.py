"""Help, version, and usage errors of the command line."""

from __future__ import annotations

import pytest

from pavane.words import VERSION
from tests.cli.calls import Call

COMMANDS = {
    "solve": [
        *("NETWORK", "COLLECTIVE", "--switching", "--ports", "--duplex", "--routing", "--combining", "--root"),
        *("--senders", "--receivers", "--pairs", "--fault", "--method", "--steps", "--seed", "--time", "--workers"),
        *("-o", "--json", "--set", "--evaluations", "--atlas"),
    ],
    "bounds": ["NETWORK", "COLLECTIVE", "--ports", "--fault", "--json"],
    "verify": ["FILE", "--json"],
    "show": ["FILE|NETWORK", "--as", "--step", "-o", "--plot", "--json"],
    "export": ["FILE", "--to", "-o"],
    "faults": ["NETWORK", "COLLECTIVE", "--kind", "--double", "--routing", "--json", "--markdown", "--plot"],
    "repair": ["FILE", "--fault", "-o"],
    "time": ["FILE", "--startup", "--per-byte", "--bytes", "--per-hop", "--sweep", "--points", "--plot", "--json"],
    "run": ["FILE", "--bytes", "--repeat", "--json"],
    "simulate": ["FILE", "--startup", "--per-byte", "--bytes", "--baseline", "--json"],
    "serve": ["--host", "--port", "--store"],
    "paper": ["PAPER", "--method", "--seeds", "--json", "--markdown"],
    "networks": ["NETWORK", "--json"],
    "solvers": ["NAME", "--json"],
    "atlas": ["add", "list", "show", "merge", "export", "verify", "sweep"],
    "study": ["NETWORK", "COLLECTIVE", "--method", "--steps", "--seeds", "--evaluations", "--workers", "--plot"],
}


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_the_program_explains_itself(flag: str, call: Call) -> None:
    """Help goes to stdout, exit 0, and lists every command."""
    out = call.good(flag)
    assert out.startswith("Usage: pavane [OPTIONS] COMMAND [ARGS]...")
    for command in COMMANDS:
        assert f"\n  {command} " in out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, call: Call) -> None:
    """Help of a command names its arguments and options as the contract does."""
    out = call.good(command, "--help")
    assert out.startswith(f"Usage: pavane {command} ")
    for word in COMMANDS[command]:
        assert word in out


def test_the_version(call: Call) -> None:
    """One line on stdout."""
    assert call.good("--version") == f"pavane {VERSION}\n"


def test_no_command_at_all(call: Call) -> None:
    """Without a command the help is shown, on stderr, exit 2."""
    answer = call()
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("Usage: pavane ")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["slove"], "No such command 'slove'"),
        (["solve"], "Missing argument 'NETWORK'"),
        (["verify"], "Missing argument 'FILE'"),
        (["solve", "ring:4"], "no collective was named; "),
        (["solve", "ring:4", "aas", "more"], "Got unexpected extra argument(s) (more)"),
        (["solve", "ring:4", "aas", "--colour"], "No such option: --colour"),
        (["solve", "ring:4", "aas", "--seed"], "requires an argument"),
        (["solve", "ring:4", "aas", "--seed", "x"], "Invalid value for '--seed'"),
        (["solve", "ring:4", "aas", "--seed", "-1"], "Invalid value for '--seed'"),
        (["solve", "ring:4", "aas", "--time", "soon"], "Invalid value for '--time'"),
        (["verify", "s.json", "--most", "0"], "Invalid value for '--most'"),
    ],
)
def test_bad_usage_is_one_line(arguments: list[str], text: str, call: Call) -> None:
    """Bad usage: exit 2, what is wrong, and where the help is."""
    answer = call(*arguments)
    assert answer.is_refusal(text)
    assert "--help`)" in answer.err or "for example aas" in answer.err

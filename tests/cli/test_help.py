"""Help, version, and usage errors of the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pavane.cli import COMMANDS as PROGRAM
from pavane.cli.help_texts import EXAMPLES, GROUPS
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


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_version(flag: str, call: Call) -> None:
    """One line on stdout."""
    assert call.good(flag) == f"pavane {VERSION}\n"


def test_commands_stand_in_groups_with_whole_summaries(call: Call) -> None:
    """Every command stands under one title, with all of its first sentence, at any width."""
    out = call.good("--help")
    for title in GROUPS:
        assert f"\n{title}:\n" in out
    assert "..." not in out.split("\n", 1)[1]
    whole = (
        "Write a schedule or a network in a format of others: tables, programs, simulators, GPU libraries, MPI code."
    )
    assert whole in " ".join(out.split())
    for command in PROGRAM:
        assert len(re.findall(rf"^  {command} ", out, re.MULTILINE)) == 1


def test_options_stand_in_groups(call: Call) -> None:
    """Options of a problem stand before those of the search; each stands once."""
    out = call.good("solve", "--help")
    titles = re.findall(r"^(\S.*):$", out, re.MULTILINE)
    assert titles[:3] == ["Arguments", "What describes a problem", "How to search, and for how long"]
    for flag in ("--root", "--time", "--print", "--atlas"):
        assert len(re.findall(rf"^  {flag}\b", out, re.MULTILINE)) == 1


@pytest.mark.parametrize("asked", EXAMPLES)
def test_help_ends_with_three_examples_that_run(asked: str, call: Call, tmp_path: Path) -> None:
    """Who types an example gets what it promises."""
    (tmp_path / "mynet.txt").write_text("0 1\n1 2\n2 0\n", encoding="utf-8")
    call.good("solve", "ring:4", "alltoall", "-q", "-o", "s.json")
    out = call.good(*asked.split()[1:], "--help")
    examples = out[out.index("\nExamples:\n") :].splitlines()[2:]
    assert examples == [line for typed, what in EXAMPLES[asked] for line in (f"  {typed}", f"      {what}")]
    assert len(EXAMPLES[asked]) == 3
    for typed, _ in EXAMPLES[asked]:
        assert max(map(len, examples)) <= 80
        assert call(*typed.split()[1:]).code == 0, typed


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

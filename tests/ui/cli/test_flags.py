"""What errors of the library name in backticks, in the words of the command line."""

from __future__ import annotations

from dataclasses import fields

import pytest
import typer

from pavane.io.request import Request
from pavane.ui.cli import app
from pavane.ui.cli.flags import FLAGS, with_commands, with_flags


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("aas does not take `root`; it goes", "aas does not take --root; it goes"),
        ("give a number (`ports=1`)", "give a number (--ports 1)"),
        ("solve with `switching='store-and-forward'`", "solve with --switching store-and-forward"),
        ("for example `pairs='0>5,1>4'`", "for example --pairs '0>5,1>4'"),
        ("add `combining=True` to the rules", "add --combining to the rules"),
        ("`ports` '0-9' and `form=dot`", "--ports '0-9' and --from dot"),
        ("does not go with `collective`", "does not go with COLLECTIVE"),
        ("`pavane.networks.FAMILIES` lists them", "`pavane networks` lists them"),
        ("where `graph` or `digraph` was expected", "where `graph` or `digraph` was expected"),
    ],
)
def test_parameters_become_flags(text: str, said: str) -> None:
    """With their values as a shell takes them; what is no parameter stays."""
    assert with_flags(text) == said


def test_help_texts_keep_their_names() -> None:
    """`pairs` is a collective there."""
    assert with_commands("of `pairs`, as `pavane.networks.FAMILIES` lists") == "of `pairs`, as `pavane networks` lists"


def test_every_flag_is_an_option_of_some_command() -> None:
    """The table cannot name what is not there."""
    commands = typer.main.get_command(app()).commands  # type: ignore[attr-defined]
    there = {
        flag
        for name in ("compare", "solve", "run", "verify", "export")
        for option in commands[name].params
        for flag in option.opts
    }
    # A parameter that is true unless said becomes the flag that says no.
    assert {flag for flag in FLAGS.values() if flag.startswith("--")} <= there | {"--wrap"}
    assert "--no-wrap" in there
    assert {field.name for field in fields(Request)} <= set(FLAGS)

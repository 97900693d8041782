"""Mutation test of the judge: without any one rule some test must fail. `python -m fuzzing.rules_off [--write]`.

Each rule is one function of `pavane.judge.rule_table`. Switched off, it is left out. The command runs the tests
of the judge with each of them switched off in turn, and prints a table of the rule and the first test that fails.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch

from pavane.judge import rule_table, trees
from pavane.judge.rule_table import RULE_TABLE

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "benchmarks" / "results" / "rules-off.md"
TESTED = ("rules", "sum_rules", "trees", "several_rules", "hold_rules", "timed_order")
TESTS = tuple(f"tests/judge/test_{name}.py" for name in TESTED)
SWITCH = "FUZZING_RULE_OFF"
"""The variable of the environment that names the function."""

KEPT_OFF = ExitStack()
"""Keeps a rule off for as long as a run of the tests lasts."""

TREES = re.findall(r"for breaking in \((.*)\):", Path(trees.__file__).read_text(encoding="utf-8"))[0]
OF_RULES = {f"{rule.check.__module__.rpartition('.')[2]}.{rule.check.__name__}": rule for rule in RULE_TABLE}
FUNCTIONS = (*OF_RULES, *(f"trees.{name}" for name in TREES.split(", ")), "several_rules._of_no_collective")
"""The functions of all rules, those that decide which transfers are a tree, and that of several collectives alone."""


@contextmanager
def switched_off(function: str) -> Iterator[None]:
    """Let a rule find nothing."""
    if function in OF_RULES:
        others = tuple(rule for rule in RULE_TABLE if rule is not OF_RULES[function])
        with patch.object(rule_table, "RULE_TABLE", others):
            yield
    else:
        module, _, name = function.rpartition(".")
        with patch(f"pavane.judge.{module}.{name}", lambda *_: ()):
            yield


def pytest_configure() -> None:
    """Switch a rule off for all tests, where the environment names one."""
    if SWITCH in os.environ:
        KEPT_OFF.enter_context(switched_off(os.environ[SWITCH]))


def first_failure(function: str) -> str | None:
    """Return the first test that fails without a rule; None where none does."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "fuzzing.rules_off", "-p", "no:cacheprovider", *TESTS]
    made = subprocess.run(command, cwd=ROOT, env={**os.environ, SWITCH: function}, capture_output=True, text=True)
    failed = re.findall(r"^(?:FAILED|ERROR) ([^\s\[]+)", made.stdout, re.MULTILINE)
    return failed[0] if failed else None


def main() -> int:
    """Switch every rule off in turn."""
    parser = argparse.ArgumentParser(prog="python -m fuzzing.rules_off")
    parser.add_argument("--write", action="store_true", help=f"keep the table in {KEPT.name}")
    options = parser.parse_args()
    lines = ["| switched off | the first test that notices |", "|---|---|"]
    unnoticed = 0
    for function in FUNCTIONS:
        test = first_failure(function)
        unnoticed += test is None
        lines.append(f"| `{function}` | {'**none**' if test is None else f'`{test}`'} |")
        print(lines[-1], flush=True)
    if options.write:
        KEPT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())

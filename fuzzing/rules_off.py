"""Mutation test of the judge: without any one rule some test must fail. `python -m fuzzing.rules_off [--write]`.

Each rule is one function, which `pavane.judge.rules` calls. Switched off, it finds nothing. The command runs the tests
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

from pavane.judge import rules as judged
from pavane.judge import several_rules, trees

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "benchmarks" / "results" / "rules-off.md"
TESTS = tuple(f"tests/judge/test_{name}.py" for name in ("rules", "sum_rules", "trees", "several_rules"))
SWITCH = "FUZZING_RULE_OFF"
"""The variable of the environment that names the function."""

SOURCE = Path(judged.__file__).read_text(encoding="utf-8")
KEPT_OFF = ExitStack()
"""Keeps a rule off for as long as a run of the tests lasts."""

TREES = re.findall(r"for breaking in \((.*)\):", Path(trees.__file__).read_text(encoding="utf-8"))[0]
SEVERAL = re.findall(r"\*([a-z_]+)\(", Path(several_rules.__file__).read_text(encoding="utf-8"))
FUNCTIONS = (
    *dict.fromkeys(re.findall(r"yield from ([a-z][a-z_.]+)\(", SOURCE)),
    *(f"trees.{name}" for name in TREES.split(", ")),
    *(f"several_rules.{name}" for name in SEVERAL),
)
"""The functions of all rules, as `pavane.judge.rules` calls them, those that say what is no tree, and those of several
collectives at once."""


@contextmanager
def switched_off(function: str) -> Iterator[None]:
    """Let a rule find nothing."""
    module, _, name = function.rpartition(".")
    owner = several_rules if module == "several_rules" else getattr(judged, module) if module else judged
    original = getattr(owner, name)
    setattr(owner, name, lambda *_: ())
    try:
        yield
    finally:
        setattr(owner, name, original)


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

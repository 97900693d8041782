"""Schedule files that claim more than can be proven, for the tests of every command that reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pavane.bounds import lower_bounds
from tests.problems import problem_of

Content = dict[str, Any]


def bound_on(network: str, argument: str) -> dict[str, Any]:
    """Return the certificate of a bound of AAS on a network, as a schedule file has it."""
    (found,) = (bound for bound in lower_bounds(problem_of(network, "AAS")) if bound.argument == argument)
    certificate: dict[str, Any] = json.loads(json.dumps(found.certificate))
    return certificate


FORGED: dict[str, dict[str, Any]] = {
    "a bound too high": {"steps": 3, "argument": "injection", "certificate": bound_on("ring:4", "injection")},
    "absurdly high": {"steps": 10**9, "argument": "injection", "certificate": bound_on("ring:4", "injection")},
    "of a larger network": {
        "steps": 3,
        "argument": "sum-of-distances",
        "certificate": bound_on("ring:6", "sum-of-distances"),
    },
    "one number changed": {
        "steps": 3,
        "argument": "sum-of-distances",
        "certificate": {**bound_on("ring:4", "sum-of-distances"), "channels": [[1, 0, 1, 2, 3, 4, 5, 6, 0]]},
    },
    "figures for people": {"steps": 3, "argument": "growth", "certificate": {"origin": 0, "informed": [1, 2, 3, 4]}},
    "no known argument": {"steps": 3, "argument": "magic", "certificate": {"proven": True, "status": "optimal"}},
    "an exhaustive search": {"steps": 3, "argument": "exhaustive", "certificate": {"method": "cp-sat", "steps": 2}},
}
"""Bounds that would make the schedule of `in_three_steps` optimal, were they true: it has a step too many."""


def in_three_steps(solved: Path, **changes: Any) -> Path:
    """Change the schedule file of AAS on a ring of 4 in 2 steps to one of 3 steps, with other keys changed, too."""
    content = json.loads(solved.read_text())
    first, second = content["steps"]
    content["steps"] = [first, second[:1], second[1:]]
    content.update(changes)
    solved.write_text(json.dumps(content))
    return solved

"""What schedule files of others claim."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

from pavane.io import Claim, read_schedule
from pavane.judge.rules import verify
from pavane.model.network import Network


def claim_of(path: Path, content: object, on: Network | None = None) -> Claim:
    """Write a file and read the claim in it, perhaps on a network."""
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_schedule(path, on)


def broken(claim: Claim) -> set[str]:
    """Return the rules that a claim breaks."""
    return {violation.rule for violation in verify(claim.problem, claim.schedule)}

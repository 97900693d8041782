"""`--device`: where solvers run that can also run on a GPU."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pavane.errors import InputError

if TYPE_CHECKING:
    from pavane.solvers import Solver


def on_device(solver: Solver, device: str) -> Solver:
    """Return a solver that runs where `--device` says; refuse what cannot run there before anything is searched."""
    if device not in ("cpu", "gpu"):
        raise InputError(f"`device` {device!r} is unknown; choose cpu or gpu")
    if device == "cpu":
        return solver
    if not hasattr(solver, "device"):
        raise InputError(f"`device` gpu: {solver.name} runs on processors only; choose umda or ga")
    from pavane.solvers.evolutionary.cuda import cuda_device

    cuda_device()
    return replace(solver, device=device)  # type: ignore[type-var]

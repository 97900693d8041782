"""Faults of a network and what they cost: every collective re-planned without each channel, link, router or processor.

gecco08 section 5 does so for the Kautz network of 12 routers, one faulty channel at a time.
"""

from pavane.campaign.faults.replanning import FaultProgress, faults
from pavane.campaign.faults.study import FaultColumn, FaultRow, FaultStudy, Replan
from pavane.model.faults import (
    KINDS,
    Disconnected,
    Fault,
    Kind,
    double_faults,
    faulty,
    single_faults,
    usual_kind,
)

__all__ = [
    "KINDS",
    "Disconnected",
    "Fault",
    "FaultColumn",
    "FaultProgress",
    "FaultRow",
    "FaultStudy",
    "Kind",
    "Replan",
    "double_faults",
    "faults",
    "faulty",
    "single_faults",
    "usual_kind",
]

"""Faults of a network and the steps they add: every collective is re-planned without each channel, link or router.

gecco08 section 5 does so for the Kautz network of 12 routers, one faulty channel at a time.
"""

from pavane.campaign.faults.replanning import faults
from pavane.campaign.faults.study import FaultColumn, FaultRow, FaultStudy, Replan

__all__ = ["FaultColumn", "FaultRow", "FaultStudy", "Replan", "faults"]

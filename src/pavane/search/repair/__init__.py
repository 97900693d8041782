"""Repair of a schedule for a network with a fault, with as few changes as possible (cf. gecco08 section 5).

`least_change` is the entry. It repairs `in_place`, in a `timetable` of the remaining transfers.
"""

from pavane.search.repair.least_change import repair
from pavane.search.repair.outcome import Repair

__all__ = ["Repair", "repair"]

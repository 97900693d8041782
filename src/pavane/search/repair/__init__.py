"""Mends a schedule for a network with a fault, and changes as little of it as possible (cf. gecco08 section 5).

`least_change` is the entry. It mends `in_place`, in a `timetable` of what is left, or by ejection search:
`by_ejection` of whole paths, `through_time` of hops.
"""

from pavane.search.repair.least_change import Repair, lost_channels, repair

__all__ = ["Repair", "lost_channels", "repair"]

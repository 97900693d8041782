"""Mends a schedule for a network with a fault, and changes as little of it as can be (cf. gecco08 section 5)."""

from pavane.studies.repairs.mended import Repair, lost_channels, repair

__all__ = ["Repair", "lost_channels", "repair"]

"""Repair of a schedule for a network with a fault, with as few changes as possible (cf. gecco08 section 5)."""

from pavane.search.repair.least_change import Repair, repair

__all__ = ["Repair", "repair"]

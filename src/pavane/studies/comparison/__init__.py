"""Networks side by side: what each costs, what it survives, and how long collectives take on it.

A network is worth building if no other network of as many processors costs as little and is as fast.
"""

from pavane.studies.comparison.compared import Cell, Comparison, Row
from pavane.studies.comparison.comparing import CompareProgress, compare
from pavane.studies.comparison.network_figures import NetworkFigures

__all__ = ["Cell", "CompareProgress", "Comparison", "NetworkFigures", "Row", "compare"]

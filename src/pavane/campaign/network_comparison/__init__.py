"""Networks side by side: the cost of each, the faults it survives, and how long collectives take on it.

A network is worth building if no other network of as many processors costs as little and is as fast.
"""

from pavane.campaign.network_comparison.compared import Cell, Comparison, ComparisonRow
from pavane.campaign.network_comparison.comparison import compare
from pavane.campaign.network_comparison.network_figures import NetworkFigures

__all__ = ["Cell", "Comparison", "ComparisonRow", "NetworkFigures", "compare"]

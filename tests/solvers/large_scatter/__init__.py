"""Tests of pavane.solvers.large_scatter."""

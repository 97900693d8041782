"""Tests of pavane.solvers.packing."""

"""Tests of pavane.solvers.exact."""

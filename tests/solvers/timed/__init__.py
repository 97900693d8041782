"""Tests of pavane.solvers.timed."""

"""Tests of pavane.solvers.combining."""

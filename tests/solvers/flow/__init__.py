"""Tests of pavane.solvers.flow."""

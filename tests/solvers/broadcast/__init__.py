"""Tests of pavane.solvers.broadcast."""

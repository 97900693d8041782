"""Tests of pavane.solvers.ejection."""

"""Tests of the evolutionary solvers."""

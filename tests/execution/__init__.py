"""Tests of execution and simulation."""

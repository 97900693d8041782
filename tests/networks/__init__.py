"""Tests of pavane.networks."""

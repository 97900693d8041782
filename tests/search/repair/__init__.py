"""Tests of pavane.search.repair."""

"""Tests of pavane.parallel."""

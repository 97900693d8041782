"""Tests of pavane.judge."""

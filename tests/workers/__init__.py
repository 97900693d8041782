"""Tests of pavane.workers."""

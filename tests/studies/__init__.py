"""Tests of pavane.studies."""

"""Tests of pavane.studies.trials."""

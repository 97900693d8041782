"""Tests of pavane.studies.open_questions."""

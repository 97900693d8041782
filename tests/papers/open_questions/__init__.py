"""Tests of pavane.papers.open_questions."""

"""Tests of papers.open_questions."""

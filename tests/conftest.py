"""Hypothesis must be repeatable: the same examples on every machine, and no clock."""

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=100)
settings.register_profile("thorough", deadline=None, max_examples=5000)
settings.load_profile("repeatable")

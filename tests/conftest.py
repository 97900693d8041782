"""Hypothesis must be repeatable: the same examples on every machine, and no clock."""

from hypothesis import HealthCheck, settings

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", patient, derandomize=True, max_examples=100)
settings.register_profile("thorough", patient, max_examples=5000)
settings.load_profile("repeatable")

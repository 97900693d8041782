"""Timed schedules over message sizes: which schedule to use for which size."""

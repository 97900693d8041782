"""Ejection search: a conflict-free partial schedule into which messages are pushed until none is left outside."""

"""Compiled loops of the repair of tables."""

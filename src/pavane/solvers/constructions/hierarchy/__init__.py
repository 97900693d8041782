"""Constructions for hierarchical rings (noc section 3.2)."""

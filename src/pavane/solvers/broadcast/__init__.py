"""Broadcasts and reductions: informed sets, and the rarest message first."""

"""Makers of tables: what one router does, so that all routers, translated, do a collective without conflicts."""

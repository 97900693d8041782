"""Symmetries of networks and problems: automorphisms, translations, groups, orbits and canonical forms."""

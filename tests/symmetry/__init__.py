"""Tests of symmetries of networks and problems: automorphisms, translations, groups, orbits and canonical forms."""

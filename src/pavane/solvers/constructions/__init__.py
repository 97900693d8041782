"""Schedules made by hand, for networks whose family is known: what the papers describe, and what follows from it.

Each is a solver with a name of its own; it writes down what is known and searches for nothing, but for the cycle that
`rotation` goes along. Those for rings, meshes and hierarchical rings are from noc, sections 2 to 4; they are made for
one port and are valid with more.
"""

"""Symmetries of networks and problems.

Two searches serve all consumers. `automorphisms` maps a network onto itself, router by router; its results feed groups,
whose order of members decides what a seed answers. `canonical_form` numbers a graph independently of its numbering, by
colour refinement; its results are keys.

- `automorphisms`: renumberings of routers that keep distances and capacities.
- `involutions`: `Symmetry`, an automorphism extended to processors, channels and messages; those of order two.
- `translation_groups`: translations of rings, tori and circulants, by arithmetic instead of search.
- `cayley`: groups that take every router to every other, also of star graphs and cube-connected cycles; turns.
- `groups`: groups made of generators; those of the combining search.
- `orbits`: groups for large scatter problems, of which one message per orbit is scheduled.
- `canonical_form`: a canonical order of the vertices of a coloured graph.
- `equivalence`: problems with the same canonical form, such as mirrored faults.
"""

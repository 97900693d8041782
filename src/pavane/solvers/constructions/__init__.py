"""Known schedules for networks whose family is recognized: those of the papers, and what follows from them.

Each is a solver with a name of its own, in the folder of its family of networks; it writes down what is known and
searches only for the cycle of `rotation` and the trees of `translated-trees`. Those for
rings, meshes and hierarchical rings are from noc, sections 2 to 4; they are made for one port and are valid with more.
`shapes.py` recognizes the networks, and `steps.py` turns steps between routers into schedules.
"""

"""Known schedules for networks whose family is recognized.

Each is a solver with a name of its own, in the folder of its family of networks; it writes down what is known and
searches only for the cycle of `rotation`. `shapes.py` recognizes the networks.
"""

"""The papers' tables and open questions, redone: their figures are data, ours are computed each time.

gecco07: Jaros, Ohlidal, Dvorak, An Evolutionary Approach to Collective Communication Scheduling (GECCO 2007).
gecco08: Jaros, Dvorak, An Evolutionary Design Technique for Collective Communications on Optimal Diameter-Degree
Networks (GECCO 2008). noc: Dvorak, Jaros and others, on collective communications of networks on chip.
"""

"""Adds up the vectors of all processes, along the schedule in allreduce.py."""

import numpy as np
from allreduce import pavane_allreduce
from mpi4py import MPI

comm = MPI.COMM_WORLD
mine = np.full((comm.size, 1000), comm.rank + 1.0)  # a vector of 6000 numbers, in one row for each part
total = np.empty_like(mine)

pavane_allreduce(mine, total, MPI.SUM, comm)

expected = comm.allreduce(mine, MPI.SUM)
if comm.rank == 0:
    print("the same as MPI_Allreduce:", np.array_equal(total, expected))

"""Hot loops on plain arrays; they know no other part of pavane.

Each kernel is plain Python on numpy arrays, and `compiled` turns it into machine code. What belongs together travels in
named tuples, which say the type and the shape of every array. A kernel may call other functions of this package; they
are compiled along with it.
"""

from pavane.kernels.compiling import compiled

__all__ = ["compiled"]

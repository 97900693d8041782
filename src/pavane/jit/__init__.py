"""The machinery under the kernels: compiling, the clock that stops meanwhile, and the cache folder.

A kernel is plain Python on numpy arrays, in a package named `kernels` beside the family that it serves; `compiled`
turns it into machine code. What belongs together travels in named tuples, which state the type and the shape of every
array. A kernel may call functions of other `kernels` packages and of this one; they are compiled along with it.
"""

from pavane.jit.compiling import compiled

__all__ = ["compiled"]

"""Scalar ops, L3: scalars.py and sums.py one element at a time, kernels.py whole runs of memory.

Each op on scalars means one method of the result's `NumberFormat`, or of the `Accumulator`, which it names; lowering
to bits asks that method to write itself down.
"""

from tinyml.dialects.collect import dialect_of
from tinyml.dialects.num import kernels, scalars, sums
from tinyml.dialects.num.base import *
from tinyml.dialects.num.kernels import *
from tinyml.dialects.num.proofs import *
from tinyml.dialects.num.scalars import *
from tinyml.dialects.num.sums import *

NUM = dialect_of("num", kernels, scalars, sums)

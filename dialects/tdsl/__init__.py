"""Tensor ops, L0 to L2: what a model computes, on builtin tensors whose element type carries the number format.

One file per kind of op; an op states its shape rule, its op on scalars, its moves or its index maps there and nowhere
else. The same ops stand on memrefs, with a destination, once tensors have become buffers. Loops and sums are `scf.for`
with tensors carried through; integers are `index` values of `arith`.
"""

from tinyml.dialects.collect import dialect_of
from tinyml.dialects.tdsl import (
    accumulation,
    attributes,
    constant,
    contraction,
    convolution,
    distance,
    elementwise,
    map,
    movement,
    pooling,
    reduction,
)
from tinyml.dialects.tdsl.accumulation import *
from tinyml.dialects.tdsl.attributes import *
from tinyml.dialects.tdsl.base import *
from tinyml.dialects.tdsl.constant import *
from tinyml.dialects.tdsl.contraction import *
from tinyml.dialects.tdsl.convolution import *
from tinyml.dialects.tdsl.distance import *
from tinyml.dialects.tdsl.elementwise import *
from tinyml.dialects.tdsl.facts import *
from tinyml.dialects.tdsl.map import *
from tinyml.dialects.tdsl.movement import *
from tinyml.dialects.tdsl.pooling import *
from tinyml.dialects.tdsl.reduction import *

TDSL = dialect_of(
    "tdsl",
    accumulation,
    attributes,
    constant,
    contraction,
    convolution,
    distance,
    elementwise,
    map,
    movement,
    pooling,
    reduction,
)

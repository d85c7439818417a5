"""The `stablehlo` dialect, which xDSL 0.74 does not contain: the ops to which JAX lowers functions.

`chlo.py` contains the ops of the CHLO dialect. All ops are parsed and printed only in MLIR's generic form. Names and
rules are those of github.com/openxla/stablehlo, docs/spec.md.
"""

from tinyml.dialects.collect import dialect_of
from tinyml.dialects.stablehlo.attributes import *
from tinyml.dialects.stablehlo.contraction import *
from tinyml.dialects.stablehlo.elementwise import *
from tinyml.dialects.stablehlo.movement import *
from tinyml.dialects.stablehlo.regions import *

STABLEHLO = dialect_of("stablehlo", globals())

"""The `exact` dialect: integer ops that implement the arithmetic of number formats, with a proven interval for each
result.

The dialect lies between `num`, whose ops operate on formats, and `arith`, whose ops operate on registers. Every op is
defined on unbounded integers. Its result has a register type and an interval that contains every possible result.
"""

from tinyml.dialects.collect import dialect_of
from tinyml.dialects.exact.coders import *
from tinyml.dialects.exact.ops import *
from tinyml.dialects.exact.recorded import *

EXACT = dialect_of("exact", globals())

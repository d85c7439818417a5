"""The `exact` dialect: the arithmetic of number formats on integers that lie in proven intervals.

It stands between `num`, whose ops are of formats, and `arith`, whose ops are of registers: every op has a meaning on
integers without limits, and states the register and the interval that hold its result.
"""

from tinyml.dialects.collect import dialect_of
from tinyml.dialects.exact.coders import *
from tinyml.dialects.exact.ops import *
from tinyml.dialects.exact.recorded import *

EXACT = dialect_of("exact", globals())

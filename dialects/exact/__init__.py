"""The `exact` dialect: the arithmetic of number formats on integers in proven intervals.

It is the level between `num`, whose ops are on formats, and `arith`, whose ops are on registers: every op has a meaning
on unbounded integers, and states the register and the interval of its result.
"""

from tinyml.dialects.collect import dialect_of
from tinyml.dialects.exact.coders import *
from tinyml.dialects.exact.ops import *
from tinyml.dialects.exact.recorded import *

EXACT = dialect_of("exact", globals())

"""The `exact` dialect: the arithmetic of number formats on integers with proven intervals.

The dialect lies between `num`, whose ops operate on formats, and `arith`, whose ops operate on registers. Every op is
defined on unbounded integers, and states the register type and the interval of its result.
"""

from tinyml.dialects.collect import dialect_of
from tinyml.dialects.exact.coders import *
from tinyml.dialects.exact.ops import *
from tinyml.dialects.exact.recorded import *

EXACT = dialect_of("exact", globals())

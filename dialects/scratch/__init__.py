"""The `scratch` dialect of memory (from level L2 on): an arena for mutable data, flash for constants, and views of
both.
"""

from tinyml.dialects.collect import dialect_of
from tinyml.dialects.scratch.moves import *
from tinyml.dialects.scratch.ops import *
from tinyml.dialects.scratch.types import *

SCRATCH = dialect_of("scratch", globals())

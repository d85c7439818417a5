"""The `c` dialect (level L5): the declarations, statements and expressions of one C source file.

The ops describe standard C. The printer of a target adds compiler-specific syntax, such as qualifiers of program
memory.
"""

from tinyml.dialects.c.declarations import *
from tinyml.dialects.c.expressions import *
from tinyml.dialects.c.header import *
from tinyml.dialects.c.statements import *
from tinyml.dialects.c.types import *
from tinyml.dialects.collect import dialect_of

C = dialect_of("c", globals())

"""The `num` dialect (level L3): ops on scalars and sums of products, and calls of kernels on contiguous memory.

Each op on scalars is defined by a method of the result's `NumberFormat`, or of the `Accumulator`. To lower the op, the
compiler runs this method on a machine that emits IR.
"""

from tinyml.dialects.collect import dialect_of
from tinyml.dialects.modules import all_names
from tinyml.dialects.num.base import *
from tinyml.dialects.num.contractions import *
from tinyml.dialects.num.kernels.calls import *
from tinyml.dialects.num.kernels.coded_sums import *
from tinyml.dialects.num.kernels.distances import *
from tinyml.dialects.num.kernels.forest_walks import *
from tinyml.dialects.num.kernels.kernel_attributes import *
from tinyml.dialects.num.kernels.lane_functions import *
from tinyml.dialects.num.kernels.routines import *
from tinyml.dialects.num.kernels.row_sums import *
from tinyml.dialects.num.kernels.sparse_sums import *
from tinyml.dialects.num.nests import *
from tinyml.dialects.num.scalar_functions import *
from tinyml.dialects.num.scalars import *
from tinyml.dialects.num.sums import *
from tinyml.dialects.num.totals import *
from tinyml.dialects.num.weighted_sums import *
from tinyml.dialects.rows import modules_of

NUM = dialect_of("num", globals(), lambda: all_names(modules_of("num")))

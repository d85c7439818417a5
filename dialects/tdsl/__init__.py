"""The `tdsl` dialect of tensor ops (levels L0 to L2), on builtin tensors whose element type is the number format.

Each file contains one kind of op. The file of an op is the only place that defines its shape rule, and its scalar op,
moves or index maps. When tensors are lowered to buffers, the same ops operate on memrefs and have a destination. Loops
and sums are `scf.for` with tensors as iter_args. Integers are `index` values of `arith`.
"""

from tinyml.dialects.collect import dialect_of
from tinyml.dialects.modules import all_names
from tinyml.dialects.rows import modules_of
from tinyml.dialects.tdsl.accumulation import *
from tinyml.dialects.tdsl.attributes import *
from tinyml.dialects.tdsl.base import *
from tinyml.dialects.tdsl.comparison import *
from tinyml.dialects.tdsl.constant import *
from tinyml.dialects.tdsl.contraction import *
from tinyml.dialects.tdsl.convolution import *
from tinyml.dialects.tdsl.distance import *
from tinyml.dialects.tdsl.elementwise import *
from tinyml.dialects.tdsl.elementwise_functions import *
from tinyml.dialects.tdsl.encoded_features import *
from tinyml.dialects.tdsl.enlargement import *
from tinyml.dialects.tdsl.forest import *
from tinyml.dialects.tdsl.index_maps import *
from tinyml.dialects.tdsl.inputs import *
from tinyml.dialects.tdsl.interface import *
from tinyml.dialects.tdsl.masking import *
from tinyml.dialects.tdsl.matrix_products import *
from tinyml.dialects.tdsl.missing_values import *
from tinyml.dialects.tdsl.movement import *
from tinyml.dialects.tdsl.normalisation import *
from tinyml.dialects.tdsl.parts import *
from tinyml.dialects.tdsl.permutations import *
from tinyml.dialects.tdsl.pooling import *
from tinyml.dialects.tdsl.slices import *
from tinyml.dialects.tdsl.windows import *

TDSL = dialect_of("tdsl", globals(), lambda: all_names(modules_of("tdsl")))

"""The `tdsl` dialect of tensor ops (L0 to L2), on builtin tensors whose element type carries the number format.

There is one file per kind of op, and an op defines its shape rule, scalar op, moves or index maps only there. The same
ops work on memrefs, with a destination, once tensors have become buffers. Loops and sums are `scf.for` with tensors as
iter_args; integers are `index` values of `arith`.
"""

from collections.abc import Mapping
from types import ModuleType

from tinyml.dialects.collect import dialect_of
from tinyml.dialects.extensions import imported
from tinyml.dialects.modules import is_installed
from tinyml.dialects.tdsl.accumulation import *
from tinyml.dialects.tdsl.attributes import *
from tinyml.dialects.tdsl.base import *
from tinyml.dialects.tdsl.comparison import *
from tinyml.dialects.tdsl.constant import *
from tinyml.dialects.tdsl.contraction import *
from tinyml.dialects.tdsl.convolution import *
from tinyml.dialects.tdsl.distance import *
from tinyml.dialects.tdsl.elementwise import *
from tinyml.dialects.tdsl.enlargement import *
from tinyml.dialects.tdsl.feature_encoding import *
from tinyml.dialects.tdsl.forest import *
from tinyml.dialects.tdsl.index_maps import *
from tinyml.dialects.tdsl.inputs import *
from tinyml.dialects.tdsl.interface import *
from tinyml.dialects.tdsl.matrix_products import *
from tinyml.dialects.tdsl.missing_values import *
from tinyml.dialects.tdsl.movement import *
from tinyml.dialects.tdsl.normalisation import *
from tinyml.dialects.tdsl.parts import *
from tinyml.dialects.tdsl.pooling import *
from tinyml.dialects.tdsl.sensor_units import *
from tinyml.dialects.tdsl.slices import *

_SIGNALS = f"{__name__}.signals"


def _signals() -> Mapping[str, object]:
    if not is_installed(_SIGNALS):
        return {}
    signals: ModuleType = imported(_SIGNALS)
    return vars(signals)


TDSL = dialect_of("tdsl", globals(), _signals)

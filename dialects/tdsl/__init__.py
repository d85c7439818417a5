"""The `tdsl` dialect of tensor ops (L0 to L2), on builtin tensors whose element type carries the number format.

There is one file per kind of op, and an op defines its shape rule, scalar op, moves or index maps only there. The same
ops work on memrefs, with a destination, once tensors have become buffers. Loops and sums are `scf.for` with tensors as
iter_args; integers are `index` values of `arith`.
"""

from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from tinyml.dialects.collect import dialect_of
from tinyml.dialects.extensions import imported
from tinyml.dialects.modules import is_installed, names_on_use
from tinyml.dialects.tdsl.attributes import *
from tinyml.dialects.tdsl.base import *
from tinyml.dialects.tdsl.comparison import *
from tinyml.dialects.tdsl.constant import *
from tinyml.dialects.tdsl.contraction import *
from tinyml.dialects.tdsl.elementwise import *
from tinyml.dialects.tdsl.index_maps import *
from tinyml.dialects.tdsl.inputs import *
from tinyml.dialects.tdsl.interface import *
from tinyml.dialects.tdsl.kinds import *
from tinyml.dialects.tdsl.matrix_products import *
from tinyml.dialects.tdsl.movement import *
from tinyml.dialects.tdsl.normalisation import *
from tinyml.dialects.tdsl.parts import *
from tinyml.dialects.tdsl.sensor_units import *

if TYPE_CHECKING:
    from tinyml.dialects.tdsl.accumulation import *
    from tinyml.dialects.tdsl.convolution import *
    from tinyml.dialects.tdsl.distance import *
    from tinyml.dialects.tdsl.encoded_features import *
    from tinyml.dialects.tdsl.enlargement import *
    from tinyml.dialects.tdsl.forest import *
    from tinyml.dialects.tdsl.missing_values import *
    from tinyml.dialects.tdsl.pooling import *
    from tinyml.dialects.tdsl.slices import *

_ON_USE = [
    f"{__name__}.{file}"
    for file in (
        "accumulation",
        "convolution",
        "distance",
        "encoded_features",
        "enlargement",
        "forest",
        "missing_values",
        "pooling",
        "slices",
    )
]
"""The files of ops that few programs contain; each is imported when one of its names is first used (see `kinds.py`)."""

if not TYPE_CHECKING:
    __getattr__ = names_on_use(_ON_USE)

_SIGNALS = f"{__name__}.signals"


def _others() -> Mapping[str, object]:
    names = {name: value for module in _ON_USE for name, value in vars(import_module(module)).items()}
    if is_installed(_SIGNALS):
        signals: ModuleType = imported(_SIGNALS)
        names |= vars(signals)
    return names


TDSL = dialect_of("tdsl", globals(), _others)

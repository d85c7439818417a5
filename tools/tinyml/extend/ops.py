"""Ops: tensor ops of a package's own dialects, with their values, shapes and loops.

`tdsl` and `num` are the dialects of tensors and of scalars. They define the base classes of ops (`tdsl.ElementwiseOp`,
`tdsl.ContractionOp`, `tdsl.MovementOp`, `tdsl.TensorOp`, `num.ScalarOp`). The pages of the dialects describe their ops.
"""

from tinyml.dialects import num, tdsl
from tinyml.dialects.num.base import OF_ONE_FAMILY, SAME_SUM
from tinyml.dialects.num.kernels.calls import MEMREF, Arguments, LoopBuilding
from tinyml.dialects.tdsl.base import SHAPED, shaped
from tinyml.dialects.tdsl.base import build as init_tensor_op
from tinyml.dialects.tdsl.elementwise import Insert, elementwise_op_definition
from tinyml.dialects.tdsl.index_maps import dimensions, identity
from tinyml.dialects.tdsl.values import Arithmetic, Array
from tinyml.lowering.loops.contractions.turned_convolutions import WindowProducts
from tinyml.lowering.loops.lowerings import lowers as lowers_to_loops
from tinyml.lowering.loops.movement import turn_image
from tinyml.lowering.loops.operands import element_of as element_type
from tinyml.lowering.loops.operands import flash_array, zero_total
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder

__all__ = [
    "MEMREF",
    "OF_ONE_FAMILY",
    "SAME_SUM",
    "SHAPED",
    "Arguments",
    "Arithmetic",
    "Array",
    "Indices",
    "Insert",
    "LoopBuilder",
    "LoopBuilding",
    "WindowProducts",
    "dimensions",
    "element_type",
    "elementwise_op_definition",
    "flash_array",
    "identity",
    "init_tensor_op",
    "lowers_to_loops",
    "num",
    "shaped",
    "tdsl",
    "turn_image",
    "zero_total",
]

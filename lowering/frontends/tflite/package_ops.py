"""Import of operators by functions that other packages register."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.lowering.frontends.layers.model_builder import Parameter
from tinyml.lowering.frontends.model_ops import TFLITE_OPS, ModelOp
from tinyml.lowering.frontends.tflite.builder import (
    GraphBuilder,
    activation_format,
    element,
    parameter_of,
    require_scales,
)
from tinyml.lowering.frontends.tflite.model import Operator, Tensor


def import_by_package(to: GraphBuilder, op: Operator) -> bool:
    """Import an operator by the function of another package. Return whether a package imports it.

    Raises `VerifyException` for outputs that do not have the declared types.
    """
    name = op.kind.removeprefix("CUSTOM ")
    if name not in TFLITE_OPS:
        return False
    require_scales(op)

    def operand(tensor: Tensor | None) -> SSAValue | Parameter | None:
        if tensor is None or tensor.data is None:
            return tensor and to.value(tensor)
        return parameter_of(tensor, tensor.data, activation_format(tensor))

    types = [TensorType(element(tensor), tensor.shape) for tensor in op.outputs]
    options = op.options.get("custom", b"")
    model_op = ModelOp(name=name, inputs=[operand(tensor) for tensor in op.inputs], options=options, types=types)
    outputs = TFLITE_OPS.get(name)(to, model_op)
    if len(outputs) != len(op.outputs):
        raise VerifyException(f"expected {len(op.outputs)} outputs, the package gives {len(outputs)}")
    for tensor, value in zip(op.outputs, outputs, strict=True):
        to.define(tensor, value)
    return True

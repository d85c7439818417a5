"""Gated linear units: the op `Glu` of the ONNX domain `acme`, and the custom operator `AcmeGlu` of TensorFlow Lite.

The input is divided into halves along an axis. The result is the first half times the sigmoid of the sum of the second
half and an optional bias.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, SSAValue

from tinyml.extend.frontends import ModelBuilder, ModelOp, Parameter, tdsl
from tinyml.extend.quantised import ZeroSkewType

GATES = ZeroSkewType(8, 2.0**-8, -128)
"""The format of a sigmoid of 8 bits in TensorFlow Lite."""


def read_onnx_glu(to: ModelBuilder, op: ModelOp) -> Sequence[SSAValue]:
    axis = op.attributes.get("axis", -1)
    if not isinstance(axis, int):
        raise to.error("attribute 'axis' is not an integer")
    return [_gated(to, op, axis)]


def read_tflite_glu(to: ModelBuilder, op: ModelOp) -> Sequence[SSAValue]:
    """Import the operator. The options of the operator consist of the axis as a byte."""
    [type] = op.types
    element = type.get_element_type()
    gates = GATES if isinstance(element, ZeroSkewType) else None
    return [_gated(to, op, int.from_bytes(op.options, "little", signed=True), gates, element)]


def _gated(
    to: ModelBuilder, op: ModelOp, axis: int, gates: Attribute | None = None, element: Attribute | None = None
) -> SSAValue:
    x, *more = op.inputs
    if not isinstance(x, SSAValue):
        raise to.error("expected a computed tensor")
    sizes = list(tdsl.shape_of(x))
    if sizes[axis] % 2:
        raise to.error(f"axis {axis} of {sizes} has no halves")
    sizes[axis] //= 2
    start = [0] * len(sizes)
    value = to.part(x, start, sizes)
    start[axis] = sizes[axis]
    gate = to.part(x, start, sizes)
    for bias in more:
        if isinstance(bias, Parameter):
            gate = to.op(tdsl.AddOp, gate, to.parameter(bias))
    return to.op(tdsl.MulOp, value, to.op(tdsl.SigmoidOp, gate, gates), element)

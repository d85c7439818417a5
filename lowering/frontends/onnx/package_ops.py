"""Import of nodes by functions that other packages register."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from tinyml.lowering.frontends.layers.model_builder import OrderedTensor, Parameter
from tinyml.lowering.frontends.model_ops import ONNX_OPS, ModelOp
from tinyml.lowering.frontends.onnx.builder import Builder, Constant, Inputs, Value
from tinyml.lowering.frontends.onnx.graph import OnnxNode


def import_by_package(to: Builder, node: OnnxNode, inputs: Inputs) -> Sequence[Value] | None:
    """Import a node by the function of another package. Quantised tensors are first converted to reals. Returns None if
    no package registers the op.

    Raises `InputError` if the package returns fewer outputs than the node names.
    """
    name = f"{node.domain}.{node.op}" if node.domain else node.op
    if name not in ONNX_OPS:
        return None

    def operand(value: Value | None) -> SSAValue | Parameter | None:
        if value is None or isinstance(value := to.numbers(value), Constant):
            return value and to.parameter_of(value)
        return to.tensor(to.real(value))

    op = ModelOp(name=name, inputs=[operand(value) for value in inputs], attributes=node.attributes)
    values = ONNX_OPS.get(name)(to, op)
    if len(values) < len(node.outputs):
        raise node.error(f"expected {len(node.outputs)} outputs, the package gives {len(values)}")
    return [OrderedTensor.plain(value) for value in values]

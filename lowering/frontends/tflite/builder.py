"""The program under construction while a graph is imported, and the number formats of its tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec

from xdsl.dialects import arith
from xdsl.dialects.builtin import FileLineColLoc, IndexType, IntAttr, IntegerAttr, StringAttr, TensorType
from xdsl.ir import Block, SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.lowering.frontends.tflite.formats import activation_format, element, stored
from tinyml.lowering.frontends.tflite.model import Operator, Tensor

if TYPE_CHECKING:
    from numpy.typing import NDArray

P = ParamSpec("P")

ACTIVATIONS: dict[str, Callable[[SSAValue], tdsl.ClampOp]] = {
    "RELU": tdsl.ReluOp,
    "RELU6": tdsl.Relu6Op,
    "RELU_N1_TO_1": lambda value: tdsl.ClipOp(value, -1.0, 1.0),
}
"""Activations that operators may end with, and the ops that they are."""


class GraphBuilder:
    """Appends the ops of each operator to `block`; errors name the operator."""

    def __init__(self, file: str):
        self.file = file
        self.block = Block()
        self.values: dict[Tensor, SSAValue] = {}

    def emit(self, make: Callable[P, tdsl.TensorOp], *args: P.args, **kwargs: P.kwargs) -> SSAValue:
        """Build, verify and append an op with one result."""
        op = make(*args, **kwargs)
        op.verify_()
        op.location = FileLineColLoc(StringAttr(self.file), IntAttr(0), IntAttr(0))
        self.block.add_op(op)
        return op.out

    def define(self, tensor: Tensor, value: SSAValue) -> None:
        """Make a value that of a tensor; it must have the tensor's shape and format."""
        expected = TensorType(element(tensor), tensor.shape)
        if value.type != expected:
            raise VerifyException(f"{tensor} is declared as {expected}, the operator computes {value.type}")
        self.values[tensor] = value
        if tensor.name:
            value.name_hint = _identifier(tensor.name)

    def value(self, tensor: Tensor) -> SSAValue:
        """The value of a tensor; a constant appears where it is first used."""
        if tensor not in self.values:
            if tensor.data is None:
                raise VerifyException(f"{tensor} is read before an operator computes it")
            self.values[tensor] = self.constant(stored(tensor), activation_format(tensor), tensor.name)
        return self.values[tensor]

    def constant(self, raws: NDArray[Any], format: NumberFormat, name: str) -> SSAValue:
        """A new constant."""
        op = tdsl.ConstOp(raws, format)
        op.verify_()
        self.block.add_op(op)
        op.result.name_hint = _identifier(name) if name else "constant"
        return op.result

    def activated(self, value: SSAValue, activation: str) -> SSAValue:
        """A value after the activation that an operator ends with."""
        if activation == "NONE":
            return value
        if activation not in ACTIVATIONS:
            known = ", ".join(("NONE", *ACTIVATIONS))
            raise VerifyException(f"the activation {activation} is not supported; supported are {known}")
        return self.emit(ACTIVATIONS[activation], value)

    def part(
        self, value: SSAValue, begin: Sequence[int], size: Sequence[int], steps: Sequence[int] | None = None
    ) -> SSAValue:
        """A part of a value; begin: the index of its first element; steps: the distance of elements along each axis."""
        if tdsl.shape_of(value) == tuple(size) and (steps is None or all(step == 1 for step in steps)):
            return value
        offsets = [arith.ConstantOp(IntegerAttr(start, IndexType())) for start in begin]
        self.block.add_ops(offsets)
        return self.emit(tdsl.SliceOp, value, [offset.result for offset in offsets], size, steps)

    def reshaped(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """A value in another shape."""
        return value if tdsl.shape_of(value) == tuple(shape) else self.emit(tdsl.ReshapeOp, value, shape)


def integers(op: Operator, position: int, what: str) -> list[int]:
    """The integers of a constant input of an operator; raises `VerifyException` unless it is one.

    what: the content of the input, for messages.
    """
    tensor = op.inputs[position] if position < len(op.inputs) else None
    if tensor is None or tensor.data is None or tensor.dtype not in ("int32", "int64"):
        raise VerifyException(f"{what} must be a constant of integers")
    return [int(number) for number in tensor.data.ravel()]


def input_of(op: Operator, position: int) -> Tensor:
    """A required input of an operator."""
    tensor = optional_input(op, position)
    if tensor is None:
        raise VerifyException(f"input {position} is missing")
    return tensor


def optional_input(op: Operator, position: int) -> Tensor | None:
    """An input of an operator, None without it."""
    return op.inputs[position] if position < len(op.inputs) else None


def _identifier(name: str) -> str:
    """A name made of the last part of a tensor's name, in characters that names of values may have."""
    last = name.split(";")[0].rsplit("/", 1)[-1]
    text = "".join(character if character.isascii() and character.isalnum() else "_" for character in last).strip("_")
    return text if text[:1].isalpha() else f"t_{text}"

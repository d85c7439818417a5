"""The builder of the program while a graph is imported, and access to the inputs of operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.lowering.frontends.layers.elementwise_layers import GREATEST, limited
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.layers.ordered_tensor import OrderedTensor
from tinyml.lowering.frontends.layers.parameter import Parameter, signed
from tinyml.lowering.frontends.tflite.formats import activation_format, element
from tinyml.lowering.frontends.tflite.model import Operator, Tensor

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import NumberFormat

ACTIVATIONS = {"RELU": (0.0, GREATEST), "RELU6": (0.0, 6.0), "RELU_N1_TO_1": (-1.0, 1.0)}
"""Fused activations of operators, with the least and the greatest number of their results."""


class GraphBuilder(ModelBuilder):
    """A builder that appends the ops of operators, and keeps the values of tensors."""

    def __init__(self, file: str):
        super().__init__(file)
        self.values: dict[Tensor, SSAValue] = {}

    def define(self, tensor: Tensor, value: SSAValue) -> None:
        """Record the value of a tensor, which must have the tensor's shape and format."""
        expected = TensorType(element(tensor), tensor.shape)
        if value.type != expected:
            raise VerifyException(f"{tensor} is declared as {expected}, the operator computes {value.type}")
        self.values[tensor] = value
        if tensor.name:
            value.name_hint = _identifier(tensor.name)

    def value(self, tensor: Tensor) -> SSAValue:
        """The value of a tensor; a constant is created on first use."""
        if tensor not in self.values:
            if tensor.data is None:
                raise VerifyException(f"{tensor} is read before an operator computes it")
            self.values[tensor] = self.parameter(parameter(tensor, tensor.data, activation_format(tensor)))
        return self.values[tensor]

    def image(self, tensor: Tensor) -> OrderedTensor:
        """The value of a tensor as layers take it, with axes in the order of the program."""
        return OrderedTensor.plain(self.value(tensor))

    def activated(self, value: SSAValue, activation: str) -> SSAValue:
        """A value after the fused activation of an operator."""
        if activation == "NONE":
            return value
        if activation not in ACTIVATIONS:
            known = ", ".join(("NONE", *ACTIVATIONS))
            raise VerifyException(f"the activation {activation} is not supported; supported are {known}")
        return limited(self, value, *ACTIVATIONS[activation])


def parameter(tensor: Tensor, raws: NDArray[Any], format: NumberFormat) -> Parameter:
    """Constant raws under the name of a tensor."""
    return Parameter(signed(raws), format, _identifier(tensor.name) if tensor.name else "constant")


def integers(op: Operator, position: int, what: str) -> list[int]:
    """The integers of a constant input of an operator; raises `VerifyException` for any other input.

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
    """An optional input of an operator; None without it."""
    return op.inputs[position] if position < len(op.inputs) else None


def _identifier(name: str) -> str:
    """The last component of a tensor's name as an identifier of the IR."""
    last = name.split(";")[0].rsplit("/", 1)[-1]
    text = "".join(character if character.isascii() and character.isalnum() else "_" for character in last).strip("_")
    return text if text[:1].isalpha() else f"t_{text}"

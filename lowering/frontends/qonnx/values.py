"""Values of a network on integers: constants, and tensors whose reals are known functions of exact integers.

A `Whole` is a tensor of integers, followed by monotone elementwise functions for which no op has been emitted. If a
quantiser reads it, functions and quantiser become thresholds on the integers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import Shape
from tinyml.lowering.frontends.layers.dense_layers import dense
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor, Parameter
from tinyml.lowering.frontends.layers.network_layers import binary, convolution
from tinyml.lowering.frontends.onnx.builder import Builder, Constant, Followed, Inputs, Value
from tinyml.lowering.frontends.onnx.folding import fold
from tinyml.lowering.frontends.onnx.graph import OnnxNode
from tinyml.lowering.frontends.onnx.ops.products import joined
from tinyml.lowering.frontends.onnx.ops.windows import filter_of, image
from tinyml.lowering.frontends.qonnx.integer_formats import (
    ExactInteger,
    format_of_range,
    format_of_sums,
    integer_format,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.ir import Attribute

    from tinyml.lowering.frontends.layers.network_layers import Windows

    Integers: TypeAlias = NDArray[np.int64]
    Singles: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class WholeConstant(Constant, Followed):
    """A constant of integers times scales. `array` contains the products, as reals.

    integers: the integers, in the shape of `array`.
    units: the scale of each integer, broadcast to the shape.
    low, high: the range of the quantiser.
    bipolar: whether the quantiser returns -1 and 1 only.
    """

    integers: Integers = field(kw_only=True)
    units: Singles = field(kw_only=True)
    low: int = field(kw_only=True)
    high: int = field(kw_only=True)
    bipolar: bool = field(kw_only=True)

    @classmethod
    def of(
        cls, integers: Integers, scales: Singles, limits: tuple[int, int], *, bipolar: bool = False, name: str = ""
    ) -> WholeConstant:
        spread = np.broadcast_to(scales, integers.shape)
        reals = (integers.astype(np.float32) * spread).astype(np.float32)
        low, high = limits
        return cls(reals, name, integers=integers, units=spread, low=low, high=high, bipolar=bipolar)

    def read_by(self, to: Builder, node: OnnxNode, inputs: Inputs) -> Value | None:
        """Import a node that moves elements: move the integers and their scales alike. Returns None for other nodes."""
        if node.domain or node.op not in MOVING or self is not inputs[0]:
            return None
        integers = self._moved(self.integers, to, node, inputs)
        units = self._moved(self.units, to, node, inputs)
        if integers is None or units is None:
            return None
        return WholeConstant.of(integers, units, (self.low, self.high), bipolar=self.bipolar, name=self.name)

    def _moved(self, part: NDArray[Any], to: Builder, node: OnnxNode, inputs: Inputs) -> NDArray[Any] | None:
        folded = fold(to, node, [Constant(part), *inputs[1:]])
        return folded[0].array if folded is not None and isinstance(folded[0], Constant) else None


MOVING = ("Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Slice")
"""Ops that move the numbers of a constant."""


@dataclass(frozen=True, eq=False)
class Step:
    """A monotone elementwise function.

    constant: one number for each channel, or one for all channels.
    apply: the function in single precision, of numbers (channels, any) and the constant (channels, 1).
    emit: a function that appends the ops of the step to a program on reals; None if no op computes the step.
    affine: whether the step only adds, multiplies by or divides by its constant.
    adds: whether the step only adds its constant.
    """

    constant: Singles
    apply: Callable[[Singles, Singles], Singles]
    emit: Callable[[Builder, OrderedTensor, Parameter], OrderedTensor] | None
    affine: bool = False
    adds: bool = False


@dataclass(frozen=True, eq=False)
class Source(ABC):
    """The integers of a tensor, in units of 2^-frac, for which ops can be emitted.

    shape: the shape in the model.
    axis: the axis of channels in the model.
    low, high: the range of the integers, for each channel or for all channels.
    """

    shape: Shape
    axis: int
    frac: int
    low: Integers
    high: Integers
    _sums: list[OrderedTensor] = field(default_factory=list["OrderedTensor"], init=False)

    @abstractmethod
    def emit(self, to: Builder, addends: Integers | None, signs: Integers | None, element: Attribute) -> OrderedTensor:
        """Emit the integers, each multiplied by the sign of its channel and increased by the addend of its channel,
        rounded to a format.

        addends, signs: one number per channel; None for addends of 0 and for signs of 1.
        element: the format.
        """

    @property
    def flips(self) -> bool:
        """Whether `emit` accepts signs, which negate channels."""
        return False

    def sums(self, to: Builder) -> OrderedTensor:
        """The exact integers as a tensor. It is emitted once, for all nodes that read it."""
        if not self._sums:
            self._sums.append(self.emit(to, None, None, self.exact.type))
        return self._sums[0]

    @property
    def exact(self) -> ExactInteger:
        return format_of_sums(int(self.low.min()), int(self.high.max()), self.frac)

    def by_channel(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """Reshape a number per channel so that it broadcasts along the channels of the model's tensor."""
        return numbers.reshape([-1 if axis == self.axis else 1 for axis in range(len(self.shape))])


@dataclass(frozen=True, eq=False)
class Stored(Source):
    """Integers that a program has computed, in a tensor of a fixed-point format."""

    tensor: OrderedTensor

    @classmethod
    def of(cls, tensor: OrderedTensor, low: Integers, high: Integers, axis: int = 1) -> Stored:
        return cls(tensor.shape, axis, integer_format(tensor.value).frac.data, low, high, tensor)

    @property
    def exact(self) -> ExactInteger:
        return integer_format(self.tensor.value)

    def emit(self, to: Builder, addends: Integers | None, signs: Integers | None, element: Attribute) -> OrderedTensor:
        assert signs is None
        tensor = self.tensor
        if addends is not None and addends.any():
            sums = format_of_sums(int((self.low + addends).min()), int((self.high + addends).max()), self.frac)
            format = format_of_sums(int(addends.min()), int(addends.max()), self.frac)
            numbers = Parameter(self.by_channel(addends).astype(format.dtype), format)
            tensor = binary(to, tdsl.AddOp, tensor, numbers, sums.type)
        return OrderedTensor(to.requantised(tensor.value, element), tensor.order)


@dataclass(frozen=True, eq=False)
class Stack(Source):
    """Matrices of integers, which are joined only if a node needs all of them in one tensor.

    parts: the matrices, each of shape (1, rows, columns).
    """

    parts: Sequence[Source]

    @classmethod
    def of(cls, parts: Sequence[Source], shape: Shape) -> Stack:
        first = parts[0]
        return cls(shape, len(shape) - 1, first.frac, first.low, first.high, parts)

    def emit(self, to: Builder, addends: Integers | None, signs: Integers | None, element: Attribute) -> OrderedTensor:
        emitted = [matrix.emit(to, addends, signs, element) for matrix in self.parts]
        return joined(to, [to.plain(matrix) for matrix in emitted], self.shape)


@dataclass(frozen=True, eq=False)
class Products(Source):
    """Sums of products of stored integers and constant weights.

    x: the integers that are multiplied by the weights.
    weights: the matrix (outputs, inputs) of a dense layer, or the filter of the convolution over `windows`.
    windows: the windows of the convolution; None for a dense layer.
    groups: the number of groups of channels.
    """

    x: Stored
    weights: WholeConstant
    windows: Windows | None = None
    groups: int = 1

    @property
    def flips(self) -> bool:
        return self.format.limits[0] == -self.format.limits[1]

    @property
    def format(self) -> ExactInteger:
        """The format of the weights. It is symmetric if the weights permit this."""
        weights = self.weights
        low, high = weights.low, weights.high
        if low < -high and int(weights.integers.min()) > low:
            low = -high
        return format_of_range(low, high, self.frac - self.x.frac, bipolar=weights.bipolar)

    def emit(self, to: Builder, addends: Integers | None, signs: Integers | None, element: Attribute) -> OrderedTensor:
        format, integers = self.format, self.weights.integers
        if signs is not None:
            integers = integers * signs.reshape(-1, *(1,) * (integers.ndim - 1))
        weights = Parameter(integers.astype(format.dtype), format, self.weights.name)
        start = None
        if addends is not None and addends.any():
            addends = np.broadcast_to(addends, len(integers))
            sums = format_of_sums(int(addends.min()), int(addends.max()), self.frac)
            start = Parameter(addends.astype(sums.dtype), sums)
        x = self.x.tensor
        if self.windows is None:
            return OrderedTensor.plain(dense(to, to.plain(x), weights, self.shape, start, element))
        if any(self.windows.padding) and integer_format(x.value).encode(np.zeros(1))[0] != 0:
            # The format of -1 and 1 has no zero for the margin.
            wider = format_of_range(-1, 1, self.x.frac)
            x = OrderedTensor(to.requantised(x.value, wider.type), x.order)
        ordered, axes = image(to, x)
        filter = filter_of(to, weights, len(self.shape))
        return convolution(to, ordered, filter, self.windows, self.groups, start, element, axes=axes)

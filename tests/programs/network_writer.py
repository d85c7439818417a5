"""A writer of networks as functions on tensors (L0 and L1), op by op, with random or given weights.

Other modules write models in files: `tflite_models` and `oracles.onnx_models`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from xdsl.builder import Builder
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType, ModuleOp, TensorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.formats.lookup import format_named

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import NumberFormat

Pair: TypeAlias = "int | tuple[int, int]"
"""Rows and columns, or the same number for both."""

Padding: TypeAlias = "int | tuple[int, int, int, int]"
"""Pixels at the top, at the bottom, on the left and on the right, or the same number for all."""


class NetworkWriter:
    """A writer of a function with one tensor argument.

    shape: the shape of the argument, 1 x height x width x channels for an image.
    seed: the seed of `random`, from which weights are drawn in the order in which layers are written.
    format: the format of the argument and of constants; by default 8-bit fixed point.
    """

    def __init__(
        self, shape: Sequence[int], seed: int = 0, format: NumberFormat | None = None, name: str = "network"
    ) -> None:
        self.format = format or format_named(context(), "fixed", 8)
        self.random = np.random.default_rng(seed)
        self.name = name
        self.block = Block(arg_types=[TensorType(self.format.type, shape)])
        self.builder = Builder(InsertPoint.at_end(self.block))
        self.input: SSAValue = self.block.args[0]
        self.input.name_hint = "X"
        self.layers = 0

    def insert(self, op: Operation, name: str | None = None) -> SSAValue:
        """Append an op, and return its only result, named if a name is given."""
        [result] = self.builder.insert(op).results
        if name is not None:
            result.name_hint = name
        return result

    def index(self, value: int) -> SSAValue:
        return self.insert(arith.ConstantOp.from_int_and_width(value, IndexType()))

    def constant(self, raws: NDArray[Any], format: NumberFormat | None = None, name: str | None = None) -> SSAValue:
        """Append a constant of given raws, in the network's format unless another is given."""
        return self.insert(tdsl.ConstOp(raws, format or self.format), name)

    def weights(self, rows: int, *row: int) -> SSAValue:
        """Append a constant of `rows` rows of shape `row` with random weights.

        Raws are uniformly distributed. Weights on reals are suitable for training: rows or columns are orthogonal (Saxe
        et al. 2013), and multiplied by sqrt(2), as relus require.
        """
        if self._on_reals:
            columns = prod(row)
            drawn = self.random.normal(size=(max(rows, columns), min(rows, columns)))
            matrix = np.linalg.qr(drawn)[0]
            values = np.sqrt(2.0) * (matrix if rows >= columns else matrix.T).reshape(rows, *row)
        else:
            values = self.random.integers(-90, 90, (rows, *row), np.int8)
        self.layers += 1
        return self.constant(values, name=f"W{self.layers}")

    def convolution(
        self,
        image: SSAValue,
        channels: int | None,
        kernel: Pair = 1,
        strides: Pair = 1,
        padding: Padding = 0,
        linear: bool = False,
    ) -> SSAValue:
        """Append a convolution, and return its result. On reals it has a bias of zeros.

        channels: the channels of the result; None for a depthwise convolution.
        linear: True to append no relu.
        """
        before = tdsl.shape_of(image)[3]
        top, bottom, left, right = margins = _margins(padding)
        if any(margins):
            image = self.insert(tdsl.PadOp(image, (0, top, left, 0), (0, bottom, right, 0)))
        filter = self.weights(channels or before, *_pair(kernel), before if channels else 1)
        bias = self._bias(channels or before) if self._on_reals else None
        groups = 1 if channels else before
        result = self.insert(tdsl.Conv2dOp(filter, image, _pair(strides), groups=groups, initial=bias))
        return result if linear else self.relu(result)

    def inverted_residual(self, image: SSAValue, wide: int, channels: int, strides: Pair = 1) -> SSAValue:
        """Append a block of MobileNet-v2 (Sandler et al. 2018, figure 4), and return its result.

        It consists of an expansion to `wide` channels, a depthwise convolution of 3 x 3, a linear projection to
        `channels`, and the sum with the image if shapes are equal.
        """
        deep = self.convolution(self.convolution(image, wide), None, 3, strides, 1)
        result = self.convolution(deep, channels, linear=True)
        return self.add(image, result) if tdsl.shape_of(image) == tdsl.shape_of(result) else result

    def dense(self, x: SSAValue, rows: int) -> SSAValue:
        """Append a product of a matrix of weights with all elements of x as a column, and return its result. On reals,
        a bias of zeros is added.

        rows: the number of rows of the matrix.
        """
        column = (prod(tdsl.shape_of(x)), 1)
        if tdsl.shape_of(x) != column:
            x = self.insert(tdsl.ReshapeOp(x, column))
        product = self.insert(tdsl.MatmulOp(self.weights(rows, column[0]), x))
        return self.add(product, self._bias(rows, 1)) if self._on_reals else product

    def pool(
        self,
        image: SSAValue,
        kernel: Pair = 2,
        strides: Pair | None = None,
        padding: Padding = 0,
        kind: type[tdsl.MaxPoolOp | tdsl.AveragePoolOp] = tdsl.MaxPoolOp,
    ) -> SSAValue:
        """Append a pool, and return its result. Windows are adjacent unless strides are given."""
        return self.insert(kind(image, _pair(kernel), _margins(padding), _pair(strides or kernel)))

    def mean(self, image: SSAValue) -> SSAValue:
        """Append the mean of all pixels, and return its result."""
        return self.insert(tdsl.MeanOp(image, (1, 2)))

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.insert(tdsl.AddOp(a, b))

    def relu(self, x: SSAValue) -> SSAValue:
        return self.insert(tdsl.ReluOp(x))

    def module(self, *results: SSAValue) -> ModuleOp:
        """The module of the finished function, which returns the given values."""
        self.builder.insert(func.ReturnOp(*results))
        types = self.block.arg_types, [result.type for result in results]
        module = ModuleOp([func.FuncOp(self.name, types, Region(self.block))])
        module.verify()
        return module

    @property
    def _on_reals(self) -> bool:
        return self.format == F32_FORMAT

    def _bias(self, *shape: int) -> SSAValue:
        return self.constant(np.zeros(shape), name=f"b{self.layers}")


def _pair(numbers: Pair) -> tuple[int, int]:
    return (numbers, numbers) if isinstance(numbers, int) else numbers


def _margins(padding: Padding) -> tuple[int, int, int, int]:
    return (padding, padding, padding, padding) if isinstance(padding, int) else padding

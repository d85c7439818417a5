"""Networks to train: programs on reals with random weights, orthogonal where that is possible (Saxe et al. 2013)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType, f32
from xdsl.ir import Block, Region, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Layers:
    """A program that grows by layers. input: the shape, 1 x height x width x channels or elements x 1."""

    def __init__(self, input: Sequence[int], seed: int):
        self.random = np.random.default_rng(seed)
        self.block = Block(arg_types=[TensorType(f32, input)])
        self.value: SSAValue = self.block.args[0]
        self.value.name_hint = "x"
        self.constants = 0

    def convolution(self, channels: int, kernel: int, stride: int = 1) -> Layers:
        """A convolution without padding, and a relu."""
        inputs = tdsl.shape_of(self.value)[-1]
        weights = self._orthogonal(channels, kernel * kernel * inputs).reshape(channels, kernel, kernel, inputs)
        filter, bias = self._constant("W", weights), self._constant("b", np.zeros(channels))
        self._add(tdsl.Conv2dOp(filter, self.value, (stride, stride), initial=bias))
        return self.relu()

    def pool(self, size: int) -> Layers:
        """The greatest elements of windows side by side."""
        return self._add(tdsl.MaxPoolOp(self.value, (size, size), (0, 0, 0, 0), (size, size)))

    def dense(self, rows: int) -> Layers:
        """A dense layer, of an image with all its elements."""
        elements = prod(tdsl.shape_of(self.value))
        self._add(tdsl.ReshapeOp(self.value, (elements, 1)))
        weights, bias = self._orthogonal(rows, elements), np.zeros((rows, 1))
        self._add(tdsl.MatmulOp(self._constant("W", weights), self.value))
        return self._add(tdsl.AddOp(self.value, self._constant("b", bias)))

    def relu(self) -> Layers:
        return self._add(tdsl.ReluOp(self.value))

    def program(self) -> ModuleOp:
        """The program that returns the last value as scores."""
        self.block.add_op(func.ReturnOp(self.value))
        type = FunctionType.from_lists([self.block.args[0].type], [self.value.type])
        module = ModuleOp([func.FuncOp("network", type, Region(self.block))])
        module.verify()
        return module

    def _add(self, op: tdsl.TensorOp) -> Layers:
        self.block.add_op(op)
        self.value = op.out
        return self

    def _constant(self, kind: str, reals: NDArray[np.float64]) -> SSAValue:
        constant = tdsl.ConstOp(reals.astype(np.float32), F32_FORMAT)
        self.constants += kind == "W"
        constant.result.name_hint = f"{kind}{self.constants}"
        self.block.add_op(constant)
        return constant.result

    def _orthogonal(self, rows: int, columns: int) -> NDArray[np.float64]:
        """A matrix of orthogonal rows or columns, as long as relus ask for."""
        drawn = self.random.normal(size=(max(rows, columns), min(rows, columns)))
        matrix = np.linalg.qr(drawn)[0]
        return np.sqrt(2.0) * (matrix if rows >= columns else matrix.T)


def letters(seed: int) -> ModuleOp:
    """A dense network for 16 features and 26 classes."""
    return Layers((16, 1), seed).dense(64).relu().dense(48).relu().dense(26).program()


def digits(seed: int) -> ModuleOp:
    """A convolutional network for images of 14 x 14."""
    return Layers((1, 14, 14, 1), seed).convolution(8, 3).convolution(16, 3, 2).dense(10).program()


def speech(seed: int) -> ModuleOp:
    """A convolutional network for 16 steps of 13 coefficients."""
    return Layers((1, 16, 13, 1), seed).convolution(8, 3).convolution(24, 3, 2).dense(10).program()

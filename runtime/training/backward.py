"""Derivatives of a loss with respect to a program's constants, added up over the samples of a batch.

Values are those of the program: raws of its formats, which the derivatives of the ops on reals take decoded (the
straight-through estimator of Courbariaux et al. 2016). A result that a format limits passes nothing on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import NumberFormat, number_format
from tinyml.dialects.locations import error_at
from tinyml.dialects.tdsl.values import Arithmetic, Factored, HasValueInterface
from tinyml.runtime.evaluator.arithmetics import Reals
from tinyml.runtime.evaluator.traces import Trace

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"


class TrainingTrace(Trace):
    """The execution of a batch, for a step of training.

    inputs: (samples, elements), raws of the program's format, or reals with `Reals`. trained: the constants whose
    derivatives are wanted. of_inputs: True if those by the inputs are, too. Raises `InputError` for a sum in an
    accumulator, which is no number of a format.
    """

    def __init__(
        self,
        function: func.FuncOp,
        inputs: Array,
        arithmetic: Arithmetic,
        trained: Collection[tdsl.ConstOp],
        of_inputs: bool = False,
    ):
        self.trained, self.reals = frozenset(trained), Reals()
        # The argument of the function is the first value.
        self.varying: set[int] = {0} if of_inputs else set()
        self.scores = logits_of(function)
        super().__init__(function, inputs, arithmetic)

    def computed(self, op: Operation, operands: list[int], made: int) -> None:
        if op in self.trained or self.varying.intersection(operands):
            self.varying.add(made)
            super().computed(op, operands, made)

    @property
    def logits(self) -> Array:
        """The reals of the scores, before a last softmax, of shape (samples, scores)."""
        reals = self._reals(self.index[self.scores])
        return reals.reshape(len(reals), -1)

    def backward(self, slope: Array) -> dict[SSAValue, Array]:
        """The derivatives of a loss, in the shapes of the program's values, from those by the scores.

        By the results of the trained constants, and by the function's argument for each sample if they are wanted.
        """
        found: dict[SSAValue, Array] = {}
        for value, by in self.by_values(slope):
            if isinstance(value.owner, tdsl.ConstOp):
                found[value] = by[0] + found[value] if value in found else by[0]
            elif value is self.bound[0]:
                found[value] = by
        return found

    def by_values(self, slope: Array) -> Iterator[tuple[SSAValue, Array]]:
        """The values on which the scores depend, the last first, each with the derivatives by it for each sample.

        slope: the derivatives by the scores. Derivatives by constants are added up over the samples.
        """
        slopes = {self.index[self.scores]: slope.reshape(-1, *tdsl.shape_of(self.scores))}
        for op, operands, made in reversed(self.entries):
            if (by := slopes.pop(made, None)) is None:
                continue
            if isinstance(op, tdsl.ConstOp):
                yield self.bound[made], by
                continue
            if not isinstance(op, HasValueInterface):
                continue
            by = self._unlimited(made, by)
            yield self.bound[made], by
            derivatives = op.derivative(self.reals, [self._reals(index) for index in operands], self._reals(made), by)
            if derivatives is None:
                continue
            for index, derivative in zip(operands, derivatives, strict=True):
                if derivative is None or index not in self.varying:
                    continue
                part = _summed(derivative, len(self.values[index]))
                slopes[index] = slopes[index] + part if index in slopes else part
        if 0 in slopes:
            yield self.bound[0], self._unlimited(0, slopes[0])

    def _format(self, index: int) -> NumberFormat | None:
        """The format of a value on raws; None for reals and indices."""
        type = self.bound[index].type
        if self.arithmetic.machine is None or not isinstance(type, TensorType):
            return None
        element = cast("TensorType[Attribute]", type).element_type
        if accumulator_of(element) is not None and number_format(element) is None:
            raise InputError("sums that a plan keeps in accumulators cannot be trained: give another --plan")
        return number_format(element)

    def _reals(self, index: int) -> Any:
        format, value = self._format(index), self.values[index]
        if format is None:
            return value
        # The scales of a constant's rows are by its own axes.
        return format.decode(value[0])[None] if len(value) == 1 else format.decode(value)

    def _unlimited(self, made: int, slope: Array) -> Array:
        """The derivatives by a result before it was limited to the reals of its format.

        At the least real nothing passes, as at a relu; at the greatest only what makes the result smaller.
        """
        format = self._format(made)
        if format is None:
            return slope
        low, high = format.encode(np.array(-np.inf)), format.encode(np.array(np.inf))
        raws = self.values[made]
        return np.where((raws == low) | ((raws == high) & (slope < 0)), 0.0, slope)


def logits_of(function: func.FuncOp) -> SSAValue:
    """The scores that a function returns or takes the class from, before a softmax that makes probabilities of them.

    Raises `InputError` for a function without scores.
    """
    returned = cast(func.ReturnOp, function.body.block.last_op).arguments
    found = [value for value in returned if isinstance(value.type, TensorType)]
    found += [value.owner.input for value in returned if isinstance(value.owner, tdsl.ArgmaxOp)]
    if not found:
        raise error_at(function, "cannot be trained: its class is not that of the greatest score")
    value = scores = found[0]
    while isinstance(value.owner, tdsl.ReshapeOp):
        value = value.owner.input
    return value.owner.operands[0] if isinstance(value.owner, tdsl.SoftmaxOp) else scores


def _summed(derivative: Array | Factored, samples: int) -> Array:
    """The derivative by an operand; added up over the samples if the operand is the same for all."""
    if isinstance(derivative, Factored):
        if samples > 1:
            return derivative.product
        slope, right = derivative.slope, derivative.right
        if len(right) == 1 or len(slope) == 1:
            return derivative.product.sum(0, keepdims=True)
        return np.tensordot(slope, right, ((0, 2), (0, 2)))[None]
    return derivative.sum(0, keepdims=True) if samples == 1 and len(derivative) > 1 else derivative


def cross_entropy(logits: Array, labels: Sequence[int] | Array) -> tuple[float, Array]:
    """The mean cross-entropy of softmax scores, and its derivatives by the scores, (samples, classes).

    labels: the index of each sample's class.
    """
    shifted = logits - logits.max(1, keepdims=True)
    logarithms = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    own = np.arange(len(logits)), np.asarray(labels)
    slope = np.exp(logarithms)
    slope[own] -= 1.0
    return float(-logarithms[own].mean()), slope / len(logits)

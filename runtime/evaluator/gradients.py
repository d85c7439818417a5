"""Gradients of a program's scores with respect to its constants, by reverse-mode differentiation on reals.

A `Trace` records the ops that a program executes on some samples. Gradients are propagated backwards through the trace.
Gradients with respect to constants are computed for each sample separately. For a constant matrix, this is a matrix per
sample, of which only two factors are stored. `Gradients.rows` multiplies the factors row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block, Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.tdsl.values import Arithmetic, Derivatives, Factored, HasValueInterface
from tinyml.runtime.evaluator.arithmetics import Reals
from tinyml.runtime.evaluator.evaluator import predict_function, samples_together
from tinyml.runtime.evaluator.execution import compute

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Trace:
    """The ops that a program executes on some samples, in order. Operands and results are indices of `values`.

    * inputs: shape (samples, elements), reals or raws as the arithmetic requires.
    * stored: replaces each computed tensor before an op reads it; by default, nothing is replaced.
    * results: for each index of `values`, the value as it was computed, before `stored` replaced it.
    * bound: for each index of `values`, the SSA value.
    * index: for each SSA value, its index in `values`; in loops, the index for the last iteration.
    """

    def __init__(
        self, function: func.FuncOp, inputs: Array, arithmetic: Arithmetic, stored: Stored = lambda _, tensor: tensor
    ):
        self.function, self.arithmetic, self.stored = function, arithmetic, stored
        self.results, self.values = list[Any](), list[Any]()
        self.bound: list[SSAValue] = []
        self.index: dict[SSAValue, int] = {}
        self.entries: list[tuple[Operation, list[int], int]] = []
        [argument] = function.body.block.args
        self._bind(argument, inputs.reshape(-1, *tdsl.shape_of(argument)))
        self._run(function.body.block)

    def computed(self, op: Operation, operands: list[int], made: int) -> None:
        """Record the execution of an op.

        operands, made: the indices of its operands and its result in `values`.
        """
        self.entries.append((op, operands, made))

    def _bind(self, value: SSAValue, result: Any) -> int:
        self.index[value] = len(self.values)
        self.results.append(result)
        self.values.append(self.stored(value, result) if isinstance(value.type, TensorType) else result)
        self.bound.append(value)
        return self.index[value]

    def _run(self, block: Block) -> list[int]:
        for op in block.ops:
            operands = [self.index[value] for value in op.operands]
            if isinstance(op, func.ReturnOp | scf.YieldOp):
                return operands
            if isinstance(op, scf.ForOp):
                self.index |= zip(op.results, self._loop(op, operands), strict=True)
                continue
            [result] = op.results
            made = self._bind(result, compute(self.arithmetic, op, [self.values[index] for index in operands]))
            self.computed(op, operands, made)
        raise AssertionError("a block ends in a terminator")

    def _loop(self, op: scf.ForOp, operands: Sequence[int]) -> Sequence[int]:
        low, high, step = (self.values[index] for index in operands[:3])
        counter, *arguments = op.body.block.args
        carried = list(operands[3:])
        for i in range(low, high, step):
            self._bind(counter, i)
            self.index |= zip(arguments, carried, strict=True)
            carried = self._run(op.body.block)
        return carried


Array: TypeAlias = "NDArray[Any]"
Stored: TypeAlias = Callable[[SSAValue, Array], Array]
"""A function of a tensor and its computed values, which returns the values that the ops read."""


def tensor_slopes(
    module: ModuleOp, inputs: Array, direction: Array, stored: Stored = lambda _, tensor: tensor
) -> Iterator[Sequence[tuple[SSAValue, Array, Array]]]:
    """For each chunk of samples, yield the tensors of a program at level L0 in reverse order of computation, with their
    gradients.

    An item contains a tuple for each computation of a tensor: the SSA value, its values, and the gradient of a weighted
    sum of scores with respect to these values, as in `Gradients`. The values have a leading axis of extent 1 if all
    samples share them. Constants are omitted, as are tensors that affect the scores only through an op without
    derivatives. With `stored`, as in `Trace`, values are yielded as computed, and the replacement has derivative 1.
    """
    function = predict_function(module)
    chunk = samples_together(function)
    for start in range(0, len(inputs), chunk):
        samples, slopes = slice(start, start + chunk), list[tuple[SSAValue, Array, Array]]()
        _GradientTape(function, inputs[samples], stored).backward(direction[samples], slopes)
        yield slopes


@dataclass(frozen=True)
class _Part:
    """The gradients with respect to some elements of a constant, for all samples of a chunk.

    If `factors` is None, the gradients are `slopes`. Otherwise they are the matrix products of `slopes` and `factors`.

    * positions: flat indices into the constant, of shape (samples or 1, ...). They are the indices of the elements or,
      with factors, of the first elements of rows.
    * slopes: shape (samples, ...) or, with factors, (samples, rows, columns of `factors`).
    * factors: the right operand, of shape (samples or 1, length of a row, columns).
    """

    positions: Array
    slopes: Array
    factors: Array | None = None

    @cached_property
    def _in_order(self) -> tuple[Array, Array]:
        """The positions in ascending order, and for each of them its index in the flattened `positions`."""
        order = np.argsort(self.positions.reshape(-1), kind="stable")
        return self.positions.reshape(-1)[order], order

    def of_row(self, start: int) -> tuple[Array, Array]:
        """For the row that starts at the index `start`: the samples whose scores depend on it, and its `slopes` for
        them.

        The slopes are for all columns. The scores of most samples do not depend on most rows of the last layer or on
        most nodes of a tree.
        """
        positions, order = self._in_order
        indices = order[slice(*np.searchsorted(positions, (start, start + 1)))]
        if len(self.positions) == 1:
            samples, slopes = np.arange(len(self.slopes)), self.slopes[:, indices].sum(1)
        else:
            samples, rows = np.divmod(indices, self.positions.shape[1])
            slopes = self.slopes[samples, rows]
        some = slopes.any(1)
        return samples[some], slopes[some]


MAX_KEPT = 1 << 24
"""The maximum number of stored gradients with respect to elements of rows, of 8 bytes each."""


@dataclass(frozen=True)
class _Row:
    """The gradients with respect to the elements of a row of a constant for `count` samples. They are zero for all
    samples except `some`.

    part: the slice of the flattened constant that contains the row.
    count: the number of samples.
    some: the indices of the samples with gradients other than zero.
    slopes: the gradients for these samples, of shape (samples, elements of the row).
    """

    part: slice
    count: int
    some: Array
    slopes: Array

    def whole(self) -> tuple[slice, Array]:
        """The slice of the constant's elements, and the gradients for all samples, including zeros."""
        row = np.zeros((self.count, self.slopes.shape[1]))
        row[self.some] = self.slopes
        return self.part, row


class Gradients:
    """The gradients of a weighted sum of scores with respect to the constants of a program at level L0.

    inputs: reals of shape (samples, elements).
    direction: the weights of the scores, of shape (samples, scores).

    There are no gradients for constants that affect the scores only through an op without a derivative.
    """

    def __init__(self, module: ModuleOp, inputs: Array, direction: Array):
        function = predict_function(module)
        chunk = samples_together(function)
        self.chunks = [
            _GradientTape(function, inputs[start : start + chunk]).backward(direction[start : start + chunk])
            for start in range(0, len(inputs), chunk)
        ]
        self.room = MAX_KEPT  # The number of derivatives that may still be stored.
        self._known: dict[SSAValue, list[_Row]] = {}

    def rows(self, constant: tdsl.ConstOp) -> Iterator[tuple[slice, Array]]:
        """Yield pairs (slice, gradients) for slices of the flattened constant.

        The gradients with respect to the elements of a slice have the shape (samples, elements). A slice is a row of a
        matrix, or a part along the first axis of another tensor. For a constant without gradients, nothing is yielded.
        Rows are cached while they fit in memory, because searches request the same rows again.
        """
        if any(constant.result not in chunk for chunk in self.chunks):
            return
        if (known := self._known.get(constant.result)) is not None:
            yield from (row.whole() for row in known)
            return
        kept: list[_Row] = []
        room = self.room
        for part, row in self._rows(constant):
            if room >= 0:
                (some,) = np.nonzero(row.any(1))
                kept.append(_Row(part, len(row), some, row[some]))
                room -= kept[-1].slopes.size
            yield part, row
        if room >= 0:
            self._known[constant.result], self.room = kept, room

    def _rows(self, constant: tdsl.ConstOp) -> Iterator[tuple[slice, Array]]:
        parts = [chunk[constant.result] for chunk in self.chunks]
        size, shape = constant.raws.size, constant.raws.shape
        if any(part.factors is not None for part in parts[0]):
            length = shape[-1]
            rows = (
                np.concatenate([_of_row(part, start, length) for part in parts]) for start in range(0, size, length)
            )
        else:
            length = size if shape[:1] in ((), (1,)) else size // shape[0]
            whole = np.concatenate([_of_numbers(part, size) for part in parts])
            rows = (whole[:, start : start + length] for start in range(0, size, length))
        for index, row in enumerate(rows):
            yield slice(index * length, (index + 1) * length), row


def _of_row(parts: Sequence[_Part], start: int, length: int) -> Array:
    """The gradients with respect to the elements of one row of a matrix, of shape (samples, length).

    parts: the parts of the gradient.
    start: the flat index of the row's first element.
    """
    samples = max(len(part.slopes) for part in parts)
    total = np.zeros((samples, length))
    for part in parts:
        if part.factors is None:
            total += _of_numbers([part], start + length)[:, start:]
        else:
            some, slopes = part.of_row(start)
            factors = part.factors if len(part.factors) == 1 else part.factors[some]
            total[some] += np.einsum("sn,skn->sk", slopes, np.broadcast_to(factors, (len(some), *factors.shape[1:])))
    return total


def _of_numbers(parts: Sequence[_Part], size: int) -> Array:
    """The gradients with respect to the first `size` elements of a constant, of shape (samples, size)."""
    samples = max(len(part.slopes) for part in parts)
    total = np.zeros((samples, size + 1))
    for part in parts:
        # The extra column collects the elements beyond `size`. No element occurs twice in a part.
        positions = np.minimum(part.positions.reshape(len(part.positions), -1), size)
        slopes = part.slopes.reshape(len(part.slopes), -1)
        if len(positions) == 1:
            total[:, positions[0]] += slopes
        else:
            total[np.arange(samples)[:, None], positions] += slopes
    return total[:, :size]


class _GradientTape(Trace):
    """A trace on reals that also records which tensors are parts of constants.

    origins: for the index of each such tensor, a pair: the constant, and the flat indices of the tensor's elements in
        it.
    """

    def __init__(self, function: func.FuncOp, inputs: Array, stored: Stored = lambda _, tensor: tensor):
        self.origins: dict[int, tuple[SSAValue, Array]] = {}
        super().__init__(function, inputs.astype(np.float64), Reals(), stored)

    def computed(self, op: Operation, operands: list[int], made: int) -> None:
        super().computed(op, operands, made)
        if isinstance(op, tdsl.ConstOp):
            self.origins[made] = op.result, np.arange(op.raws.size).reshape(1, *op.raws.shape)
        elif isinstance(op, tdsl.IndexOp | tdsl.ReshapeOp) and operands[0] in self.origins:
            constant, positions = self.origins[operands[0]]
            self.origins[made] = (
                constant,
                compute(self.arithmetic, op, [positions, *(self.values[index] for index in operands[1:])]),
            )

    def backward(
        self, direction: Array, tensors: list[tuple[SSAValue, Array, Array]] | None = None
    ) -> dict[SSAValue, list[_Part]]:
        """For each constant, the parts of a gradient with respect to this constant. The gradient is that of a weighted
        sum of the scores.

        direction: the weights of the scores, of shape (samples, scores).
        tensors: a list to which all tensors except constants are appended as tuples, as `tensor_slopes` yields them;
            None to omit them.
        """
        last = cast(func.ReturnOp, self.function.body.block.last_op)
        scores = next(value for value in last.operands if isinstance(value.type, TensorType))
        slopes: dict[int, Array] = {self.index[scores]: direction.reshape(-1, *tdsl.shape_of(scores))}
        parts: dict[SSAValue, list[_Part]] = {}
        unknown: set[int] = set()
        without: set[SSAValue] = set()
        for op, operands, made in reversed(self.entries):
            if made in self.origins:
                constant, positions = self.origins[made]
                if made in unknown:
                    without.add(constant)
                elif made in slopes:
                    parts.setdefault(constant, []).append(_Part(positions, slopes.pop(made)))
                continue
            if made in unknown:
                unknown.update(operands)
            elif (slope := slopes.pop(made, None)) is not None:
                if tensors is not None:
                    tensors.append((self.bound[made], self.results[made], slope))
                derivatives = self._derivatives(op, operands, made, slope)
                if derivatives is None:
                    unknown.update(operands)
                    continue
                for index, derivative in zip(operands, derivatives, strict=True):
                    if isinstance(derivative, Factored):
                        if (part := self._of_constant(index, derivative)) is not None:
                            parts.setdefault(self.origins[index][0], []).append(part)
                            continue
                        derivative = derivative.product
                    if derivative is not None:
                        slopes[index] = slopes[index] + derivative if index in slopes else derivative
        if tensors is not None and 0 in slopes:
            tensors.append((self.bound[0], self.results[0], slopes[0]))
        return {constant: pieces for constant, pieces in parts.items() if constant not in without}

    def _derivatives(self, op: Operation, operands: Sequence[int], made: int, slope: Array) -> Derivatives | None:
        if not isinstance(op, HasValueInterface):
            return None
        return op.derivative(self.arithmetic, [self.values[index] for index in operands], self.results[made], slope)

    def _of_constant(self, index: int, derivative: Factored) -> _Part | None:
        """The gradient `derivative` with respect to a value, as the gradient with respect to whole rows of a constant.

        index: the index of the value in the trace.

        Returns None unless the value consists of whole rows of a constant.
        """
        if index not in self.origins:
            return None
        constant, positions = self.origins[index]
        if tdsl.shape_of(constant)[-1] != derivative.right.shape[-2]:
            return None
        return _Part(positions[..., 0], derivative.slope, derivative.right)

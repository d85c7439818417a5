"""The interface of ops that compute on arrays, for the evaluator and for gradients.

An array contains the values of a tensor for several samples. Its leading axis is over the samples; the extent of this
axis is 1 if the tensor does not depend on the input. The axes of the tensor follow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from xdsl.dialects.builtin import IntegerType, f32
from xdsl.ir import Attribute, Operation, SSAValue

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.locations import not_supported

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import NumberFormat
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

Array: TypeAlias = "NDArray[Any]"
"""The values of a tensor for several samples. The axis of samples precedes the axes of the tensor."""

T = TypeVar("T")


class Arithmetic(ABC):
    """The arithmetic with which a program is evaluated: reals in double precision, or raws on a numpy machine."""

    def __init__(self) -> None:
        self._built: dict[Operation, Any] = {}

    def once(self, op: Operation, build: Callable[[], T]) -> T:
        """The object that `build` returns for `op`. `build` is called in the first evaluation of the op, and its result
        is cached for later evaluations.
        """
        if op not in self._built:
            self._built[op] = build()
        return self._built[op]

    @property
    @abstractmethod
    def machine(self) -> NumpyMachine | None:
        """The machine that computes on raws; None if the arithmetic is on reals."""

    @abstractmethod
    def scalar(self, step: Operation, x: Sequence[Array]) -> Array:
        """The result of the scalar op `step`, applied to all elements of arrays at once."""

    @abstractmethod
    def number(self, value: SSAValue, real: float) -> Array:
        """A real in the representation of an element of the tensor `value`: a raw of its format, or a real."""

    @abstractmethod
    def no_total(self, value: SSAValue, count: int, shape: tuple[int, ...]) -> Array:
        """Zero totals of shape `shape`, to each of which `count` elements of `value` will be added."""

    @abstractmethod
    def tally(self, value: SSAValue, total: Array, x: Array) -> Array:
        """The totals after one more element is added to each."""

    @abstractmethod
    def average(self, out: SSAValue, source: NumberFormat, total: Array, count: int, over_axes: bool) -> Array:
        """Totals of `count` elements of a format, divided by `count` and rounded.

        out: the tensor of the results.
        source: the format of the elements.
        over_axes: true to round as in `tdsl.mean`, false to round as in `tdsl.average_pool`.
        """


@dataclass(frozen=True)
class Factored:
    """The gradient with respect to a matrix, as the two factors of a matrix product.

    slope: the left factor, shape (samples, rows, columns).
    right: the right factor, shape (samples or 1, length of a row, columns), which is transposed before the
        multiplication.
    """

    slope: Array
    right: Array

    @property
    def product(self) -> Array:
        return self.slope @ self.right.swapaxes(-1, -2)


Derivatives: TypeAlias = "Sequence[Array | Factored | None]"


class HasValueInterface(Operation, ABC):
    """The interface of an op whose result can be computed on arrays.

    An op class defines `real` and `bits`, or `compute` if one definition in terms of an `Arithmetic` serves both.
    Operands other than tensors are integers, or arrays of the shape (samples,).
    """

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Any:
        """The result for the values of all operands, in the given arithmetic. A single number may represent a tensor,
        to which it is broadcast.
        """
        return self.real(x) if arithmetic.machine is None else self.bits(arithmetic.machine, x)

    def real(self, x: Sequence[Any]) -> Any:
        """The result in double precision, without rounding to formats."""
        raise not_supported(self, " by the evaluator")

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Any:
        """The result as raws, equal in every bit to the result on devices."""
        raise not_supported(self, " by the evaluator")

    def derivative(self, arithmetic: Arithmetic, x: Sequence[Any], y: Array, slope: Array) -> Derivatives | None:
        """The gradient with respect to each operand; None for an operand on which the result does not depend.

        y: the result of the op.
        slope: the gradient with respect to the result.

        An op without derivatives returns None.
        """
        return None


def ranked(x: Array, rank: int) -> Array:
    """An array with new axes of extent 1 after the axis of samples, so that it can be broadcast with tensors of rank
    `rank`.
    """
    return x if x.ndim == rank else x.reshape(x.shape[0], *(1,) * (rank - x.ndim), *x.shape[1:])


def spread(x: Array, shape: tuple[int, ...]) -> Array:
    """An array broadcast to a shape. The array itself is returned if it already has the shape."""
    return x if x.shape == shape else np.broadcast_to(x, shape)


def summed_to(x: Array, slope: Array) -> Array:
    """The gradient with respect to `x`, which was broadcast.

    slope: the gradient with respect to the result.

    Gradients are summed over the broadcast axes, but not over the samples.
    """
    slope = slope.sum(tuple(range(1, slope.ndim - x.ndim + 1)))
    axes = tuple(axis for axis in range(1, x.ndim) if x.shape[axis] == 1 and slope.shape[axis] > 1)
    return slope.sum(axes, keepdims=True)


def selected(condition: Array, a: Any, b: Any) -> Array:
    """`a` for the samples for which the condition is true, otherwise `b`."""
    rank = max(np.ndim(a), np.ndim(b), 1)
    then: Array = np.asarray(a)
    otherwise: Array = np.asarray(b)
    return np.where(condition.reshape(-1, *(1,) * (rank - 1)), then, otherwise)


def greatest(m: NumpyMachine, format: NumberFormat, candidates: Iterable[Array]) -> Array:
    """The elementwise maximum of the arrays of raws `candidates`. Of equal elements, the first is selected."""
    return reduce(lambda best, x: np.where(format.greater(m, x, best), x, best), candidates)


def builtin_dtype(type: Attribute) -> np.dtype[Any]:
    """The numpy type of a builtin integer or float."""
    return np.dtype(np.float32 if type == f32 else f"i{cast(IntegerType, type).bitwidth // 8}")

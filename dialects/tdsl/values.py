"""The interface of ops that compute on arrays, by which the evaluator and the gradients run them.

Arrays hold the values of a tensor for several samples at once: their leading axis is over the samples, of extent 1 if
the tensor does not depend on the input, and the tensor's own axes follow.
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
from tinyml.dialects.locations import error_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import NumberFormat
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

Array: TypeAlias = "NDArray[Any]"
"""The values of a tensor for several samples: the axis of samples, then its own axes."""

T = TypeVar("T")


class Arithmetic(ABC):
    """The arithmetic of an evaluation: reals in double precision, or raws on a numpy machine."""

    def __init__(self) -> None:
        self._built: dict[Operation, Any] = {}

    def once(self, op: Operation, build: Callable[[], T]) -> T:
        """The state that an op needs in each of its evaluations, built for the first one."""
        if op not in self._built:
            self._built[op] = build()
        return self._built[op]

    @property
    @abstractmethod
    def machine(self) -> NumpyMachine | None:
        """The machine that computes raws; None for reals."""

    @abstractmethod
    def scalar(self, step: Operation, x: Sequence[Array]) -> Array:
        """The result of an op on scalars, for all elements at once."""

    @abstractmethod
    def number(self, value: SSAValue, real: float) -> Array:
        """A real as an element of a tensor."""

    @abstractmethod
    def no_total(self, value: SSAValue, count: int, shape: tuple[int, ...]) -> Array:
        """Totals for `count` elements of a tensor, before the first element is added."""

    @abstractmethod
    def tally(self, value: SSAValue, total: Array, x: Array) -> Array:
        """Totals with one more element added to each."""

    @abstractmethod
    def average(self, out: SSAValue, source: NumberFormat, total: Array, count: int, over_axes: bool) -> Array:
        """Totals of elements of a format, divided by their number. out: the result; over_axes: as `tdsl.mean` does."""


@dataclass(frozen=True)
class Factored:
    """The derivative with respect to a matrix, as the factors of its product.

    slope: (samples, rows, columns). right: the right operand, (samples or 1, length of a row, columns).
    """

    slope: Array
    right: Array

    @property
    def product(self) -> Array:
        return self.slope @ self.right.swapaxes(-1, -2)


Derivatives: TypeAlias = "Sequence[Array | Factored | None]"


class HasValueInterface(Operation, ABC):
    """An op whose value can be computed on arrays.

    It defines `real` and `bits`, or `compute` if both have the same definition in terms of an `Arithmetic`. Operands
    other than tensors are integers, or arrays of the shape (samples,).
    """

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Any:
        """The result, given the values of all operands; a tensor may be broadcast from a single number."""
        return self.real(x) if arithmetic.machine is None else self.bits(arithmetic.machine, x)

    def real(self, x: Sequence[Any]) -> Any:
        """The result in double precision, regardless of formats."""
        raise error_at(self, f"{self.name} is not supported yet by the evaluator")

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Any:
        """The result in raws, bit for bit as devices compute it."""
        raise error_at(self, f"{self.name} is not supported yet by the evaluator")

    def derivative(self, arithmetic: Arithmetic, x: Sequence[Any], y: Array, slope: Array) -> Derivatives | None:
        """The derivatives with respect to each operand, given the result y and the derivative `slope` by it.

        None for an operand on which the result does not depend; None instead of a list for an op without derivatives.
        """
        return None


def ranked(x: Array, rank: int) -> Array:
    """An array raised to a rank for broadcasting, by new axes after the one over samples."""
    return x if x.ndim == rank else x.reshape(x.shape[0], *(1,) * (rank - x.ndim), *x.shape[1:])


def spread(x: Array, shape: tuple[int, ...]) -> Array:
    """An array broadcast to a shape; the same array if it already has that shape, for recorded steps."""
    return x if x.shape == shape else np.broadcast_to(x, shape)


def summed_to(x: Array, slope: Array) -> Array:
    """The derivative with respect to a broadcast array, from that with respect to the result; samples stay separate."""
    slope = slope.sum(tuple(range(1, slope.ndim - x.ndim + 1)))
    axes = tuple(axis for axis in range(1, x.ndim) if x.shape[axis] == 1 and slope.shape[axis] > 1)
    return slope.sum(axes, keepdims=True)


def selected(condition: Array, a: Any, b: Any) -> Array:
    """`a` for the samples for which a condition is true, `b` for the others."""
    rank = max(np.ndim(a), np.ndim(b), 1)
    then: Array = np.asarray(a)
    otherwise: Array = np.asarray(b)
    return np.where(condition.reshape(-1, *(1,) * (rank - 1)), then, otherwise)


def greatest(m: NumpyMachine, format: NumberFormat, candidates: Iterable[Array]) -> Array:
    """The greatest of arrays of raws, element by element; the first of equal ones."""
    return reduce(lambda best, x: np.where(format.greater(m, x, best), x, best), candidates)


def builtin_dtype(type: Attribute) -> np.dtype[Any]:
    """The numpy type of a builtin integer or float."""
    return np.dtype(np.float32 if type == f32 else f"i{cast(IntegerType, type).bitwidth // 8}")

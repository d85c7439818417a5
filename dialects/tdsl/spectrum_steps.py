"""The computations that Fourier transforms consist of, on any kind of values, and on arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from tinyml.dialects import num
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.arrays.values import Arithmetic, Array

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "HALF",
    "ArraySteps",
    "Complex",
    "SpectrumSteps",
    "butterfly",
    "doubled",
    "real_pair",
    "rotated",
    "rotations",
]

V = TypeVar("V")
Complex: TypeAlias = "tuple[V, V]"

HALF = 0.5


class SpectrumSteps(ABC, Generic[V]):
    """The computations that transforms consist of, on values with formats of their own."""

    @abstractmethod
    def __call__(self, factors: Sequence[V], terms: Sequence[int], into: NumberFormat) -> V:
        """A `num.combine` of factors, with the given terms, in a format."""

    @abstractmethod
    def greater(self, lhs: V, rhs: V) -> V:
        """The greater of two numbers of one format."""

    @abstractmethod
    def constant(self, real: float, format: NumberFormat) -> V:
        """A number in a format."""

    @abstractmethod
    def format(self, value: V) -> NumberFormat:
        """The format of a value."""


def rotations(angles: Array) -> NDArray[np.float64]:
    """-cos and -sin of angles, along a new last axis.

    The negative factors are exact at multiples of a right angle below three of them, in formats with -1 but not 1.
    """
    factors = -np.stack([np.cos(angles), np.sin(angles)], -1)
    return np.where(np.abs(factors) < 1e-15, 0.0, factors)


def doubled(format: NumberFormat) -> NumberFormat:
    """The format of the same kind for numbers of twice the magnitude, which rotations may have."""
    greatest = float(np.abs(format.decode(format.encode(np.array([-np.inf, np.inf])))).max())
    return format.for_range(-2 * greatest, 2 * greatest) if np.isfinite(greatest) else format


def rotated(steps: SpectrumSteps[V], z: Complex[V], factors: Complex[V], into: NumberFormat) -> Complex[V]:
    """`z * (factors[0] - j factors[1])`."""
    (x, y), (c, s) = z, factors
    return steps([x, c, y, s], [2, 2], into), steps([y, c, x, s], [2, -2], into)


def butterfly(steps: SpectrumSteps[V], z: Sequence[Complex[V]], sign: int, out: NumberFormat) -> Sequence[Complex[V]]:
    """The transform of 2 or 4 numbers in bit-reversed order; all but the first are multiplied by a sign."""
    if len(z) == 2:
        (a, b), minus = z, -sign
        return [
            (steps([a[0], b[0]], [1, sign], out), steps([a[1], b[1]], [1, sign], out)),
            (steps([a[0], b[0]], [1, minus], out), steps([a[1], b[1]], [1, minus], out)),
        ]
    a, b, c, d = z
    even = [steps([a[i], b[i], c[i], d[i]], [1, sign, sign, sign], out) for i in (0, 1)]
    odd = [steps([a[i], b[i], c[i], d[i]], [1, sign, -sign, -sign], out) for i in (0, 1)]
    # The second and the third quarter, whose numbers are b and c, are those of residues 2 and 1.
    real = [a[0], b[0], c[1], d[1]]
    imaginary = [a[1], b[1], c[0], d[0]]
    first = steps(real, [1, -sign, sign, -sign], out), steps(imaginary, [1, -sign, -sign, sign], out)
    third = steps(real, [1, -sign, -sign, sign], out), steps(imaginary, [1, -sign, sign, -sign], out)
    return [(even[0], even[1]), first, (odd[0], odd[1]), third]


def real_pair(
    steps: SpectrumSteps[V],
    z: Sequence[Complex[V]],
    factors: Complex[V],
    half: V,
    source: NumberFormat,
    out: NumberFormat,
) -> Sequence[Complex[V]]:
    """Bins k and N / 2 - k of a real signal, from those of its transform as N / 2 complex numbers.

    factors: those of `rotations`, of the angle 2 pi k / N. half: the number 1 / 2.
    """
    (xr, xi), (yr, yi) = z
    odd = steps([xi, half, yi, half], [2, 2], source), steps([yr, half, xr, half], [2, -2], source)
    tr, ti = rotated(steps, odd, factors, source)
    low = steps([xr, half, yr, half, tr], [2, 2, -1], out), steps([xi, half, yi, half, ti], [2, -2, -1], out)
    high = steps([xr, half, yr, half, tr], [2, 2, 1], out), steps([yi, half, xi, half, ti], [2, -2, -1], out)
    return [low, high]


class ArraySteps(SpectrumSteps["tuple[Array, NumberFormat]"]):
    """SpectrumSteps on arrays, each with its format: of reals, or of raws on a machine."""

    def __init__(self, arithmetic: Arithmetic) -> None:
        self.machine = arithmetic.machine

    def of(self, array: Array, format: NumberFormat) -> tuple[Array, NumberFormat]:
        return array, format

    def array(self, value: tuple[Array, NumberFormat]) -> Array:
        return value[0]

    def format(self, value: tuple[Array, NumberFormat]) -> NumberFormat:
        return value[1]

    def constant(self, real: float, format: NumberFormat) -> tuple[Array, NumberFormat]:
        return self.constants(np.array(real), format)(())

    def constants(self, reals: Array, format: NumberFormat) -> Callable[[Any], tuple[Array, NumberFormat]]:
        """Parts of a constant array, by their indices."""
        array = reals if self.machine is None else format.encode(reals)

        def part(index: Any) -> tuple[Array, NumberFormat]:
            return array[index], format

        return part

    def greater(self, lhs: tuple[Array, NumberFormat], rhs: tuple[Array, NumberFormat]) -> tuple[Array, NumberFormat]:
        (a, format), (b, _) = lhs, rhs
        above = a > b if self.machine is None else format.greater(self.machine, a, b)
        chosen: NDArray[Any] = np.where(above, a, b)
        return chosen, format

    def __call__(
        self, factors: Sequence[tuple[Array, NumberFormat]], terms: Sequence[int], into: NumberFormat
    ) -> tuple[Array, NumberFormat]:
        grouped = num.grouped_factors(factors, terms)
        if self.machine is not None:
            return into.combined(self.machine, grouped), into
        total: NDArray[Any] = np.zeros(())
        for sign, group in grouped:
            product = group[0][0] if len(group) == 1 else group[0][0] * group[1][0]
            total = total + sign * product
        return total, into

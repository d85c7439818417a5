"""The steps of a Fourier transform of real signals, computed in place and by decimation in time.

A tensor contains complex numbers along its last axis, real and imaginary parts alternating. The N samples of a real
signal are interpreted as N / 2 complex numbers. `tdsl.real_spectrum` converts the Fourier transform of these
numbers to that of the signal (Sorensen et al., "Real-Valued Fast Fourier Transform Algorithms", 1987, section II).

Each step is an op, so that its result has its own format. A profile assigns a scale to each result; the shifts between
stages follow from these scales (a transform with static scaling). `SpectrumSteps` implements the computations once, for
arrays and for the emitted loops.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias, TypeVar

from xdsl.dialects.builtin import IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import num
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, Visits, build, format_of, shape_of, shaped, spell
from tinyml.dialects.tdsl.values import Arithmetic, Array

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "HALF",
    "ArraySteps",
    "BinsOp",
    "ButterfliesOp",
    "Complex",
    "MagnitudeOp",
    "PowerOp",
    "RealSpectrumOp",
    "ReverseBitsOp",
    "SpectrumOp",
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
    """The arithmetic of the steps of a Fourier transform. Each value has its own format."""

    @abstractmethod
    def __call__(self, factors: Sequence[V], terms: Sequence[int], into: NumberFormat) -> V:
        """A sum of products, as `num.combine` computes it, rounded to the format `into`.

        factors, terms: as in `num.combine`.
        """

    @abstractmethod
    def greater(self, lhs: V, rhs: V) -> V:
        """The greater of two numbers of one format."""

    @abstractmethod
    def constant(self, real: float, format: NumberFormat) -> V:
        """The number `real`, rounded to `format`, as a constant."""

    @abstractmethod
    def format(self, value: V) -> NumberFormat:
        """The number format of a value."""


def rotations(angles: Array) -> NDArray[np.float64]:
    """-cos and -sin of angles, along a new last axis.

    The factors are negated because some formats represent -1 but not 1. The negated factors are then exact for angles
    of 0 and 90 degrees.
    """
    factors = -np.stack([np.cos(angles), np.sin(angles)], -1)
    return np.where(np.abs(factors) < 1e-15, 0.0, factors)


def doubled(format: NumberFormat) -> NumberFormat:
    """The format of the same kind for numbers of twice the magnitude, which a rotation may produce; `format` itself if
    its greatest number is infinite.
    """
    greatest = float(np.abs(format.decode(np.stack(format.ends()))).max())
    return format.for_range(-2 * greatest, 2 * greatest) if np.isfinite(greatest) else format


def rotated(steps: SpectrumSteps[V], z: Complex[V], factors: Complex[V], into: NumberFormat) -> Complex[V]:
    """The complex product `z * (factors[0] - j factors[1])`, rounded to the format `into`."""
    (x, y), (c, s) = z, factors
    return steps([x, c, y, s], [2, 2], into), steps([y, c, x, s], [2, -2], into)


def butterfly(steps: SpectrumSteps[V], z: Sequence[Complex[V]], sign: int, out: NumberFormat) -> Sequence[Complex[V]]:
    """The Fourier transform of 2 or 4 complex numbers. All of these numbers except the first are multiplied by `sign`.

    z: the numbers, in bit-reversed order.
    sign: 1 or -1.
    out: the format of the results.
    """
    if len(z) == 2:
        (a, b), minus = z, -sign
        return [
            (steps([a[0], b[0]], [1, sign], out), steps([a[1], b[1]], [1, sign], out)),
            (steps([a[0], b[0]], [1, minus], out), steps([a[1], b[1]], [1, minus], out)),
        ]
    a, b, c, d = z
    even = [steps([a[i], b[i], c[i], d[i]], [1, sign, sign, sign], out) for i in (0, 1)]
    odd = [steps([a[i], b[i], c[i], d[i]], [1, sign, -sign, -sign], out) for i in (0, 1)]
    # In bit-reversed order, the second and the third quarter (b and c) hold the samples of residues 2 and 1.
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
    """Bins k and N / 2 - k of the Fourier transform of a real signal of N samples.

    z: bins k and N / 2 - k of the Fourier transform of the samples, read as N / 2 complex numbers.
    factors: the result of `rotations` for the angle 2 pi k / N.
    half: the number 1 / 2.
    source: the format of rotated numbers.
    out: the format of the results.
    """
    (xr, xi), (yr, yi) = z
    odd = steps([xi, half, yi, half], [2, 2], source), steps([yr, half, xr, half], [2, -2], source)
    tr, ti = rotated(steps, odd, factors, source)
    low = steps([xr, half, yr, half, tr], [2, 2, -1], out), steps([xi, half, yi, half, ti], [2, -2, -1], out)
    high = steps([xr, half, yr, half, tr], [2, 2, 1], out), steps([yi, half, xi, half, ti], [2, -2, -1], out)
    return [low, high]


class ArraySteps(SpectrumSteps["tuple[Array, NumberFormat]"]):
    """The arithmetic of Fourier transforms on pairs (array, format). An array contains reals, or raws if a machine
    computes them.
    """

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
        """A function that maps an index to the constant `reals[index]` in the given format."""
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


class SpectrumOp(TensorOp, ABC):
    """An op on complex numbers along the last axis. The result may overwrite the operand.

    Every lowering first copies the operand to the result, unless the result overwrites the operand. It then computes in
    place.
    """

    input = operand_def(SHAPED)

    def reads_in_place(self, operand: SSAValue) -> bool:
        return True

    def infer_shape(self) -> Shape:
        self.verify_points()
        return shape_of(self.input)

    def verify_formats(self) -> None:
        super().verify_formats()
        sizes = [format_of(value).dtype.itemsize for value in (self.input, self.out)]
        if self.reads_in_place(self.input) and sizes[0] != sizes[1]:
            raise VerifyException(f"works in place, on elements of {sizes[0]} bytes, which give none of {sizes[1]}")

    @property
    def points(self) -> int:
        return shape_of(self.input)[-1] // 2

    def verify_points(self) -> None:
        """Raise `VerifyException` unless the number of complex numbers in a row is a power of two, at least two."""
        shape = shape_of(self.input)
        count = shape[-1] // 2 if shape else 0
        if count < 2 or count & count - 1 or shape[-1] % 2:
            raise VerifyException(f"transforms a power of two of complex numbers, at least 2, got shape {spell(shape)}")


IN_AND_OUT = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"


@irdl_op_definition
class ReverseBitsOp(SpectrumOp):
    """The complex numbers of each row, permuted: number k is copied to the index whose bits are those of k in reverse
    order.
    """

    name = "tdsl.reverse_bits"
    MOVES_BITS: ClassVar[bool] = True
    assembly_format = IN_AND_OUT

    def __init__(self, input: SSAValue):
        build(self, [input], TensorType(shaped(input).get_element_type(), shape_of(input)))

    @property
    def order(self) -> NDArray[np.int64]:
        """For each index, the index with its bits in reverse order."""
        order = np.zeros(1, np.int64)
        while len(order) < self.points:
            order = np.concatenate([2 * order, 2 * order + 1])
        return order

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        pairs = x[0].reshape(*x[0].shape[:-1], -1, 2)
        return pairs[..., self.order, :].reshape(x[0].shape)

    def derivative(self, arithmetic: Arithmetic, x: Sequence[Any], y: Array, slope: Array) -> Sequence[Array]:
        return [self.compute(arithmetic, [slope])]


@irdl_op_definition
class ButterfliesOp(SpectrumOp):
    """A stage of a Fourier transform. It combines every `radix` adjacent transforms of `span` numbers into one
    transform of `radix * span` numbers.

    Rows are in bit-reversed order. The numbers are rotated, and the rotated numbers are rounded to a format of the same
    kind with twice the range. Each result is the exact sum of rotated numbers, rounded once. In a stage of span 1, no
    number is rotated.
    """

    name = "tdsl.butterflies"
    radix = prop_def(IntegerAttr)
    span = prop_def(IntegerAttr)
    assembly_format = IN_AND_OUT

    def __init__(self, input: SSAValue, radix: int, span: int, element: Attribute | None = None):
        properties: dict[str, Attribute] = {"radix": IntegerAttr(radix, i64), "span": IntegerAttr(span, i64)}
        build(self, [input], TensorType(element or shaped(input).get_element_type(), shape_of(input)), properties)

    @property
    def sizes(self) -> tuple[int, int, int]:
        radix, span = self.radix.value.data, self.span.value.data
        return self.points // (radix * span), radix, span

    def verify_points(self) -> None:
        super().verify_points()
        radix, span = self.radix.value.data, self.span.value.data
        if radix not in (2, 4) or span < 1 or span & span - 1 or radix * span > self.points:
            raise VerifyException(
                f"has radix 2 or 4 and a span that is a power of two, together at most {self.points} numbers, got"
                f" radix {radix} and span {span}"
            )

    @property
    def factors(self) -> NDArray[np.float64]:
        """The negated rotations by which the numbers of each butterfly, except the first number, are multiplied.

        The array has the shape (span, radix - 1, 2).
        """
        _, radix, span = self.sizes
        residues = np.array([1] if radix == 2 else [2, 1, 3])
        return rotations(2 * np.pi * np.arange(span)[:, None] * residues / (radix * span))

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        groups, radix, span = self.sizes
        form = (*x[0].shape[:-1], groups, radix, span, 2)
        numbers, source, out = x[0].reshape(form), format_of(self.input), format_of(self.out)
        steps, sign = ArraySteps(arithmetic), 1
        z = [(steps.of(numbers[..., i, :, 0], source), steps.of(numbers[..., i, :, 1], source)) for i in range(radix)]
        if span > 1:
            factors, sign = steps.constants(self.factors, source.of_rotations), -1
            turns = [(factors(np.s_[:, i, 0]), factors(np.s_[:, i, 1])) for i in range(radix - 1)]
            z[1:] = [rotated(steps, *pair, doubled(source)) for pair in zip(z[1:], turns, strict=True)]
        sums = butterfly(steps, z, sign, out)
        # Sums that round to zero in a coarse format are scalars.
        parts = [[np.broadcast_to(steps.array(part), (*form[:-3], span)) for part in sum] for sum in sums]
        return np.stack([np.stack(pair, -1) for pair in parts], -3).reshape(x[0].shape)


@irdl_op_definition
class RealSpectrumOp(SpectrumOp):
    """The Fourier transform of N real samples. The operand is the Fourier transform of the same samples, read as N / 2
    complex numbers.

    The result contains the bins from 1 to N / 2 - 1. Its first complex number contains the bins 0 and N / 2, which are
    real.
    """

    name = "tdsl.real_spectrum"
    assembly_format = IN_AND_OUT

    def __init__(self, input: SSAValue, element: Attribute | None = None):
        build(self, [input], TensorType(element or shaped(input).get_element_type(), shape_of(input)))

    @property
    def factors(self) -> NDArray[np.float64]:
        """The negated rotations that separate bins 1 to N / 4, as an array of shape (N / 4, 2)."""
        return rotations(np.pi * np.arange(1, self.points // 2 + 1) / self.points)

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        source, out = format_of(self.input), format_of(self.out)
        steps = ArraySteps(arithmetic)
        numbers: NDArray[Any] = x[0].reshape(*x[0].shape[:-1], -1, 2)
        dtype = np.dtype(float) if arithmetic.machine is None else out.dtype
        result: NDArray[Any] = np.zeros(numbers.shape).astype(dtype)
        first = [steps.of(numbers[..., 0, part], source) for part in (0, 1)]
        result[..., 0, 0] = steps.array(steps(first, [1, 1], out))
        result[..., 0, 1] = steps.array(steps(first, [1, -1], out))
        low = np.arange(1, self.points // 2 + 1)
        at = low, self.points - low
        z = [(steps.of(numbers[..., k, 0], source), steps.of(numbers[..., k, 1], source)) for k in at]
        factors = steps.constants(self.factors, source.of_rotations)
        half = steps.constant(HALF, source.of_rotations)
        sums = real_pair(steps, z, (factors(np.s_[:, 0]), factors(np.s_[:, 1])), half, source, out)
        # The middle bin is a pair with itself; the second of the pair counts.
        for k, sum in zip(at, sums, strict=True):
            for part in (0, 1):
                result[..., k, part] = steps.array(sum[part])
        shape: Shape = x[0].shape
        return result.reshape(shape)


class BinsOp(SpectrumOp, ABC):
    """The base class of ops that compute one real number per bin, from bin 0 to bin N / 2 - 1."""

    assembly_format = IN_AND_OUT

    def __init__(self, input: SSAValue, element: Attribute | None = None):
        *outer, length = shape_of(input)
        build(self, [input], TensorType(element or shaped(input).get_element_type(), (*outer, length // 2)))

    def reads_in_place(self, operand: SSAValue) -> bool:
        # Result k overwrites number k, or earlier ones, as the visits state.
        return False

    @property
    def interval(self) -> tuple[float, float]:
        return 0.0, np.inf

    @property
    def visits(self) -> Sequence[Visits]:
        numbers = prod(shape_of(self.out))
        return [Visits([(self.input, np.arange(2 * numbers).reshape(numbers, 2))], np.arange(numbers))]

    def infer_shape(self) -> Shape:
        self.verify_points()
        *outer, length = shape_of(self.input)
        return (*outer, length // 2)

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        steps, source = ArraySteps(arithmetic), format_of(self.input)
        imaginary = x[0][..., 1::2].copy()
        imaginary[..., 0] = steps.array(steps.constant(0.0, source))
        z = steps.of(x[0][..., ::2], source), steps.of(imaginary, source)
        return np.broadcast_to(steps.array(self.number(steps, z, format_of(self.out))), imaginary.shape)

    @abstractmethod
    def number(self, steps: SpectrumSteps[Any], z: Complex[Any], out: NumberFormat) -> Any:
        """The real number that the op computes from the complex bin `z`."""


@irdl_op_definition
class PowerOp(BinsOp):
    """The squared magnitude of each complex number."""

    name = "tdsl.power"

    def number(self, steps: SpectrumSteps[Any], z: Complex[Any], out: NumberFormat) -> Any:
        return steps([z[0], z[0], z[1], z[1]], [2, 2], out)


@irdl_op_definition
class MagnitudeOp(BinsOp):
    """The approximate magnitude of each complex number, with an error of at most 3 %.

    The magnitude is max(a, 7/8 a + 1/2 b), where a is the greater and b the smaller of the magnitudes of the real and
    the imaginary part (Lyons, Understanding Digital Signal Processing, section 13.2).
    """

    name = "tdsl.magnitude"

    def number(self, steps: SpectrumSteps[Any], z: Complex[Any], out: NumberFormat) -> Any:
        real, imaginary = (steps.greater(part, steps([part], [-1], steps.format(part))) for part in z)
        greater = steps.greater(real, imaginary)
        # Half their sum and 3/8 of the greater one, by powers of two; the products are exact, and rounded together.
        half, eighth = (steps.constant(factor, steps.format(real).of_rotations) for factor in (HALF, HALF / 4))
        terms = [greater, half, real, half, imaginary, half, greater, eighth]
        return steps.greater(steps([greater], [1], out), steps(terms, [2, 2, 2, -2], out))

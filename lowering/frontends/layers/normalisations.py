"""Recognition of normalisations and softmax that a model file writes out as elementary ops.

A converter writes Keras's LayerNormalization as `x * (gamma / sd) + (beta - mean * (gamma / sd))`, PyTorch's exporter
as `(x - mean) / sd * gamma + beta`, and JAX computes the variance as `mean(x^2) - mean(x)^2`. Recognition starts at the
square root, or its reciprocal, that computes the divisor. From there to the last op, each result is matched as a linear
expression in x and mean. One `Normalisation` then replaces all these ops.

Each frontend describes the ops of its graph by `Elementary`, so that all file formats have the same patterns.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Constants: TypeAlias = "Callable[[Hashable], NDArray[Any] | None]"
"""A function that returns the elements of a value if they are constant floats; None for any other value."""

_UNREACHED = 1e5
"""A reciprocal norm that only rows of zeros exceed."""

_NEGLIGIBLE = 1e-6
"""A square or a norm that only rows of zeros fall below."""

_ROOTS = {"sqrt": False, "rsqrt": True}
"""The kinds that compute a root. True if they compute the reciprocal of the root."""


@dataclass(frozen=True, eq=False)
class Elementary:
    """An op of a graph.

    kind: one of add, sub, mul, div, neg, minimum, maximum, square, squared_difference, sqrt, rsqrt, reciprocal, exp;
        mean, sum and greatest, which reduce axes that remain with extent 1; or same, whose result equals its first
        input.
    inputs, output: the keys of the values.
    axes: the axes of a reduction.
    ends: whether a function is fused into the op, so that no other op of the normalisation reads its result.
    """

    kind: str
    inputs: tuple[Hashable, ...]
    output: Hashable
    axes: tuple[int, ...] = ()
    ends: bool = False


@dataclass(frozen=True, eq=False)
class Normalisation:
    """The expression `(x - mean) / root * factor + addend`, or the same without the mean.

    root: the square root of `epsilon` plus the variance, the mean of squares or the sum of squares of x over `axes`.
    centred: whether the mean is subtracted.
    total: whether the squares are summed, instead of averaged.
    """

    x: Hashable
    factor: NDArray[np.float32]
    addend: NDArray[np.float32]
    axes: tuple[int, ...]
    epsilon: float
    centred: bool
    total: bool


@dataclass(frozen=True, eq=False)
class Softmax:
    """The exponentials of x divided by their sums along one axis."""

    x: Hashable
    axis: int


@dataclass(frozen=True)
class _Root:
    """The square root of epsilon plus the mean square, the sum of squares or the variance of `x` over some axes.

    mean: the mean that the variance subtracts from `x`; None for squares of `x` itself.
    total: true for the sum of squares.
    """

    x: Hashable
    mean: Hashable | None
    axes: tuple[int, ...]
    epsilon: float
    total: bool


@dataclass(frozen=True, eq=False)
class _Sum:
    """The expression `(of_x * x + of_mean * mean + alone) / root + addend`, which is linear in x and mean.

    divided: false for an expression without the division by the root.
    """

    of_x: NDArray[Any] | float = 0.0
    of_mean: NDArray[Any] | float = 0.0
    alone: NDArray[Any] | float = 0.0
    addend: NDArray[Any] | float = 0.0
    divided: bool = True

    def scaled(self, factor: NDArray[Any] | float) -> _Sum:
        coefficients = {name: getattr(self, name) * factor for name in ("of_x", "of_mean", "alone", "addend")}
        return replace(self, **coefficients)

    def plus(self, other: _Sum) -> _Sum:
        coefficients = {
            name: getattr(self, name) + getattr(other, name) for name in ("of_x", "of_mean", "alone", "addend")
        }
        return replace(self, **coefficients)

    def times(self, linear: _Sum) -> _Sum | None:
        """The product with `linear`, an expression without a root; None if `self` is not a multiple of the reciprocal
        root.
        """
        if np.any(self.of_x) or np.any(self.of_mean) or np.any(self.addend):
            return None
        return replace(linear, of_x=linear.of_x * self.alone, of_mean=linear.of_mean * self.alone, divided=True)

    @property
    def is_whole(self) -> bool:
        """Whether the expression is a complete normalisation: x or x - mean, times a factor, divided by the
        root, plus an addend.
        """
        centred = not np.any(np.add(self.of_x, self.of_mean)) or not np.any(self.of_mean)
        return self.divided and centred and bool(np.any(self.of_x)) and not np.any(self.alone)


def layers_of(
    ops: Sequence[Elementary], constant: Constants, others: frozenset[Hashable]
) -> Mapping[Hashable, Normalisation | Softmax]:
    """The normalisations and softmaxes that elementary ops compute, by the key of the value that each computes.

    ops: the elementary ops, in topological order.
    constant: the constants.
    others: the values that other ops read, or that the graph returns.
    """
    matcher = _Matcher(ops, constant, others)
    return {**matcher.normalisations(), **matcher.softmaxes()}


class _Matcher:
    def __init__(self, ops: Sequence[Elementary], constant: Constants, others: frozenset[Hashable]):
        self.ops = ops
        self.constant = constant
        self.others = others
        self.producers = {op.output: op for op in ops}

    def normalisations(self) -> Mapping[Hashable, Normalisation]:
        layers: dict[Hashable, Normalisation] = {}
        for op in self.ops:
            if op.kind in _ROOTS and (root := self.root_of(op)) is not None:
                layers |= self.ends_of(op, root)
        return layers

    def softmaxes(self) -> Mapping[Hashable, Softmax]:
        matches = {op.output: self.softmax(op) for op in self.ops if op.kind in ("div", "mul") and not op.ends}
        return {key: softmax for key, softmax in matches.items() if softmax is not None}

    def softmax(self, op: Elementary) -> Softmax | None:
        """Match a softmax: exp(x) divided by the sums of exp(x) along one axis. Returns None for any other op.

        A softmax is invariant to numbers that are subtracted from all elements along the axis, such as the maximum.
        """
        pairs = [op.inputs] if op.kind == "div" else [op.inputs, op.inputs[::-1]]
        for dividend, divisor in (pair for pair in pairs if len(pair) == 2):
            inverse = None if op.kind == "div" else self.defining_op(divisor, "reciprocal")
            if op.kind == "mul" and inverse is None:
                continue
            power, sums = (
                self.defining_op(dividend, "exp"),
                self.defining_op(inverse.inputs[0] if inverse else divisor, "sum"),
            )
            if power is None or sums is None or len(sums.axes) != 1:
                continue
            if self.original(sums.inputs[0]) != self.original(dividend):
                continue
            x = self.original(power.inputs[0])
            if (less := self.defining_op(x, "sub")) is not None and self.is_level(less.inputs[1], sums.axes):
                x = self.original(less.inputs[0])
            return Softmax(x, sums.axes[0])
        return None

    def is_level(self, key: Hashable, axes: tuple[int, ...]) -> bool:
        """Whether a value is a reduction over axes, possibly limited by numbers."""
        reduced = self.defining_op(key, "greatest", "mean", "sum")
        if reduced is not None:
            return reduced.axes == axes
        limited = self.with_number(key, "maximum") or self.with_number(key, "minimum")
        return limited is not None and self.is_level(limited[0], axes)

    def original(self, key: Hashable) -> Hashable:
        """The value of which a value is a copy; the value itself if it is none."""
        while (op := self.producers.get(key)) is not None and op.kind == "same":
            key = op.inputs[0]
        return key

    def defining_op(self, key: Hashable, *kinds: str) -> Elementary | None:
        op = self.producers.get(self.original(key))
        return op if op is not None and op.kind in kinds and not op.ends else None

    def number(self, key: Hashable) -> float | None:
        array = self.constant(self.original(key))
        return float(array.item()) if array is not None and array.size == 1 else None

    def with_number(self, key: Hashable, kind: str) -> tuple[Hashable, float] | None:
        if (op := self.defining_op(key, kind)) is None or len(op.inputs) != 2:
            return None
        for value, other in (op.inputs, op.inputs[::-1]):
            if (number := self.number(other)) is not None:
                return value, number
        return None

    def at_least(self, key: Hashable) -> Hashable:
        """The value before a limit that changes only the squares and norms of rows of zeros."""
        limited = self.with_number(key, "maximum")
        return (
            self.original(key) if limited is None or not 0 <= limited[1] <= _NEGLIGIBLE else self.original(limited[0])
        )

    def root_of(self, op: Elementary) -> _Root | None:
        """Match the input of a square root: a mean of squares, a sum of squares or a variance, optionally plus an
        epsilon. Returns None for other inputs.
        """
        key, epsilon = self.at_least(op.inputs[0]), 0.0
        if (added := self.with_number(key, "add")) is not None:
            key, epsilon = self.at_least(added[0]), added[1]
            if not epsilon >= 0:
                return None
        if (difference := self.defining_op(key, "sub")) is not None:
            return self.second_moment(difference, epsilon)
        if (moment := self.defining_op(key, "mean", "sum")) is None:
            return None
        axes, total = moment.axes, moment.kind == "sum"
        square = self.defining_op(moment.inputs[0], "squared_difference", "square", "mul")
        if square is None:
            return None
        if square.kind == "squared_difference":
            base, mean = map(self.original, square.inputs)
            return _Root(base, mean, axes, epsilon, total) if self.is_mean(mean, base, axes) and not total else None
        if square.kind == "mul" and not self.equal(*square.inputs):
            return None
        base = self.original(square.inputs[0])
        less = None if total else self.defining_op(base, "sub")
        if less is not None and self.is_mean(less.inputs[1], less.inputs[0], axes):
            return _Root(self.original(less.inputs[0]), self.original(less.inputs[1]), axes, epsilon, total)
        return _Root(base, None, axes, epsilon, total)

    def second_moment(self, difference: Elementary, epsilon: float) -> _Root | None:
        """Match mean(x^2) - mean(x)^2. Returns None for other differences."""
        moment, squared_mean = (
            self.defining_op(difference.inputs[0], "mean"),
            self.defining_op(difference.inputs[1], "square", "mul"),
        )
        square = None if moment is None else self.defining_op(moment.inputs[0], "square", "mul")
        if moment is None or squared_mean is None or square is None:
            return None
        if not self.equal(squared_mean.inputs[0], squared_mean.inputs[-1]) or not self.equal(
            square.inputs[0], square.inputs[-1]
        ):
            return None
        x, mean = self.original(square.inputs[0]), self.original(squared_mean.inputs[0])
        return _Root(x, mean, moment.axes, epsilon, False) if self.is_mean(mean, x, moment.axes) else None

    def is_mean(self, key: Hashable, x: Hashable, axes: tuple[int, ...]) -> bool:
        op = self.defining_op(key, "mean")
        return op is not None and self.original(op.inputs[0]) == self.original(x) and op.axes == axes

    def equal(self, a: Hashable, b: Hashable) -> bool:
        """Whether two keys denote equal values: one value, or two differences of the same operands, since some
        exporters write the same difference twice.
        """
        a, b = self.original(a), self.original(b)
        first, second = self.defining_op(a, "sub"), self.defining_op(b, "sub")
        if a == b or first is None or second is None:
            return a == b
        return [*map(self.original, first.inputs)] == [*map(self.original, second.inputs)]

    def ends_of(self, op: Elementary, root: _Root) -> Mapping[Hashable, Normalisation]:
        sums: dict[Hashable, _Sum] = {root.x: _Sum(of_x=1.0, divided=False)}
        if root.mean is not None:
            sums[root.mean] = _Sum(of_mean=1.0, divided=False)
        followed = {op}
        roots = set[Hashable]() if _ROOTS[op.kind] else {op.output}
        if _ROOTS[op.kind]:
            sums[op.output] = _Sum(alone=1.0)
        # An op with a fused function ends the chain: its function stays after the normalisation.
        ends: dict[Hashable, _Sum] = {}
        for later in self.ops:
            if later.output in sums or later.output in roots:
                continue
            if later.kind in ("same", "maximum") and self.at_least(later.output) in roots:
                roots.add(later.output)
                followed.add(later)
            elif (sum := self.sum_of(later, sums, roots)) is not None:
                (ends if later.ends else sums)[later.output] = sum
                followed.add(later)
        read = self.others | {key for other in self.ops if other not in followed for key in other.inputs}
        return {
            key: self.normalisation(sum, root)
            for key, sum in (sums | ends).items()
            if sum.is_whole and key in read and bool(np.any(sum.of_mean)) == (root.mean is not None)
        }

    @staticmethod
    def normalisation(sum: _Sum, root: _Root) -> Normalisation:
        factor, addend = (np.asarray(numbers, np.float32) for numbers in (sum.of_x, sum.addend))
        return Normalisation(root.x, factor, addend, root.axes, root.epsilon, root.mean is not None, root.total)

    def sum_of(self, op: Elementary, sums: Mapping[Hashable, _Sum], roots: set[Hashable]) -> _Sum | None:
        """The linear expression that an op computes from linear expressions and constants; None for any other op."""
        if op.kind not in ("add", "sub", "mul", "div", "neg", "minimum", "reciprocal", "same"):
            return None
        if op.kind == "reciprocal":
            return _Sum(alone=1.0) if op.inputs[0] in roots else None
        if op.kind in ("neg", "same"):
            known = sums.get(op.inputs[0])
            return None if known is None else known.scaled(-1.0 if op.kind == "neg" else 1.0)
        if len(op.inputs) != 2:
            return None
        first, second = (sums.get(key) for key in op.inputs)
        constants = [None if key in sums else self.constant(self.original(key)) for key in op.inputs]
        if op.kind == "div":
            if op.inputs[1] in roots:
                if first is not None:
                    return None if first.divided else replace(first, divided=True)
                return None if constants[0] is None else _Sum(alone=constants[0])
            if first is None or constants[1] is None or not np.all(constants[1]):
                return None
            return first.scaled(1.0 / constants[1])
        if op.kind == "minimum":
            # Keras limits the reciprocal of a norm, usually to a million. This changes only rows that are nearly zero.
            limit = self.number(op.inputs[1])
            return first if limit is not None and limit >= _UNREACHED and first is not None and first.divided else None
        if op.kind == "mul":
            if first is not None and second is not None:
                if first.divided == second.divided:
                    return None
                return first.times(second) if first.divided else second.times(first)
            known, constant = (first, constants[1]) if first is not None else (second, constants[0])
            return None if known is None or constant is None else known.scaled(constant)
        sign = -1.0 if op.kind == "sub" else 1.0
        if first is not None and second is not None:
            return first.plus(second.scaled(sign)) if first.divided == second.divided else None
        if first is not None and constants[1] is not None and first.divided:
            return replace(first, addend=first.addend + sign * constants[1])
        if second is not None and constants[0] is not None and second.divided:
            second = second.scaled(sign)
            return replace(second, addend=second.addend + constants[0])
        return None

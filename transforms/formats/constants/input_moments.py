"""Second moments, on real data, of the factors by which a program's constants are multiplied.

The factors of a filter are windows of images. The second moments of windows are computed on a sample of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.functions import module_of
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.matrix_factors import MatrixFactors
from tinyml.runtime.evaluator.evaluator import evaluate_as_it_is, samples_together
from tinyml.runtime.model.memory import require_memory
from tinyml.transforms.formats.evaluation.margins import MarginModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import NumberFormat, Reals


SHRINKAGE = 0.1
"""The share by which correlations are shrunk: those of a few samples are partly chance (Ledoit and Wolf, 2004)."""

MOMENT_BITS = 40
"""The precision of moments in bits, relative to the greatest, so that a machine's order of additions has no effect."""


@dataclass
class Moments:
    """Second moments of a vector x, by which the rows W of a constant are multiplied, and of y, which is x after
    rounding.

    axes: the axes of the constant along which its products are summed; in W they are the last axes.
    rounded: E[y y^T], of shape (length, length).
    crossed: W E[x y^T], of shape (rows, length).
    further: the moments of further groups of rows; the groups have equal sizes but different inputs.
    """

    rounded: NDArray[np.float64]
    crossed: NDArray[np.float64]
    axes: tuple[int, ...] = (-1,)
    further: Sequence[Moments] = ()

    @staticmethod
    def of(rows: Reals, reals: Reals, rounded: Reals, weights: Reals, axes: tuple[int, ...] = (-1,)) -> Moments:
        """The moments of weighted samples of shape (samples, length). Covariances are shrunk towards the diagonal.

        The products of x with all rows are formed first, because they are far fewer numbers than E[x y^T].

        rows: the rows of the constant.
        reals, rounded: the samples of x and of y.
        weights: the weight of each sample.
        axes: as in `Moments`.
        """
        total = weights.sum()
        mean, mean_of_rounded = (weights @ reals) / total, (weights @ rounded) / total
        of_means = np.outer(rows @ mean, mean_of_rounded)
        variances = np.einsum("s,si,si->i", weights, reals, rounded) / total - mean * mean_of_rounded
        crossed = ((reals @ rows.T) * weights[:, None]).T @ rounded / total - of_means
        crossed = (1 - SHRINKAGE) * crossed + SHRINKAGE * variances * rows + of_means
        return Moments(second_moments(rounded, weights), snapped(crossed), axes)


def second_moments(vectors: Reals, weights: Reals) -> NDArray[np.float64]:
    """The matrix E[y y^T] for weighted vectors y of shape (samples, length). Covariances are shrunk towards the
    diagonal.
    """
    total = weights.sum()
    # Pixels at the edge of an image are always zero, and a product of a matrix with its own transpose takes half the
    # time.
    used = vectors.any(0)
    mean = (weights @ vectors) / total
    rooted = vectors if used.all() else vectors[:, used]
    rooted = rooted * np.sqrt((1 - SHRINKAGE) * weights / total)[:, None]
    moments = np.outer(SHRINKAGE * mean, mean)
    squares = np.zeros(len(mean))
    products = rooted.T @ rooted
    squares[used] = np.diag(products)
    moments[slice(None) if used.all() else np.ix_(used, used)] += products
    np.fill_diagonal(moments, np.diag(moments) + SHRINKAGE * (squares / (1 - SHRINKAGE) - mean * mean))
    return snapped(moments)


def snapped(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round numbers to multiples of a common unit, and return the rounded numbers.

    The unit is the value of the lowest bit if the greatest magnitude has `MOMENT_BITS` bits.
    """
    greatest = max(float(numbers.max(initial=0.0)), -float(numbers.min(initial=0.0)))
    unit = math.ldexp(1.0, math.frexp(greatest)[1] - MOMENT_BITS)
    units = numbers / unit
    np.rint(units, out=units)
    units *= unit
    return units


WINDOW_ELEMENTS = 1 << 21
"""Maximum elements of windows that are stored for each chunk of samples."""


class _FilterWindows:
    """A sample of the windows by which one filter is multiplied, for each group of the filter.

    vectors: for each chunk of samples, an array of shape (windows, groups, elements of a window).
    samples: for each window, the index of the sample that contains it.
    """

    def __init__(self, op: tdsl.Conv2dOp):
        self.op = op
        self.image: SSAValue = op.rhs
        self.factors = MatrixFactors(op.terms[0], tdsl.shape_of(op.out))
        self.vectors: list[Reals] = []
        self.samples: list[NDArray[np.int64]] = []
        self.count = 0

    @staticmethod
    def of(constant: tdsl.ConstOp) -> _FilterWindows | None:
        users = [use.operation for use in constant.result.uses]
        if len(users) != 1 or not isinstance(op := users[0], tdsl.Conv2dOp) or op.lhs is not constant.result:
            return None
        return _FilterWindows(op) if op.rhs is not op.lhs and isinstance(op.parent_op(), func.FuncOp) else None

    @property
    def size(self) -> int:
        return int(np.prod(tdsl.shape_of(self.op.lhs)[1:])) * self.op.group_count

    def kept(self, chunk: int) -> int:
        """The approximate number of elements in the windows that are stored for one sample.

        chunk: the number of samples in a chunk.
        """
        _, height, width, _ = tdsl.shape_of(self.op.out)
        return min(height * width * self.size, max(WINDOW_ELEMENTS // chunk, 1))

    def add(self, images: Reals) -> None:
        _, height, width, _ = tdsl.shape_of(self.op.out)
        size = self.size
        step = max(-(-len(images) * size // WINDOW_ELEMENTS), 1)
        taken = np.arange(0, len(images), step)
        spread = max(-(-len(taken) * height * width * size // WINDOW_ELEMENTS), 1)
        vectors = self.factors.right_vectors(images[taken], spread)
        self.vectors.append(vectors.reshape(-1, *vectors.shape[2:]))
        self.samples.append(np.repeat(self.count + taken, vectors.shape[1]))
        self.count += len(images)

    @property
    def mean_squares(self) -> Reals:
        means = np.mean([(vectors * vectors).mean(0) for vectors in self.vectors], 0)
        rows, *shape = tdsl.shape_of(self.op.lhs)
        return means.repeat(rows // len(means), 0).reshape(rows, *shape)

    def moments(self, constant: tdsl.ConstOp, format: NumberFormat, weights: Reals) -> Moments:
        """The moments (`Moments`) of the windows before and after they are rounded to a format.

        constant: the filter.
        weights: the weight of each sample.
        """
        reals, each = np.concatenate(self.vectors), weights[np.concatenate(self.samples) % len(weights)]
        rounded = format.decode(format.encode(reals))
        rows = np.split(_rows_of(constant, (1, 2, 3)), reals.shape[1])
        groups = [Moments.of(rows[i], reals[:, i], rounded[:, i], each, (1, 2, 3)) for i in range(reals.shape[1])]
        first, *further = groups
        return Moments(first.rounded, first.crossed, first.axes, further)


AT_BORDER = 0.8
"""The share of the total sample weight for samples near the border between two classes."""


MAX_VALUES = 1 << 25
"""Maximum stored factors, 8 bytes each; if the samples have more, they are thinned out evenly."""


class InputMoments:
    """Second moments of the factors of each constant in a program on reals, over all samples, iterations and columns.

    inputs: reals of shape (samples, elements). A constant has no moments if it has any use other than as a factor.
    """

    def __init__(self, function: func.FuncOp, inputs: Reals):
        constants = [op for op in function.walk() if isinstance(op, tdsl.ConstOp) and tdsl.is_real(op.result)]
        self.factors = {op: _factors_of(op.result) for op in constants}
        self.windows = {op: windows for op in constants if (windows := _FilterWindows.of(op)) is not None}
        others = [values for op, values in self.factors.items() if op not in self.windows]
        wanted = {value for values in others for value in values}
        seen: dict[SSAValue, list[Reals]] = {}

        def observe(value: SSAValue, values: Reals) -> None:
            if value in wanted:
                seen.setdefault(value, []).append(values)
            for windows in self.windows.values():
                if windows.image is value:
                    windows.add(values)

        module = module_of(function)
        chunk = samples_together(function)
        inputs = inputs[:: self._step(module, inputs, wanted, chunk)]
        scores = evaluate_as_it_is(module, inputs, observe).scores
        lengths = [len(inputs[start : start + chunk]) for start in range(0, len(inputs), chunk)]
        self.values = {value: _iterations(parts, lengths) for value, parts in seen.items()}
        self.ranges: dict[object, tuple[float, float]] = {value: _range(parts) for value, parts in self.values.items()}
        self.ranges |= {op: _range(windows.vectors) for op, windows in self.windows.items()}
        self.weights = np.ones(len(inputs))
        if scores is not None:
            near = MarginModel(scores).weights
            self.weights = 1 - AT_BORDER + AT_BORDER * near / near.mean()
        self.known: dict[object, Moments | None] = {}

    def _step(self, module: ModuleOp, inputs: Reals, wanted: set[SSAValue], chunk: int) -> int:
        """The stride with which samples are evaluated: every stride-th sample is used, so that the stored values fit in
        memory.

        wanted: the factors to store.
        chunk: the number of samples in a chunk.

        Raises `InputError` if the memory does not suffice.
        """
        kept = sum(windows.kept(min(chunk, len(inputs))) for windows in self.windows.values())

        def count(value: SSAValue, values: Reals) -> None:
            nonlocal kept
            kept += values.size if value in wanted else 0

        evaluate_as_it_is(module, inputs[:1], count)
        step = max(-(-len(inputs) * kept // MAX_VALUES), 1)
        # The factors as such, joined, and rounded.
        require_memory("rounding constants on", -(-len(inputs) // step), 3 * 8 * kept)
        return step

    def of(self, constant: tdsl.ConstOp, format_of: Callable[[SSAValue], NumberFormat]) -> Moments | None:
        """The moments of the factors of a constant. None for a constant that has any use other than as a factor, or
        whose products have unequal shapes. Calls with formats that round the factors equally return the same object.

        format_of: the format to which a factor is rounded.
        """
        if constant in self.windows:
            format = format_of(self.windows[constant].image)
            if (key := (constant, format.rounding_within(*self.ranges[constant]))) not in self.known:
                self.known[key] = self.windows[constant].moments(constant, format, self.weights)
            return self.known[key]
        factors = self.factors[constant]
        if not factors:
            return None
        formats = [format_of(value) for value in factors]
        pairs = zip(factors, formats, strict=True)
        key = constant, *(format.rounding_within(*self.ranges[value]) for value, format in pairs)
        if key not in self.known:
            self.known[key] = self._moments(constant, factors, formats)
        return self.known[key]

    def mean_squares(self, constant: tdsl.ConstOp) -> Reals | None:
        """For each number of a constant, the mean square of the numbers by which it is multiplied, in a shape that
        broadcasts to the constant's shape.

        If a loop indexes the first axis of the constant, all numbers with one index have one mean square. None if the
        constant has any use other than as a factor, or if its factors are neither indexed by a loop nor vectors along
        its last axis.
        """
        if constant in self.windows:
            return self.windows[constant].mean_squares
        factors = [self.values[value] for value in self.factors[constant]]
        if not factors or not constant.raws.ndim:
            return None
        length = constant.raws.shape[-1]
        if all(len(values) == len(constant.raws) and values[0][0].size == 1 for values in factors):
            means = np.mean([[(vector * vector).mean() for vector in values] for values in factors], 0)
            return means.reshape(-1, *[1] * (constant.raws.ndim - 1))
        if all(values[0].shape[1:-1] == (length,) for values in factors):
            return np.mean([(vector * vector).mean((0, 2)) for values in factors for vector in values], 0)
        return None

    def _moments(
        self, constant: tdsl.ConstOp, factors: Sequence[SSAValue], formats: Sequence[NumberFormat]
    ) -> Moments | None:
        shape = constant.raws.shape
        values = [self.values[value] for value in factors]
        axes = _summed(constant, values)
        if 0 in axes:
            parts = [[np.concatenate([vector.reshape(len(vector), -1) for vector in values[0]], 1)]]
        elif len(shape) >= 2 and all(vectors[0].shape[1:-1] == shape[-1:] for vectors in values):
            parts = [[vector.swapaxes(1, 2).reshape(-1, shape[-1]) for vector in vectors] for vectors in values]
        else:
            return None
        reals = [_joined(vectors) for vectors in parts]
        rounded = [format.decode(format.encode(samples)) for samples, format in zip(reals, formats, strict=True)]
        weights = [self._repeated(part) for vectors in parts for part in vectors]
        rows = _rows_of(constant, axes)
        return Moments.of(rows, _joined(reals), _joined(rounded), _joined(weights), axes)

    def _repeated(self, vectors: Reals) -> Reals:
        return self.weights.repeat(len(vectors) // len(self.weights))


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Concatenate arrays along the first axis. A single array is returned without a copy, because samples may
    occupy much memory.
    """
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _rows_of(constant: tdsl.ConstOp, axes: tuple[int, ...]) -> NDArray[Any]:
    numbers = np.moveaxis(tdsl.format_of(constant.result).decode(constant.raws), axes, range(-len(axes), 0))
    return numbers.reshape(-1, math.prod(numbers.shape[-len(axes) :]))


def _summed(constant: tdsl.ConstOp, values: Sequence[Sequence[Reals]]) -> tuple[int, ...]:
    """The axes of a constant along which its products are summed. The first axis is included if each iteration of a
    loop reads one element of it, and the loop carries the sums.

    values: for each factor, its values in each iteration.
    """
    shape = constant.raws.shape
    by_index = all(isinstance(use.operation, tdsl.IndexOp) for use in constant.result.uses)
    if by_index and shape[1:] != () and len(values) == 1 and len(values[0]) == shape[0]:
        if values[0][0][0].size == 1:
            return (0,)
        sums = [use.operation for user in constant.result.uses for out in user.operation.results for use in out.uses]
        if all(isinstance(op, tdsl.ContractionOp) and isinstance(op.initial, BlockArgument) for op in sums):
            return 0, -1
    return (-1,)


def _iterations(parts: Sequence[Reals], lengths: Sequence[int]) -> list[Reals]:
    """For each iteration, the values of all samples.

    parts: the values, ordered by chunk and, in each chunk, by iteration.
    lengths: the number of samples in each chunk. Values that are equal for all samples of a chunk are repeated for each
        sample.
    """
    count = len(parts) // len(lengths)
    whole = [np.broadcast_to(part, (lengths[index // count], *part.shape[1:])) for index, part in enumerate(parts)]
    return [np.concatenate(whole[iteration::count]) for iteration in range(count)]


def _range(parts: Sequence[Reals]) -> tuple[float, float]:
    return min(float(part.min()) for part in parts), max(float(part.max()) for part in parts)


def _factors_of(constant: SSAValue) -> list[SSAValue]:
    """The factors on the right by which a constant is multiplied; empty if the constant has any other use."""
    factors = dict.fromkeys(_uses_of(constant))
    return [] if None in factors else [factor for factor in factors if factor is not None]


def _uses_of(constant: SSAValue) -> Iterator[SSAValue | None]:
    """Yield the factor of each product with a constant on the left, and None for any other use."""
    for use in constant.uses:
        match use.operation:
            case tdsl.ContractionOp() as op if op.initial is not constant:
                yield from (rhs if lhs is constant else None for lhs, rhs in op.pairs if constant in (lhs, rhs))
            case tdsl.MulOp() as op:
                yield op.other(constant)
            case tdsl.IndexOp() as op:
                yield from _uses_of(op.out)
            case _:
                yield None

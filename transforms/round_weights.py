"""Rounding the weights of products so that their sums are right on average, on real data.

Rounded to nearest, the errors of a row of weights w do not cancel where the inputs x have a mean: their sum is off by
(w' - w) * E[x], one and the same for every input. Nagel et al. ("Data-Free Quantization through Weight Equalization
and Bias Correction", 2019, section 4.2) subtract that from the bias; here a few weights are rounded the other way, as
in "Up or Down? Adaptive Rounding for Post-Training Quantization" (2020), which costs nothing on the device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tinyml.dialects.number_format import NumberFormat, Raws, Reals


@dataclass
class Moments:
    """What a vector of inputs was on average; each array has the length of the vector.

    mean: in reals. rounded: the mean after rounding into the vector's format. variance: of the reals.
    """

    mean: NDArray[np.float64]
    rounded: NDArray[np.float64]
    variance: NDArray[np.float64]


class InputMoments:
    """What every constant matrix of a program on reals is multiplied by, over all samples, iterations and columns.

    inputs: reals of shape (samples, elements). A matrix that is used in any other way has no moments.
    """

    def __init__(self, function: func.FuncOp, inputs: NDArray[Any]):
        from tinyml.runtime.evaluator import evaluate_reals

        self.vectors: dict[tdsl.ConstOp, list[SSAValue]] = {}
        self.partners: dict[tdsl.ConstOp, list[SSAValue]] = {}
        for op in function.walk():
            if isinstance(op, tdsl.ConstOp):
                users = [use.operation for use in op.result.uses]
                pairs = [pair for user in users if isinstance(user, tdsl.ContractionOp) for pair in user.pairs]
                vectors = [rhs for lhs, rhs in pairs if lhs is op.result]
                if vectors and len(vectors) == len(users):
                    self.vectors[op] = vectors
                self.partners[op] = list(_partners(op.result))
        wanted = {value for values in (*self.vectors.values(), *self.partners.values()) for value in values}
        self.values: dict[SSAValue, list[Reals]] = {}

        def observe(value: SSAValue, values: Reals) -> None:
            if value in wanted:
                self.values.setdefault(value, []).append(values)

        module = function.get_toplevel_object()
        assert isinstance(module, ModuleOp)
        evaluate_reals(module, inputs, observe)
        self.sums: dict[object, list[Reals]] = {}
        self.known: dict[object, Moments] = {}

    def of(self, matrix: tdsl.ConstOp, format_of: Callable[[SSAValue], NumberFormat]) -> Moments | None:
        """The moments of the vectors of a matrix where they are rounded into formats; the same object each time."""
        import numpy as np

        vectors = [vector for vector in self.vectors.get(matrix, ()) if vector in self.values]
        if not vectors:
            return None
        key = matrix, *(format_of(vector).type for vector in vectors)
        if key not in self.known:
            sums = [self._sums(vector, format_of(vector)) for vector in vectors]
            count, values, rounded, squares = np.sum(sums, 0)
            mean = values / count
            self.known[key] = Moments(mean, rounded / count, np.maximum(squares / count - mean**2, 0.0))
        return self.known[key]

    def mean_squares(self, constant: tdsl.ConstOp) -> Reals | None:
        """The mean square of what each number of a constant is multiplied by, of a shape that broadcasts to it.

        None where it is used otherwise, too. Of numbers that are indexed out of it by a loop, each has its own.
        """
        import numpy as np

        found = [self.values[value] for value in self.partners[constant] if value in self.values]
        if not found or len(found) < len(self.partners[constant]) or not constant.raws.ndim:
            return None
        length = constant.raws.shape[-1]
        if all(len(values) == len(constant.raws) and values[0][0].size == 1 for values in found):
            means = np.mean([[(one * one).mean() for one in values] for values in found], 0)
            return means.reshape(-1, *[1] * (constant.raws.ndim - 1))
        if all(values[0].shape[1:-1] == (length,) for values in found):
            return np.mean([(one * one).mean((0, 2)) for values in found for one in values], 0)
        return None

    def _sums(self, vector: SSAValue, format: NumberFormat) -> list[Reals]:
        """How many vectors there are, and the sums of them, of what they are rounded to and of their squares."""
        import numpy as np

        key = vector, format.type
        if key not in self.sums:
            sums = [np.zeros(self.values[vector][0].shape[1]) for _ in range(4)]
            for values in self.values[vector]:
                rounded = format.decode(format.encode(values))
                columns = [np.ones(values.shape), values, rounded, values * values]
                sums = [old + new.sum((0, 2)) for old, new in zip(sums, columns, strict=True)]
            self.sums[key] = sums
        return self.sums[key]


def _partners(constant: SSAValue) -> Iterator[SSAValue]:
    """What a constant, or what is indexed out of it, is multiplied by; itself where it is used in any other way."""
    for use in constant.uses:
        match use.operation:
            case tdsl.ContractionOp() as op if op.initial is not constant:
                yield from (rhs if lhs is constant else constant for lhs, rhs in op.pairs if constant in (lhs, rhs))
            case tdsl.MulOp() as op:
                yield op.rhs if op.lhs is constant else op.lhs
            case tdsl.IndexOp() as op:
                yield from _partners(op.out)
            case _:
                yield constant


def round_weights(weights: Reals, format: NumberFormat, inputs: Moments) -> Raws:
    """A matrix in a format, each weight rounded to one of its two neighbours.

    For each row, the mean squared error of its products is reduced from that of rounding to nearest, one weight at a
    time, the best one first; errors other than the mean one are taken to be independent. No row's sum of magnitudes
    exceeds the greatest one after rounding to nearest, so that proofs about sums of products stay as they were.

    weights: (rows, length); inputs: moments of vectors of that length.
    """
    import numpy as np

    raws = format.encode(weights)
    other = format.encode_away(weights)
    near, far = format.decode(raws), format.decode(other)
    errors = near @ inputs.rounded - weights @ inputs.mean
    growths = np.abs(far) - np.abs(near)
    sizes = np.abs(near).sum(1)
    changes = (far - near) * inputs.rounded
    costs = ((far - weights) ** 2 - (near - weights) ** 2) * inputs.variance
    for row in range(len(weights)):
        error, size = errors[row], sizes[row]
        chosen = np.zeros(weights.shape[1], bool)
        while True:
            gains = error**2 - (error + changes[row]) ** 2 - costs[row]
            gains[chosen | (size + growths[row] > sizes.max())] = 0.0
            best = int(gains.argmax())
            if gains[best] <= 0:
                break
            chosen[best] = True
            error, size = error + changes[row, best], size + growths[row, best]
        raws[row, chosen] = other[row, chosen]
    return raws

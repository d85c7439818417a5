"""Moments of the factors by which a program's constants are multiplied, on real data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.model.memory import require_memory
from tinyml.transforms.formats.constants.filter_windows import FilterWindows
from tinyml.transforms.formats.constants.moments import Moments
from tinyml.transforms.formats.evaluation.margins import MarginModel

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat, Reals

AT_BORDER = 0.8
"""The share of the weight of all samples that is given to those near the border between two classes."""


MOST_VALUES = 1 << 25
"""The most factors that are kept, 8 bytes each; if the samples have more, they are thinned out evenly."""


class InputMoments:
    """Moments of the factors of each constant in a program on reals, over all samples, iterations and columns.

    inputs: reals of shape (samples, elements). A constant with any other use has no moments.
    """

    def __init__(self, function: func.FuncOp, inputs: Reals):
        from tinyml.runtime.evaluator.evaluator import evaluate_as_it_is, samples_together

        constants = [op for op in function.walk() if isinstance(op, tdsl.ConstOp) and tdsl.is_real(op.result)]
        self.partners = {op: list(dict.fromkeys(_partners(op.result))) for op in constants}
        self.windows = {op: windows for op in constants if (windows := FilterWindows.of(op)) is not None}
        others = [values for op, values in self.partners.items() if op not in self.windows]
        wanted = {value for values in others for value in values}
        seen: dict[SSAValue, list[Reals]] = {}

        def observe(value: SSAValue, values: Reals) -> None:
            if value in wanted:
                seen.setdefault(value, []).append(values)
            for windows in self.windows.values():
                if windows.image is value:
                    windows.add(values)

        module = function.get_toplevel_object()
        assert isinstance(module, ModuleOp)
        chunk = samples_together(function)
        inputs = inputs[:: self._step(module, inputs, wanted, chunk)]
        scores = evaluate_as_it_is(module, inputs, observe).scores
        lengths = [len(inputs[start : start + chunk]) for start in range(0, len(inputs), chunk)]
        self.values = {value: _iterations(parts, lengths) for value, parts in seen.items()}
        self.weights = np.ones(len(inputs))
        if scores is not None:
            near = MarginModel(scores).weights
            self.weights = 1 - AT_BORDER + AT_BORDER * near / near.mean()
        self.known: dict[object, Moments | None] = {}

    def _step(self, module: ModuleOp, inputs: Reals, wanted: set[SSAValue], chunk: int) -> int:
        """The stride between the samples that are used."""
        from tinyml.runtime.evaluator.evaluator import evaluate_as_it_is

        kept = sum(windows.kept(min(chunk, len(inputs))) for windows in self.windows.values())

        def count(value: SSAValue, values: Reals) -> None:
            nonlocal kept
            kept += values.size if value in wanted else 0

        evaluate_as_it_is(module, inputs[:1], count)
        step = max(-(-len(inputs) * kept // MOST_VALUES), 1)
        # The factors as such, joined, and rounded.
        require_memory("rounding constants on", -(-len(inputs) // step), 3 * 8 * kept)
        return step

    def of(self, constant: tdsl.ConstOp, format_of: Callable[[SSAValue], NumberFormat]) -> Moments | None:
        """The moments of a constant's factors, rounded into formats.

        Repeated calls return the same object; None for a constant that is not a factor of a sum.
        """
        if constant in self.windows:
            format = format_of(self.windows[constant].image)
            if (key := (constant, format.type)) not in self.known:
                self.known[key] = self.windows[constant].moments(format, self.weights)
            return self.known[key]
        factors = self._factors(constant)
        if not factors:
            return None
        key = constant, *(format_of(value).type for value in factors)
        if key not in self.known:
            self.known[key] = self._moments(constant, factors, [format_of(value) for value in factors])
        return self.known[key]

    def mean_squares(self, constant: tdsl.ConstOp) -> Reals | None:
        """The mean squares of the factors of each number of a constant, in a shape that broadcasts to it.

        None if it has other uses. Numbers that a loop indexes have a separate mean square each.
        """
        if constant in self.windows:
            return self.windows[constant].mean_squares
        factors = [self.values[value] for value in self._factors(constant)]
        if not factors or not constant.raws.ndim:
            return None
        length = constant.raws.shape[-1]
        if all(len(values) == len(constant.raws) and values[0][0].size == 1 for values in factors):
            means = np.mean([[(vector * vector).mean() for vector in values] for values in factors], 0)
            return means.reshape(-1, *[1] * (constant.raws.ndim - 1))
        if all(values[0].shape[1:-1] == (length,) for values in factors):
            return np.mean([(vector * vector).mean((0, 2)) for values in factors for vector in values], 0)
        return None

    def _factors(self, constant: tdsl.ConstOp) -> list[SSAValue]:
        """The factors of a constant; empty if it has other uses."""
        partners = self.partners[constant]
        return partners if all(value in self.values for value in partners) else []

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
        reals = [np.concatenate(vectors) for vectors in parts]
        rounded = [format.decode(format.encode(samples)) for samples, format in zip(reals, formats, strict=True)]
        weights = [self._repeated(part) for vectors in parts for part in vectors]
        return Moments.of(np.concatenate(reals), np.concatenate(rounded), np.concatenate(weights), axes)

    def _repeated(self, vectors: Reals) -> Reals:
        """The weights of samples, each repeated for every vector of the sample."""
        return self.weights.repeat(len(vectors) // len(self.weights))


def _summed(constant: tdsl.ConstOp, values: Sequence[Sequence[Reals]]) -> tuple[int, ...]:
    """The axes of a constant along which its products are summed, including the first if a loop carries the sums.

    values: for each factor, its values in each iteration.
    """
    shape = constant.raws.shape
    if shape[1:] != () and len(values) == 1 and len(values[0]) == shape[0]:
        if values[0][0][0].size == 1:
            return (0,)
        sums = [use.operation for user in constant.result.uses for out in user.operation.results for use in out.uses]
        if all(isinstance(op, tdsl.ContractionOp) and isinstance(op.initial, BlockArgument) for op in sums):
            return 0, -1
    return (-1,)


def _iterations(parts: Sequence[Reals], lengths: Sequence[int]) -> list[Reals]:
    """The values of all samples in each iteration, given values by chunk and, in each chunk, by iteration."""
    count = len(parts) // len(lengths)
    whole = [np.broadcast_to(part, (lengths[index // count], *part.shape[1:])) for index, part in enumerate(parts)]
    return [np.concatenate(whole[iteration::count]) for iteration in range(count)]


def _partners(constant: SSAValue) -> Iterator[SSAValue]:
    """Yield the factors of a constant, or of elements indexed out of it; the constant itself for any other use."""
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

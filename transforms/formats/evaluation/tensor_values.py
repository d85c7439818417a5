"""What numbers the tensors of a candidate hold (MinUn 5.1.2, algorithm 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

    from tinyml.dialects.formats.number_format import Raws, Reals
    from tinyml.transforms.formats.evaluation.candidates import Formats
    from tinyml.transforms.formats.evaluation.outcomes import Judge

SAMPLES = 256
"""Samples that are looked at, spread evenly over the data."""


def value_map(judge: Judge, formats: Formats, refined: Mapping[int, Raws] | None = None) -> list[Reals]:
    """The reals that each class of tensors holds on some samples, in all iterations, one after the other.

    refined: as `RoundedConstants.raws` takes it.

    The program has the tensors of its source: what is fused or summed later is not yet.
    """
    from tinyml.dialects import tdsl
    from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate

    module, values = judge.candidates.in_formats(formats, refined)
    held = _Held(judge, {value: source for source, value in values.items()})

    def observe(value: SSAValue, raws: Reals) -> None:
        held.add(value, tdsl.format_of(value).decode(raws))

    evaluate(module, encode_inputs(module, held.inputs), observe=observe)
    return held.maps()


def tensor_errors(judge: Judge, formats: Formats, refined: Mapping[int, Raws] | None) -> list[float]:
    """The mean absolute error of the numbers of each class of tensors, in the same program."""
    import numpy as np

    from tinyml.runtime.evaluator.evaluator import evaluate_reals

    held = _Held(judge, {value: value for value in judge.candidates.assignment.class_of})
    evaluate_reals(judge.candidates.module, held.inputs, held.add)
    pairs = zip(value_map(judge, formats, refined), held.maps(), strict=True)
    return [float(np.abs(found - exact).mean()) for found, exact in pairs]


class _Held:
    """The numbers of tensors by class. sources: the tensor on reals that each tensor stands for."""

    def __init__(self, judge: Judge, sources: dict[SSAValue, SSAValue]):
        import numpy as np

        assignment, inputs = judge.candidates.assignment, judge.yardstick.inputs
        self.inputs = inputs[np.linspace(0, len(inputs) - 1, min(SAMPLES, len(inputs))).astype(int)]
        self.classes = {value: assignment.class_of[source] for value, source in sources.items()}
        self.numbers: dict[object, list[Reals]] = {one: [] for one in assignment.classes}

    def add(self, value: SSAValue, numbers: Reals) -> None:
        if value in self.classes:
            self.numbers[self.classes[value]].append(numbers.reshape(-1))

    def maps(self) -> list[Reals]:
        import numpy as np

        return [np.concatenate(found) for found in self.numbers.values()]

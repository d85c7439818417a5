"""What numbers the tensors of a candidate hold (MinUn 5.1.2, algorithm 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

    from tinyml.dialects.number_format import Reals
    from tinyml.transforms.candidates import Formats
    from tinyml.transforms.outcomes import Judge

SAMPLES = 256
"""Samples that are looked at, spread evenly over the data."""


def value_map(judge: Judge, formats: Formats) -> list[Reals]:
    """The reals that each class of tensors holds on some samples, in all iterations, one after the other.

    The program has the tensors of its source: what is fused or summed later is not yet.
    """
    import numpy as np

    from tinyml.dialects import tdsl
    from tinyml.runtime.evaluator import encode_inputs, evaluate

    module, values = judge.candidates.in_formats(formats)
    class_of = judge.candidates.assignment.class_of
    holders = {value: class_of[source] for source, value in values.items()}
    held: dict[object, list[Reals]] = {one: [] for one in judge.candidates.assignment.classes}

    def observe(value: SSAValue, raws: Reals) -> None:
        if value in holders:
            held[holders[value]].append(tdsl.format_of(value).decode(raws).reshape(-1))

    inputs = judge.yardstick.inputs
    sampled = inputs[np.linspace(0, len(inputs) - 1, min(SAMPLES, len(inputs))).astype(int)]
    evaluate(module, encode_inputs(module, sampled), observe=observe)
    return [np.concatenate(found) for found in held.values()]

"""Evaluation of a step function (`stream-over-time`), one call after another, as on a device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.tdsl.base import shaped
from tinyml.dialects.tdsl.values import builtin_dtype
from tinyml.runtime.evaluator.evaluator import Outputs, run_step

if TYPE_CHECKING:
    from numpy.typing import NDArray


def evaluate_stream(module: ModuleOp, inputs: NDArray[Any], unknown: int = 1) -> list[Outputs]:
    """The results of all calls of a step function on sequences of inputs, in the order of the calls.

    inputs: raws of shape (samples, elements).
    unknown: the raw with which states are filled before the first call.
    """
    [function] = defined_functions(module)
    pushes = tdsl.read_input(function).pushed
    assert pushes is not None
    frame, hop, steps, stride = pushes
    _, _, *kept = function.body.block.args
    states: Sequence[Any] = [_before(value, len(inputs), unknown) for value in kept]
    returned = cast(func.ReturnOp, function.body.block.last_op).arguments
    outputs, answers = len(returned) - len(kept), list[Outputs]()
    call, part = 0, inputs
    for first in range(0, inputs.shape[1] - frame + 1, hop):
        part = inputs[:, first : first + frame].reshape(-1, 1, frame)
        states = run_step(function, [part, call, *states])[outputs:]
        call += 1
        if call == steps:
            results = run_step(function, [part, call, *states])
            answers.append(Outputs.of(returned[:outputs], results[:outputs], len(inputs)))
            states, call = results[outputs:], steps - stride
    return answers


def _before(state: SSAValue, samples: int, unknown: int) -> NDArray[Any]:
    """The initial content of a state buffer, whose elements are numbers of a format or sums in an accumulator."""
    element = shaped(state).get_element_type()
    format = number_format(element)
    dtype = builtin_dtype(element) if format is None else format.dtype
    return np.full((samples, *tdsl.shape_of(state)), unknown, dtype)

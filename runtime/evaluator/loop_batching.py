"""Evaluation of one op for all samples and all iterations of a loop at once.

Arrays have two leading axes, over the samples and over the iterations, each of extent 1 if the values do not depend on
it; both are folded into the single leading axis that the evaluator expects.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.tdsl.values import Arithmetic
from tinyml.runtime.evaluator.evaluator import compute

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"


def with_iterations(value: Any) -> Any:
    """A loop-invariant value with an axis of extent 1 over iterations added; integers are returned unchanged."""
    return value[:, None] if np.ndim(value) else value


def iteration(value: SSAValue, result: Any, index: int) -> Any:
    """The result of one iteration, taken from the results of all iterations."""
    if not np.ndim(result):
        return result
    value_then = result[:, index if result.shape[1] > 1 else 0]
    # An index that does not depend on the samples becomes a plain integer again.
    return value_then if isinstance(value.type, TensorType) or len(value_then) > 1 else int(value_then[0])


def compute_batched(arithmetic: Arithmetic, op: Operation, arguments: Sequence[Any]) -> Any:
    """The result of `compute` for each sample and iteration."""
    if isinstance(op, tdsl.IndexOp) and np.ndim(arguments[1]) and len(arguments[1]) == 1 == arguments[0].shape[1]:
        return arguments[0][:, 0][:, arguments[1][0]]
    arrays = [argument for argument in arguments if np.ndim(argument)]
    samples, iterations = (max((array.shape[axis] for array in arrays), default=1) for axis in (0, 1))
    result = compute(arithmetic, op, [_folded(argument, samples, iterations) for argument in arguments])
    if not np.ndim(result):
        return result
    return result.reshape(*((1, 1) if len(result) == 1 else (samples, iterations)), *result.shape[1:])


def _folded(value: Any, samples: int, iterations: int) -> Any:
    if not np.ndim(value) or value.shape[:2] == (1, 1):
        return value[0] if np.ndim(value) else value
    whole = np.broadcast_to(value, (samples, iterations, *value.shape[2:]))
    return whole.reshape(samples * iterations, *value.shape[2:])

"""Errors of transcendental functions in a program, relative to the exact functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tinyml.dialects import num, tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.formats.number_format import Function, NumberFormat, element_format
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.machine.real_functions import exactly

Kind: TypeAlias = tuple[Function, str | None, NumberFormat, NumberFormat]

MAX_REAL = 3.0e38


@dataclass(frozen=True)
class FunctionError:
    """The error of a function from one number format to another.

    function, scheme: the function, and the method by which the format computes it; None for the default method.
    argument, result: the formats of the argument and of the result.
    error: the greatest |computed - exact| over all finite arguments of the format, where exact values are saturated to
        the range of the result's format; None if the format of the argument has more than 2^16 values or is a float.
    """

    function: Function
    scheme: str | None
    argument: NumberFormat
    result: NumberFormat
    error: float | None


def function_errors(formats: ModuleOp) -> list[FunctionError]:
    """The errors of the functions in a program at level L1 or later. Each combination of function and formats is listed
    once.
    """
    kinds: set[Kind] = {
        (function, op.scheme.data if op.scheme else None, element_format(x.type), element_format(y.type))
        for op, function, x, y in _functions(formats)
    }
    return [FunctionError(*kind, error=greatest_error(*kind)) for kind in sorted(kinds, key=str)]


def _functions(module: ModuleOp) -> Iterator[tuple[tdsl.FunctionOp | num.FunctionOp, Function, SSAValue, SSAValue]]:
    for op in module.walk():
        if isinstance(op, tdsl.FunctionOp):
            yield op, op.function, op.input, op.out
        elif isinstance(op, num.FunctionOp):
            yield op, op.FUNCTION, op.input, op.result


def greatest_error(
    function: Function, scheme: str | None, argument: NumberFormat, result: NumberFormat
) -> float | None:
    """The `error` of a `FunctionError`, or None, for one function, scheme and pair of formats."""
    bits = 8 * argument.dtype.itemsize
    if bits > 16 or argument.FAMILY == F32_FORMAT.FAMILY:
        return None
    raws = np.arange(-(1 << (bits - 1)), 1 << (bits - 1)).astype(argument.dtype)
    reals = argument.decode(raws)
    raws = raws[np.isfinite(reals) & (argument.encode(reals) == raws)]
    computed = result.decode(np.asarray(result.function(NumpyMachine(), function, raws, argument, scheme)))
    limits = result.decode(result.encode_clipped(np.array([-MAX_REAL, MAX_REAL])))
    return float(np.abs(computed - np.clip(exactly(function, argument.decode(raws)), *limits)).max())

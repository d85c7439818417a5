"""The two arithmetics of the evaluator.

`Bits` defines the semantics of a program at level L1. It computes on raws in the number format of each tensor, and its
results are equal to those of every device in every bit. `Reals` computes in double precision, without formats. It is
the reference from which errors and ranges are determined.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from xdsl.ir import Operation, SSAValue

from tinyml.dialects import num, tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.tdsl.values import Arithmetic, builtin_dtype

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"


class Reals(Arithmetic):
    """Arithmetic in double precision, regardless of formats."""

    @property
    def machine(self) -> None:
        return None

    def scalar(self, step: Operation, x: Sequence[Array]) -> Array:
        return _defined(step).real(x)

    def number(self, value: SSAValue, real: float) -> Array:
        return np.array(real)

    def no_total(self, value: SSAValue, count: int, shape: tuple[int, ...]) -> Array:
        return np.zeros(shape)

    def tally(self, value: SSAValue, total: Array, x: Array) -> Array:
        return total + x

    def average(self, out: SSAValue, source: NumberFormat, total: Array, count: int, over_axes: bool) -> Array:
        return total / count


class Bits(Arithmetic):
    """Arithmetic on raws. Each op is computed by methods of its result's number format."""

    def __init__(self, machine: NumpyMachine | None = None):
        super().__init__()
        self._machine = machine or NumpyMachine()

    @property
    def machine(self) -> NumpyMachine:
        return self._machine

    def scalar(self, step: Operation, x: Sequence[Array]) -> Array:
        return _defined(step).computation()(self.machine, x)

    def number(self, value: SSAValue, real: float) -> Array:
        return tdsl.format_of(value).encode_clipped(np.array(real))

    def no_total(self, value: SSAValue, count: int, shape: tuple[int, ...]) -> Array:
        return np.zeros(shape, builtin_dtype(tdsl.format_of(value).total(count)))

    def tally(self, value: SSAValue, total: Array, x: Array) -> Array:
        return tdsl.format_of(value).tally(self.machine, total, x)

    def average(self, out: SSAValue, source: NumberFormat, total: Array, count: int, over_axes: bool) -> Array:
        format = tdsl.format_of(out)
        average = format.mean if over_axes else format.average
        return average(self.machine, total, count, source)


def _defined(step: Operation) -> num.ScalarOp:
    if not isinstance(step, num.ScalarOp):
        raise InputError(f"{step.name} is not supported in the body of a tdsl.map")
    return step

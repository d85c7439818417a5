"""The part of a report about an input of sensor integers: how the program takes them, and whether the data fit them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tinyml.dialects import tdsl
from tinyml.dialects.formats.exact.numbers import exact
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.evaluator.evaluator import argument_reals, predict_function
from tinyml.runtime.model.model_interface import interface_of

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation, SSAValue

    from tinyml.runtime.model.data import Data

READ, COMPUTED, CAST = "read", "computed", "cast"
"""The ways in which a program takes integers: its first layers read them, a multiplication and an addition turn them
into features first, or a cast gives them the width or the family of the program's formats."""


@dataclass(frozen=True)
class SensorReport:
    """The integers that a program takes.

    unit: as the option spells it. type: in C. entry: `READ`, `COMPUTED` or `CAST`. clipped: the share of the data's
    numbers that lie outside of the unit's integers.
    """

    unit: str
    type: str
    entry: str
    clipped: float


def sensor_report(reals: ModuleOp, formats: ModuleOp, data: Data) -> dict[str, Any] | None:
    """The report on a program's input; None without a unit. reals, formats: the program at L0 and at L1."""
    interface = interface_of(formats)
    if interface.input_unit is None:
        return None
    [argument] = predict_function(formats).body.block.args
    format, numbers = tdsl.format_of(argument), argument_reals(formats, data.x).astype(np.float64)
    # Rounding is half a unit in the last place; what is further off was clipped.
    unit_in_last_place = np.ldexp(1.0, -exact(format).scale)
    clipped = np.abs(format.decode(format.encode(numbers)) - numbers) > 0.75 * unit_in_last_place
    entry = CAST if any(isinstance(op, tdsl.CastOp) for op in _readers(argument)) else READ
    if any(map(_scales, _readers(predict_function(reals).body.block.args[0]))):
        entry = COMPUTED
    return asdict(SensorReport(interface.input_unit, interface.input_ctype, entry, float(clipped.mean())))


def _readers(value: SSAValue) -> Iterator[Operation]:
    """The ops that compute with a tensor, beyond those that only move its elements."""
    for use in value.uses:
        if isinstance(use.operation, tdsl.MovementOp):
            yield from _readers(use.operation.out)
        else:
            yield use.operation


def _scales(op: Operation) -> bool:
    """True for a product or a sum of a tensor and a constant."""
    constants = [isinstance(value.owner, tdsl.ConstOp) for value in op.operands]
    return isinstance(op, tdsl.MulOp | tdsl.AddOp | tdsl.SubOp) and any(constants)

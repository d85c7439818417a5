"""The report on the input of a program: reals and the cost of their conversion, integers of a sensor, or a stream of
samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tinyml.dialects import scratch, tdsl
from tinyml.dialects.formats.exact.numbers import exact_numbers
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.evaluator.evaluator import argument_reals, predict_function
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.costs import cost_table
from tinyml.transforms.buffers.liveness.live_ranges import arena_views
from tinyml.transforms.ir.cost.estimate import SOFTWARE, reading_time

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation, SSAValue

    from tinyml.runtime.model.data import Data
    from tinyml.runtime.model.interface import Interface

FLOAT_BYTES = 4

READ, COMPUTED, CAST = "read", "computed", "cast"
"""The ways to process integer inputs.

The first layers read them; or a multiplication and an addition convert them to features first; or a cast converts them
to the width or the family of the program's formats.
"""


@dataclass(frozen=True)
class FloatInputs:
    """The cost of converting a whole sample from floats.

    conversion: the estimated time of all elements, in the unit of the board; None on a board without measurements, and
        for a program that computes with the integers of a sensor.
    array_bytes: the RAM of the array of floats that NAME_predict_floats reads. NAME_set needs only the input's buffer
        of `buffer_bytes`.
    in_software: true if the board computes floats without hardware; None if that is unknown.
    """

    conversion: float | None
    array_bytes: int
    buffer_bytes: int
    in_software: bool | None

    def share(self, program: float | None) -> float:
        """The share of the conversion in the total time; 0 if one of the times is unknown.

        program: the time without conversion.
        """
        return 0.0 if not self.conversion or not program else self.conversion / (self.conversion + program)


def float_inputs(formats: ModuleOp, target: str) -> FloatInputs | None:
    """The cost of real inputs of a program at L1 on a board; None for a program without a float interface."""
    interface = interface_of(formats)
    if not interface.takes_floats:
        return None
    table = cost_table(target)
    conversion = None if table is None or interface.input_unit is not None else reading_time(formats, table)
    product = None if table is None else table.time("mulf f32")
    in_software = None if product is None else product >= SOFTWARE
    return FloatInputs(conversion, FLOAT_BYTES * interface.input_length, interface.input_bytes, in_software)


def float_inputs_report(costs: FloatInputs | None) -> dict[str, Any] | None:
    """The costs as fields of the report; None if there are no costs."""
    return None if costs is None else asdict(costs)


def describe_float_inputs(figures: Mapping[str, Any], program: float, unit: str) -> str:
    """Describe the costs of float inputs in one line.

    figures: the costs as fields of the report.
    program: the time of the program on raws.
    """
    converting, time = figures["conversion"], ""
    if converting is not None:
        time = f"converting a sample takes {converting:,.0f} {unit} (estimated), a call {converting + program:,.0f}, "
    return f"Floats as inputs: {time}their array {figures['array_bytes']:,} bytes of RAM."


@dataclass(frozen=True)
class SensorReport:
    """The integers that a program accepts as input.

    unit: the unit as spelled in the option.
    type: the C type.
    entry: the way in which the program processes the integers: `READ`, `COMPUTED` or `CAST`.
    clipped: the fraction of the data's numbers that lie outside the range of the unit's integers.
    """

    unit: str
    type: str
    entry: str
    clipped: float


def sensor_report(reals: ModuleOp, formats: ModuleOp, data: Data) -> dict[str, Any] | None:
    """The report on a program's input; None without a unit.

    reals, formats: the program at L0 and at L1.
    """
    interface = interface_of(formats)
    if interface.input_unit is None:
        return None
    [argument] = predict_function(formats).body.block.args
    format, numbers = tdsl.format_of(argument), argument_reals(formats, data.x).astype(np.float64)
    # The rounding error is at most half a unit in the last place; a greater difference is clipping.
    unit_in_last_place = np.ldexp(1.0, -exact_numbers(format).scale)
    clipped = np.abs(format.decode(format.encode(numbers)) - numbers) > 0.75 * unit_in_last_place
    entry = CAST if any(isinstance(op, tdsl.CastOp) for op in _readers(argument)) else READ
    if any(map(_scales, _readers(predict_function(reals).body.block.args[0]))):
        entry = COMPUTED
    return asdict(SensorReport(interface.input_unit, interface.input_ctype, entry, float(clipped.mean())))


def _readers(value: SSAValue) -> Iterator[Operation]:
    """Yield the ops that compute with a tensor, directly or after ops that only move its elements."""
    for use in value.uses:
        if isinstance(use.operation, tdsl.MovementOp):
            yield from _readers(use.operation.out)
        else:
            yield use.operation


def _scales(op: Operation) -> bool:
    constants = [isinstance(value.owner, tdsl.ConstOp) for value in op.operands]
    return isinstance(op, tdsl.MulOp | tdsl.AddOp | tdsl.SubOp) and any(constants)


def stream_report(
    buffers: ModuleOp, interface: Interface, longest: int | None, milliseconds: float | None = None
) -> Mapping[str, Any] | None:
    """The report on a stream: the elements of a frame and of a hop, and the numbers of frames up to the first answer
    and between answers.

    If the front end defines a rate, the report contains the samples per second. It also contains the bytes that are
    stored between hops, and `longest_hop`, the maximum time of a hop, including the answer, in the unit of the report,
    with the same time in `milliseconds`, and the milliseconds from one hop to the next (`period`), each None if it is
    unknown. None for a program that does not stream.

    buffers: the packed program at L2.
    longest: the maximum time of a hop; None without measurements.
    milliseconds: this time in milliseconds; None on a board with an unknown clock.
    """
    if (pushes := interface.pushes) is None:
        return None
    [function] = defined_functions(buffers)
    kept = (view for view in arena_views(function) if view.state is not None)
    state = sum(scratch.bytes_of(view.result) for view in kept)
    rate = interface.rate
    times = {
        "longest_hop": longest,
        "milliseconds": None if milliseconds is None else round(milliseconds, 3),
        "period": None if not rate else round(1000 * pushes.hop / rate, 3),
    }
    return {**pushes._asdict(), "rate": rate, "state_bytes": state, **times}

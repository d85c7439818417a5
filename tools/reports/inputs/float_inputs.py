"""The cost of real numbers as inputs of a program beside raws: time and RAM, by the cost model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tinyml.dialects import tdsl
from tinyml.runtime.devices.float_inputs import takes_floats
from tinyml.runtime.model.model_interface import interface_of

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

FLOAT_BYTES = 4


@dataclass(frozen=True)
class FloatInputs:
    """The cost of converting a whole sample from floats.

    conversion: estimated time of all elements, in the unit of the board; None on a board where none was measured.
    array_bytes: RAM of the array of floats that NAME_predict_floats takes; NAME_set needs none beyond the input's
    buffer, which has `buffer_bytes`. in_software: the board computes floats without hardware; None if that is unknown.
    """

    conversion: float | None
    array_bytes: int
    buffer_bytes: int
    in_software: bool | None

    def share(self, program: float | None) -> float:
        """The share of the conversion in the time with it. program: the time of the program; 0 if one is unknown."""
        return 0.0 if not self.conversion or not program else self.conversion / (self.conversion + program)


def float_inputs(formats: ModuleOp, target: str) -> FloatInputs | None:
    """The cost of real inputs of a program at L1 on a board; None for a program that takes none."""
    from tinyml.lowering.c.real_numbers import conversion_functions
    from tinyml.runtime.evaluator.evaluator import feature_map, predict_function
    from tinyml.targets.costs import cost_table
    from tinyml.transforms.ir.cost.shares import SOFTWARE

    interface = interface_of(formats)
    if not takes_floats(interface):
        return None
    [argument] = predict_function(formats).body.block.args
    functions = conversion_functions(tdsl.format_of(argument), scaled=feature_map(formats) is not None)
    table = cost_table(target)
    element = 0.0 if not functions else None if table is None else table.floats.get(functions)
    length = interface.input_length
    conversion = None if element is None else round(element * length)
    product = None if table is None else table.time("mulf f32")
    in_software = None if product is None else product >= SOFTWARE
    return FloatInputs(conversion, FLOAT_BYTES * length, interface.input_bytes, in_software)


def float_inputs_report(costs: FloatInputs | None) -> dict[str, Any] | None:
    """The figures as reports contain them."""
    return None if costs is None else asdict(costs)


def describe_float_inputs(figures: Mapping[str, Any], unit: str) -> str:
    """The figures in a line."""
    converting = figures["conversion"]
    time = "" if converting is None else f"converting a sample takes {converting:,.0f} {unit} (estimated), "
    return f"Floats as inputs: {time}their array {figures['array_bytes']:,} bytes of RAM."

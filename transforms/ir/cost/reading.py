"""The conversion of a caller's floats to the raws of a program's input (L1 to L3).

`NAME_predict_floats` converts a sample before it calls the program, whose steps do not include the conversion.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import prod

from xdsl.dialects.builtin import MemRefType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from tinyml.dialects import scratch, tdsl
from tinyml.dialects.formats.number_format import NumberFormat, number_format
from tinyml.dialects.functions import defined_functions
from tinyml.transforms.ir.real_numbers import conversion_functions


def read_floats(module: ModuleOp) -> Mapping[str, int]:
    """The number of floats that a call converts, by the functions that convert them (`conversion_functions`).

    Empty for an input in a float format, and for a program whose callers pass integers: the readings of a sensor,
    packed elements, rows or frames.
    """
    functions = defined_functions(module)
    if len(functions) != 1 or (value := _input_of(functions[0])) is None:
        return {}
    given = tdsl.read_input(functions[0])
    if given.unit is not None or given.packed is not None or given.received is not None or given.pushed is not None:
        return {}
    length = prod(tdsl.shape_of(value))
    format = tdsl.format_of(value)
    features = None if given.features(length) is None else (given, length)
    counts: dict[str, int] = {}
    parts = given.own_formats(format)
    whole = length if given.read is None else len(given.read)
    for elements, own in [(part.length, its) for part, its in parts] or [(whole, format)]:
        called = _functions(own, features)
        counts[called] = counts.get(called, 0) + elements
    return {called: count for called, count in counts.items() if called}


def _input_of(function: FuncOp) -> SSAValue | None:
    """The array that the caller fills: the argument or, if it is in the arena, its view. None without number format."""
    arrays = [value for value in function.body.block.args if isinstance(value.type, MemRefType | TensorType)]
    views = (op.result for op in function.body.block.ops if isinstance(op, scratch.ViewOp) and op.input is not None)
    value = arrays[0] if arrays else next(views, None)
    return None if value is None or number_format(getattr(value.type, "element_type", None)) is None else value


@cache
def _functions(format: NumberFormat, features: tuple[tdsl.InputInterface, int] | None) -> str:
    """The functions that convert to a format.

    features: the interface with the scales of the features, and the length of the input; None for a single scale.
    """
    return conversion_functions(format, None if features is None else features[0].features(features[1]))

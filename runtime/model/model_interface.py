"""The C interface of a program, derived from the types of its function at L1."""

from __future__ import annotations

from math import gcd, prod
from typing import Any

from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.scratch.types import packed_space
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.runtime.model.interface import Interface

_CTYPES = {"int8": "int8_t", "int16": "int16_t", "int32": "int32_t", "float32": "float"}


def input_unit_of(module: ModuleOp) -> str | None:
    """The unit of the sensor's integers that a program at L0 or L1 takes; None for any other input."""
    attributes = predict_function(module).arg_attrs
    unit = None if attributes is None else attributes.data[0].data.get(tdsl.INPUT_UNIT)
    return unit.data if isinstance(unit, StringAttr) else None


def interface_of(module: ModuleOp) -> Interface:
    """The interface of the C functions that a program at L1 compiles to.

    Raises `InputError` if attributes of the input do not belong to its format or shape.
    """
    function = predict_function(module)
    [argument] = function.body.block.args
    attributes: dict[str, Any] = {} if function.arg_attrs is None else dict(function.arg_attrs.data[0].data)
    packed, row = attributes.get(tdsl.PACKED), attributes.get(tdsl.RECEIVED)
    unit, pushes = attributes.get(tdsl.INPUT_UNIT), tdsl.Pushes.of(attributes.get(tdsl.PUSHED))
    shape, format, axes = tdsl.shape_of(argument), tdsl.format_of(argument), tdsl.order_axes(attributes.get(tdsl.ORDER))
    if packed is not None and packed.value.data < format.bits:
        raise InputError(f"'{tdsl.PACKED}': {packed.value.data} bits do not hold the {format.bits} of {format.type}")
    if axes is not None and len(axes) != len(shape):
        raise InputError(f"'{tdsl.ORDER}': an order of {len(axes)} axes is none of an input of {len(shape)}")
    length = prod(shape)
    last: Any = function.body.block.last_op
    scores = [value for value in last.operands if isinstance(value.type, TensorType)]
    return Interface(
        name=function.sym_name.data,
        input_ctype=_CTYPES[format.dtype.name],
        input_length=length,
        output_ctype=_CTYPES[tdsl.format_of(scores[0]).dtype.name] if scores else None,
        output_length=prod(tdsl.shape_of(scores[0])) if scores else 0,
        has_label=len(scores) < len(last.operands),
        more_outputs=tuple(
            (_CTYPES[tdsl.format_of(value).dtype.name], prod(tdsl.shape_of(value))) for value in scores[1:]
        ),
        packed_bits=None if packed is None else packed.value.data,
        packed_offset=0 if packed is None else packed_space(format.type, packed.value.data).offset,
        input_in_arena=tdsl.REUSED in attributes,
        row_elements=gcd(length, pushes.hop) if pushes else None if row is None else row.value.data,
        input_axes=axes,
        input_parts=tdsl.input_parts(attributes.get(tdsl.PARTS)),
        input_unit=None if unit is None else unit.data,
        instances=tdsl.has_instances(module),
        pushes=pushes,
        rate=tdsl.rate_of(module),
    )

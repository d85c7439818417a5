"""The C interface of a program, derived from the types of its function at level L1."""

from __future__ import annotations

from math import gcd, prod
from typing import Any

from xdsl.dialects.builtin import ModuleOp, TensorType

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.scratch.types import packed_space
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.runtime.model.interface import Interface

_CTYPES = {"int8": "int8_t", "int16": "int16_t", "int32": "int32_t", "float32": "float"}


def interface_of(module: ModuleOp) -> Interface:
    """The interface of the C functions to which a program at level L1 is compiled.

    Raises `InputError` if the declared interface of the input does not match the format or the shape of the input.
    """
    function = predict_function(module)
    [argument] = function.body.block.args
    declared = tdsl.read_interface(function)
    given, packed = declared.input, declared.input.packed
    shape, format, axes = tdsl.shape_of(argument), tdsl.format_of(argument), given.order
    if packed is not None and packed < format.bits:
        raise InputError(f"'packed' of the input: {packed} bits do not hold the {format.bits} of {format.type}")
    if axes is not None and len(axes) != len(shape):
        raise InputError(f"'order' of the input: an order of {len(axes)} axes is none of an input of {len(shape)}")
    length = prod(shape)
    if given.names is not None and len(given.names) != length:
        raise InputError(f"'names' of the input: {len(given.names)} names for {length} features")
    if given.received is not None and (given.reused or length % given.received):
        what = "which lies in the arena" if given.reused else f"whose {length} elements are no such rows"
        raise InputError(f"'received' of the input: rows of {given.received} elements are none of an input {what}")
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
        packed_bits=packed,
        packed_offset=0 if packed is None else packed_space(format.type, packed).offset,
        input_in_arena=given.reused,
        row_elements=gcd(length, given.pushed.hop) if given.pushed else given.received,
        input_axes=axes,
        input_parts=given.input_parts,
        input_unit=given.unit,
        instances=declared.instances,
        pushes=given.pushed,
        rate=given.rate,
    )

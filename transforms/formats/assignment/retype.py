"""Retyping of a program on reals: tensors get formats, constants raws, and functions a scheme."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, StringAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.locations import error_at
from tinyml.transforms.formats.assignment.compute_formats import insert_casts
from tinyml.transforms.formats.assignment.tensor_classes import tensor_values
from tinyml.transforms.ir.attributes import argument_attribute, set_argument_attribute

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat, Raws


def check_reals(function: func.FuncOp, *, mixed: bool = False) -> None:
    """Raise `InputError` for a function that is not a program on tensors of reals.

    mixed: a part may have formats, if casts separate the parts.
    """
    for op in function.walk():
        if any(isinstance(value.type, MemRefType) for value in (*op.operands, *op.results)):
            raise error_at(op, "assign-format expects tensors, not buffers")
        if mixed and isinstance(op, tdsl.TensorOp) and not isinstance(op, tdsl.CastOp):
            tensors = [value for value in (*op.inputs, op.out) if isinstance(value.type, TensorType)]
            if len({tdsl.is_real(value) for value in tensors}) > 1:
                raise error_at(op, f"'{op.name}' computes with f32 and another format: 'tdsl.cast' goes between them")
    others = [value for value in tensor_values(function) if not tdsl.is_real(value)]
    if others and not mixed:
        raise InputError(f"assign-format expects a program of f32 tensors, found {others[0].type}")


def check_scheme(prototype: NumberFormat, format: str, scheme: str | None) -> None:
    """Raise `InputError` for a scheme of functions that a format does not have."""
    if scheme is not None and scheme not in prototype.SCHEMES:
        known = f"one of {', '.join(prototype.SCHEMES)}" if prototype.SCHEMES else "it has none"
        raise InputError(f"format '{format}' has no scheme '{scheme}' for functions ({known})")


def retype(
    function: func.FuncOp,
    formats: Mapping[SSAValue, NumberFormat],
    constants: Mapping[SSAValue, Raws],
    compute_formats: Mapping[SSAValue, NumberFormat],
    scheme: str | None,
) -> dict[SSAValue, SSAValue]:
    """Give tensors of a function formats, its constants raws and its functions a scheme; other values are unchanged.

    compute_formats: of tensors that are computed in other formats than they are stored in. Returns the new tensor for
    each of the `formats`.
    """
    functions = [op for op in function.walk() if isinstance(op, tdsl.FunctionOp) and op.out in formats]
    retyped: dict[SSAValue, SSAValue] = {}
    for value, format in formats.items():
        type = cast("TensorType[Attribute]", value.type)
        if isinstance(op := value.owner, tdsl.ConstOp):
            new = op.with_raws(constants[value], format)
            Rewriter.insert_op(new, InsertPoint.before(op))
            value.replace_all_uses_with(new.result)
            Rewriter.erase_op(op)
            retyped[value] = new.result
        else:
            new_type = TensorType(format.type, type.get_shape(), type.encoding)
            retyped[value] = Rewriter.replace_value_with_new_type(value, new_type)
    retyped |= {value: insert_casts(retyped[value], format) for value, format in compute_formats.items()}
    last = cast(func.ReturnOp, function.body.block.last_op)
    function.update_function_type()
    if argument_attribute(function, tdsl.INPUT_FORMAT) is not None:
        # The type of the argument says it from now on.
        set_argument_attribute(function, tdsl.INPUT_FORMAT, None)
    assert tuple(function.function_type.outputs) == tuple(last.operand_types)
    for op in functions:
        op.scheme = None if scheme is None else StringAttr(scheme)
    return retyped

"""Queries of the two parts of a program: tensors of reals (f32), to which any format can be assigned, and tensors in
number formats.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.ir import Attribute, SSAValue

from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.tdsl.base import format_of
from tinyml.dialects.tdsl.constant import ConstOp

__all__ = ["has_formats", "is_mixed", "is_real", "kept_format"]


def is_real(value: SSAValue) -> bool:
    type: Attribute = value.type
    return isinstance(type, TensorType) and cast("TensorType[Any]", type).element_type == f32


def has_formats(module: ModuleOp) -> bool:
    """True for a program at level L1, that is, one with a tensor whose format is not f32."""
    return any(element != f32 for element in _elements(module))


def is_mixed(module: ModuleOp) -> bool:
    return has_formats(module) and any(element == f32 for element in _elements(module))


def kept_format(module: ModuleOp) -> NumberFormat:
    """The number format of the program's input.

    If the input is f32, it is the format of the first result that is not f32.
    """
    [function] = defined_functions(module)
    results = [value for op in function.body.walk() if not isinstance(op, ConstOp) for value in op.results]
    tensors = [value for value in (*function.body.block.args, *results) if isinstance(value.type, TensorType)]
    return next(format for format in map(format_of, tensors) if format.type != f32)


def _elements(module: ModuleOp) -> Iterator[Attribute]:
    types = (value.type for op in module.walk() for value in (*op.operands, *op.results))
    return (cast("TensorType[Any]", type).element_type for type in types if isinstance(type, TensorType))

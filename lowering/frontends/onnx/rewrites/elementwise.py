"""Elementwise ops in another shape."""

from __future__ import annotations

from typing import TypeVar

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.tdsl import format_of, shape_of

Op = TypeVar("Op", bound=tdsl.UnaryOp)


def in_shape_of(op: Op, value: SSAValue) -> Op:
    """A copy of an op, attributes included, on another tensor and in the shape of that tensor."""
    result = TensorType(format_of(op.out).type, shape_of(value))
    return type(op).create(operands=[value], result_types=[result], properties=dict(op.properties))

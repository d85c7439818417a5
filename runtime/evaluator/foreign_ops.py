"""The values of ops of other dialects: indices and conditions of `arith`, and empty tensors."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr
from xdsl.ir import Operation

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import element_format
from tinyml.dialects.tdsl.values import selected

_COMPARISONS: Sequence[Callable[[Any, Any], Any]] = [
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
]
"""Comparisons in the numbering of MLIR's signed predicates."""

_ON_INDICES: dict[type[Operation], Callable[[Any, Any], Any]] = {
    arith.AddiOp: operator.add,
    arith.SubiOp: operator.sub,
    arith.MuliOp: operator.mul,
    arith.DivSIOp: lambda a, b: np.trunc(np.divide(a, b)).astype(np.int64),
    arith.RemSIOp: np.fmod,
    arith.MinSIOp: np.minimum,
    arith.MaxSIOp: np.maximum,
}
"""Arithmetic on indices; as in C, quotients are rounded towards zero."""


@singledispatch
def foreign_value(op: Operation, x: Sequence[Any]) -> Any:
    """The result of an op, given the values of its operands; handlers register by class of op.

    Raises `InputError` for an op without a handler.
    """
    raise InputError(f"{op.name} is not supported yet by the evaluator")


@foreign_value.register
def _constant(op: arith.ConstantOp, x: Sequence[Any]) -> int:
    if isinstance(op.value, DenseIntOrFPElementsAttr):
        raise InputError("arith.constant of a tensor is not supported by the evaluator, expected tdsl.const")
    return cast("IntegerAttr[Any]", op.value).value.data


@foreign_value.register
def _comparison(op: arith.CmpiOp, x: Sequence[Any]) -> Any:
    return _COMPARISONS[op.predicate.value.data](x[0], x[1])


@foreign_value.register
def _selection(op: arith.SelectOp, x: Sequence[Any]) -> Any:
    return selected(np.asarray(x[0]), x[1], x[2])


@foreign_value.register
def _empty(op: tensor.EmptyOp, x: Sequence[Any]) -> Any:
    # The content is irrelevant, since all of it is overwritten before it is read.
    return np.zeros((1, *tdsl.shape_of(op.tensor)), element_format(op.tensor.type).dtype)


def _on_indices(op: Operation, x: Sequence[Any]) -> Any:
    return _ON_INDICES[type(op)](x[0], x[1])


for _kind in _ON_INDICES:
    foreign_value.register(_kind, _on_indices)

"""Counting multiply-accumulates: the measure that cycles are compared by."""

from __future__ import annotations

from math import prod
from typing import Any, cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import tdsl


def count_macs(module: ModuleOp) -> int:
    """Multiplications of all matrix products in one inference, loops counted.

    A sparse product counts its nonzero entries, a dense one all; a vector times a 1x1 matrix is a product of matrices
    too. Elementwise products, exp and tanh are not counted.
    """
    return sum(_macs(op) * _trips(op) for op in module.walk())


def _macs(op: Operation) -> int:
    import numpy as np

    if isinstance(op, tdsl.MulOp):
        shapes = tdsl.shape_of(op.lhs), tdsl.shape_of(op.rhs)
        return prod(tdsl.shape_of(op.out)) if (1, 1) in shapes and shapes[0] != shapes[1] and () not in shapes else 0
    if not isinstance(op, tdsl.ContractionOp):
        return 0

    if isinstance(op, tdsl.SpmvOp) and isinstance(op.lhs.owner, tdsl.ConstOp):
        return int(np.count_nonzero(op.lhs.owner.raws))
    return sum(prod(tdsl.shape_of(lhs)) * tdsl.shape_of(rhs)[1] for lhs, rhs in op.pairs)


def _trips(op: Operation) -> int:
    trips = 1
    while (op := cast(Any, op.parent_op())) is not None:
        if isinstance(op, scf.ForOp):
            low, high, step = (const_evaluate_operand(value) for value in (op.lb, op.ub, op.step))
            assert low is not None
            assert high is not None
            assert step is not None
            trips *= max(0, -((low - high) // step))
    return trips

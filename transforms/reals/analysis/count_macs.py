"""The number of multiply-accumulates of a program, for comparison with measured cycles."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tinyml.dialects import tdsl
from tinyml.dialects.loops import trips_of


def count_macs(module: ModuleOp) -> int:
    """The multiply-accumulates of one inference: the sum over all ops of `tdsl.TensorOp.macs` times the op's
    executions.

    A sparse product counts its nonzero entries, a dense product all entries. A product of a vector and a 1x1 matrix
    counts as a product of matrices. Elementwise products, exp and tanh are not counted.
    """
    return sum(op.macs * _trips(op) for op in module.walk() if isinstance(op, tdsl.TensorOp))


def _trips(op: Operation) -> int:
    trips = 1
    while (op := cast(Any, op.parent_op())) is not None:
        if isinstance(op, scf.ForOp):
            taken = trips_of(op)
            assert taken is not None
            trips *= taken
    return trips

"""The elementwise ops that are affine in each operand by declaration (`num.ScalarOp.AFFINE`) are so in fact, and passes
read the declaration: an op that only this file defines becomes an affine function.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.irdl import irdl_op_definition

from tinyml.dialects import num, tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.tdsl.elementwise import Insert, elementwise_op_definition
from tinyml.runtime.evaluator.arithmetics import Reals
from tinyml.transforms.reals.analysis.affine_functions import AffineFunction, extended


def arguments(count: int) -> list[SSAValue]:
    return list(Block(arg_types=[TensorType(f32, (3,))] * count).args)


@pytest.mark.parametrize("kind", [tdsl.AddOp, tdsl.SubOp, tdsl.MulOp])
@pytest.mark.parametrize("operand", [0, 1])
def test_the_result_for_a_mean_is_the_mean_of_results(kind: type[tdsl.BinaryOp], operand: int):
    lhs, rhs = arguments(2)
    op = kind(lhs, rhs)
    assert op.is_affine
    low, high = np.random.default_rng(0).uniform(-4, 4, (2, 2, 1, 3))
    low[1 - operand] = high[1 - operand]
    first, last, middle = (op.compute(Reals(), [*x]) for x in (low, high, (low + high) / 2))
    assert np.allclose(middle, (first + last) / 2)


def test_other_ops_are_not_affine():
    lhs, rhs = arguments(2)
    assert not any(op.is_affine for op in (tdsl.TanhOp(lhs), tdsl.ReluOp(lhs), tdsl.MaximumOp(lhs, rhs)))


@irdl_op_definition
class _SquareOp(tdsl.UnaryOp):
    """The square of a number, whose computation reads its argument twice."""

    name = "tdsl.test_square"

    def scalar(self, x: Sequence[SSAValue], element: Attribute, insert: Insert) -> SSAValue:
        return insert(num.MulOp(x[0], x[0], element))


def test_a_square_is_not_affine():
    [value] = arguments(1)
    op = _SquareOp(value)
    assert not op.is_affine
    assert extended(op, value, AffineFunction.identity((3,))) is None


@elementwise_op_definition(num.SubOp)
class _LessOp(tdsl.BinaryOp):
    """The difference of two numbers."""

    name = "tdsl.test_less"


@pytest.mark.parametrize(("place", "factor", "addend"), [(0, 1.0, [-1.0, -2.0, 4.0]), (1, -1.0, [1.0, 2.0, -4.0])])
def test_an_op_of_another_package_is_an_affine_function(place: int, factor: float, addend: list[float]):
    [value] = arguments(1)
    constant = tdsl.ConstOp(np.array([1.0, 2.0, -4.0], np.float32), F32_FORMAT).result
    op = _LessOp(value, constant) if place == 0 else _LessOp(constant, value)
    function = extended(op, value, AffineFunction.identity((3,)))
    assert function is not None
    assert function.factors.tolist() == [factor] * 3
    assert function.addends.tolist() == addend
    assert extended(_LessOp(value, value), value, AffineFunction.identity((3,))) is None

"""The project's fast constructor of ops creates the same ops as xDSL's constructor."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import IndexType, IntegerAttr, TensorType, f32
from xdsl.ir import Block, SSAValue
from xdsl.irdl import IRDLOperation

from tinyml.dialects import tdsl
from tinyml.dialects.operations import index_constant, integer_constant


def tensors(*shapes: tuple[int, ...]) -> list[SSAValue]:
    return list(Block(arg_types=[TensorType(f32, shape) for shape in shapes]).args)


@pytest.mark.parametrize("products", [1, 3])
@pytest.mark.parametrize("starts", [False, True])
def test_groups_of_operands_are_counted_as_by_xdsl(products: int, starts: bool):
    factors, [start] = tensors(*[(2, 3), (3, 1)] * products), tensors((2, 1))
    made = tdsl.MatmulSumOp(list(zip(factors[::2], factors[1::2], strict=True)), start if starts else None)
    made.verify()
    expected = tdsl.MatmulSumOp.__new__(tdsl.MatmulSumOp)
    parts = [factors, [start] if starts else [], []]
    IRDLOperation.__init__(expected, operands=parts, result_types=[made.out.type])
    assert tuple(made.operands) == tuple(expected.operands)
    assert made.properties == expected.properties


def test_equal_constants_share_integers_of_python():
    first, second = integer_constant(np.arange(6)[5], 16), integer_constant(5, 16)
    assert first.value is second.value
    assert isinstance(first.value, IntegerAttr)
    assert type(first.value.value.data) is int
    assert index_constant(5).result.type == IndexType()

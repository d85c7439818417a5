"""`shorten-sums` replaces an op only by a weighted sum with the same results for all operands."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

from tinyml.dialects import num
from tinyml.dialects.context import context
from tinyml.dialects.formats.zeroskew.type import ZeroSkewType
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.transforms.loops.shorten_sums import ShortenSumsPass

scales = st.floats(2**-10, 8, width=32)


@st.composite
def formats(draw: st.DrawFn) -> ZeroSkewType:
    width = draw(st.sampled_from([8, 8, 4]))
    zero = draw(st.integers(-(1 << width - 1), (1 << width - 1) - 1))
    return ZeroSkewType(width, draw(scales), zero, to_even=draw(st.booleans()))


def shortened(kind: type[num.AddOp | num.ConvertOp], *types: ZeroSkewType) -> num.NumOp:
    """The op that computes the result after the pass."""
    block = Block(arg_types=types[:-1])
    block.add_ops([kind.build(operands=block.args, result_types=[types[-1]]), ReturnOp()])
    function = FuncOp("f", (types[:-1], ()), Region(block))
    module = ModuleOp([function], {"tinyml.target": StringAttr("uno")})
    ShortenSumsPass().apply(context(), module)
    op = function.body.block.first_op
    assert isinstance(op, num.NumOp)
    return op


def results(op: num.NumOp, *types: ZeroSkewType) -> np.ndarray:
    """The raws of the results of an op for all raws of its operands."""
    raws = [np.arange(type.raw_limits[0], type.raw_limits[1] + 1) for type in types]
    operands = [each.astype(np.int8) for each in np.meshgrid(*raws, indexing="ij")]
    return np.asarray(op.computation()(NumpyMachine(), operands))


@settings(max_examples=15)
@given(formats(), formats(), formats())
def test_sums_have_the_results_of_the_op(a: ZeroSkewType, b: ZeroSkewType, y: ZeroSkewType):
    first, second = Block(arg_types=[a, b]).args
    before = num.AddOp(first, second, y)
    np.testing.assert_array_equal(results(shortened(num.AddOp, a, b, y), a, b), results(before, a, b))


@settings(max_examples=15)
@given(formats(), formats())
def test_conversions_have_the_results_of_the_op(a: ZeroSkewType, y: ZeroSkewType):
    before = num.ConvertOp(Block(arg_types=[a]).args[0], y)
    np.testing.assert_array_equal(results(shortened(num.ConvertOp, a, y), a), results(before, a))


@pytest.mark.parametrize("to_even", [False, True])
def test_sums_with_unlike_scales_are_replaced(to_even: bool):
    """The results are those of exact fractions, since none of these sums is within 2^-20 of a half."""
    a, b, y = (ZeroSkewType(8, s, z, to_even=to_even) for s, z in ((0.0513, -128), (0.0719, 3), (0.0977, -5)))
    op = shortened(num.AddOp, a, b, y)
    assert isinstance(op, num.WeightedSumOp)
    found = results(op, a, b)
    for i, j in np.random.default_rng(0).integers(0, 256, (200, 2)):
        real = Fraction(a.scale) * int(i - 128 - a.zero_point.data) + Fraction(b.scale) * int(
            j - 128 - b.zero_point.data
        )
        assert found[i, j] == min(max(round(real / Fraction(y.scale)) - 5, -128), 127)

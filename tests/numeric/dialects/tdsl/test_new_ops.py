"""Ops that only this file defines: the compiler derives for them everything that `docs/where-to-add.md` states.

Each op runs in the evaluator, on reals and on bits, has gradients, and becomes C that computes the evaluator's bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.lowered import lowered
from programs.network_writer import NetworkWriter
from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType, f32, i64
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import ParsePropInAttrDict, irdl_op_definition, operand_def, prop_def
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import num, tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.tdsl.base import SHAPED, Shape, build, shape_of, shaped
from tinyml.dialects.tdsl.elementwise import Insert, elementwise_op_definition
from tinyml.dialects.tdsl.movement import dimensions, identity
from tinyml.dialects.tdsl.values import Arithmetic
from tinyml.lowering.loops.lowerings import lowers
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals
from tinyml.runtime.evaluator.gradients import Gradients
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass
from tinyml.transforms.formats.fuse_elementwise import FuseElementwisePass
from tinyml.transforms.ir.loop_nest import LoopBuilder
from tinyml.transforms.reals.analysis.count_macs import count_macs
from tinyml.transforms.reals.analysis.profiles import record_profiles

SLOPE = 0.125
PLACES = 2
BINARY = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"


@irdl_op_definition
class LeakyReluOp(tdsl.UnaryOp):
    """max(x, 0) - SLOPE * max(-x, 0)."""

    name = "tdsl.leaky_relu"

    def scalar(self, x: Sequence[SSAValue], element: Attribute, insert: Insert) -> SSAValue:
        below = insert(num.ClampOp(insert(num.NegOp(x[0], element)), 0.0))
        less = insert(num.MulOp(below, insert(num.ConstantOp(SLOPE, element)), element))
        return insert(num.SubOp(insert(num.ClampOp(x[0], 0.0)), less, element))


@irdl_op_definition
class RampElementOp(num.UnaryOp):
    """x if it is at least 0, otherwise x / 2^places."""

    name = "num.ramp"
    places = prop_def(IntegerAttr)
    irdl_options = (ParsePropInAttrDict(),)

    def verify_(self) -> None:
        if not 0 <= self.places.value.data < 8:
            raise VerifyException(f"there are from 0 to 7 places, got {self.places.value.data}")

    def computation(self) -> num.Computation:
        source, result = num.format_of(self.input), num.format_of(self.result)
        return lambda machine, x: result.leaky_relu(machine, x[0], source, 2.0**-self.places.value.data)

    def real(self, x: Sequence[NDArray[Any]]) -> NDArray[Any]:
        return np.where(x[0] >= 0, x[0], np.ldexp(x[0], -self.places.value.data))

    def derivative(self, x: Sequence[NDArray[Any]], y: NDArray[Any], slope: NDArray[Any]) -> Sequence[NDArray[Any]]:
        return (slope * np.where(x[0] >= 0, 1.0, 2.0**-self.places.value.data),)


@elementwise_op_definition(RampElementOp)
class RampOp(tdsl.UnaryOp):
    name = "tdsl.ramp"
    places = prop_def(IntegerAttr)

    def __init__(self, input: SSAValue, places: int):
        super().__init__(input)
        self.places = IntegerAttr(places, i64)


@irdl_op_definition
class RunningSumOp(tdsl.TensorOp):
    """`result[i] = input[0] + .. + input[i]` along the first axis of a matrix, each sum rounded. No other op of this
    file has the same base class.
    """

    name = "tdsl.running_sum"
    ONE_FAMILY = False
    input = operand_def(SHAPED)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue):
        build(self, [input], TensorType(shaped(input).get_element_type(), shape_of(input)))

    def infer_shape(self) -> Shape:
        return shape_of(self.input)

    def real(self, x: Sequence[Any]) -> NDArray[Any]:
        return np.cumsum(x[0], 1)

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> NDArray[Any]:
        format, source = tdsl.format_of(self.out), tdsl.format_of(self.input)
        sums = [format.convert(m, x[0][:, 0], source)]
        for i in range(1, x[0].shape[1]):
            sums.append(format.add(m, sums[-1], format, x[0][:, i], source))
        return np.stack(sums, 1)

    def derivative(
        self, arithmetic: Arithmetic, x: Sequence[Any], y: NDArray[Any], slope: NDArray[Any]
    ) -> Sequence[NDArray[Any]]:
        return [np.flip(np.cumsum(np.flip(slope, 1), 1), 1)]


@lowers(RunningSumOp)
def lower_running_sum(op: RunningSumOp, nest: LoopBuilder) -> None:
    rows, columns = shape_of(op.input)
    element = tdsl.format_of(op.out).type

    def column(indices: Sequence[SSAValue]) -> None:
        def step(i: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            sum = nest.insert(num.AddOp(carried[0], nest.load(op.input, [i, *indices]), element))
            nest.store(sum, op.out, [i, *indices])
            return [sum]

        first = nest.insert(num.ConvertOp(nest.load(op.input, [nest.index(0), *indices]), element))
        nest.store(first, op.out, [nest.index(0), *indices])
        nest.fold(nest.index(rows), [first], step, start=1)

    nest.over((columns,), column)


@irdl_op_definition
class ConcatOp(tdsl.MovementOp):
    """An op that concatenates the rows of two matrices."""

    name = "tdsl.concat"
    lhs = operand_def(SHAPED)
    rhs = operand_def(SHAPED)
    assembly_format = BINARY

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        shape = (shape_of(lhs)[0] + shape_of(rhs)[0], shape_of(lhs)[1])
        build(self, [lhs, rhs], TensorType(shaped(lhs).get_element_type(), shape))

    def infer_shape(self) -> Shape:
        return shape_of(self.lhs)[0] + shape_of(self.rhs)[0], shape_of(self.lhs)[1]

    @property
    def moves(self) -> Sequence[tdsl.Move]:
        """The moves of the rows of `lhs` to the first rows of the result, and of the rows of `rhs` to the others."""
        same, (row, column) = identity(2), dimensions(2)
        below = AffineMap(2, 0, (row + shape_of(self.lhs)[0], column))
        targets = (self.lhs, same), (self.rhs, below)
        return [tdsl.Move(value, shape_of(value), same, target) for value, target in targets]


@irdl_op_definition
class Conv1dOp(tdsl.ContractionOp):
    """`result[i, o] = sum_k sum_c lhs[i + k, c] * rhs[k, c, o]`."""

    name = "tdsl.conv1d"
    lhs = operand_def(SHAPED)
    rhs = operand_def(SHAPED)
    assembly_format = BINARY

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        build(self, [lhs, rhs], TensorType(shaped(lhs).get_element_type(), self.shape(lhs, rhs)))

    @staticmethod
    def shape(lhs: SSAValue, rhs: SSAValue) -> Shape:
        return shape_of(lhs)[0] - shape_of(rhs)[0] + 1, shape_of(rhs)[2]

    def infer_shape(self) -> Shape:
        return self.shape(self.lhs, self.rhs)

    @property
    def terms(self) -> Sequence[tdsl.Term]:
        """`result[i, o] = sum_k sum_c lhs[i + k, c] * rhs[k, c, o]`."""
        i, o, k, c = map(AffineExpr.dimension, range(4))
        lhs_map, rhs_map = AffineMap(4, 0, (i + k, c)), AffineMap(4, 0, (k, c, o))
        return [tdsl.Term(self.lhs, self.rhs, shape_of(self.rhs)[:2], lhs_map, rhs_map)]


def network(weights: NDArray[np.float32]) -> ModuleOp:
    """A program whose result is a convolution. Its operand is the concatenation of the input and of running sums of a
    ramp of x + leakyrelu(x), where x is the input.

    weights: the filter of the convolution.
    """
    net = NetworkWriter((5, 6), format=F32_FORMAT)
    filter = net.constant(weights)
    ramp = net.insert(RampOp(net.add(net.insert(LeakyReluOp(net.input)), net.input), PLACES))
    sums = net.insert(RunningSumOp(ramp))
    return net.module(net.insert(Conv1dOp(net.insert(ConcatOp(sums, net.input)), filter)))


def expected(x: NDArray[np.float64], weights: NDArray[np.float32]) -> NDArray[np.float64]:
    """The results of `network`, computed by numpy."""
    image = x.reshape(-1, 5, 6)
    sums = np.cumsum(np.where(image > 0, 2 * image, (SLOPE + 1) * 2.0**-PLACES * image), 1)
    both = np.concatenate([sums, image], 1)
    windows = np.stack([both[:, i : i + 3] for i in range(8)], 1)
    return np.einsum("nikc,kco->nio", windows, weights).reshape(len(x), -1)


RANDOM = np.random.default_rng(1)
WEIGHTS = RANDOM.uniform(-1, 1, (3, 6, 4)).astype(np.float32)
X = RANDOM.uniform(-2, 2, (40, 30)).astype(np.float32)


def test_reals_and_counts():
    module = network(WEIGHTS)
    scores = evaluate_reals(module, X).scores
    assert scores is not None
    np.testing.assert_allclose(scores, expected(X.astype("f8"), WEIGHTS))
    assert count_macs(module) == 8 * 4 * 3 * 6


def test_an_op_verifies_what_its_op_on_scalars_verifies():
    [x] = Block(arg_types=[TensorType(f32, (5, 6))]).args
    assert RampOp.__doc__ == RampElementOp.__doc__
    with pytest.raises(VerifyException, match="there are from 0 to 7 places, got 8"):
        RampOp(x, 8).verify()


def test_an_op_says_that_its_operands_may_be_of_several_families():
    [x] = Block(arg_types=[TensorType(f32, (5, 6))]).args
    for op, mixes in (RunningSumOp(x), True), (LeakyReluOp(x), False):
        Rewriter.replace_value_with_new_type(op.results[0], TensorType(FixedType.of_width(8), (5, 6)))
        assert op.ONE_FAMILY is not mixes
        with nullcontext() if mixes else pytest.raises(VerifyException, match="families"):
            op.verify()


def test_gradients():
    """Derivatives with respect to the weights equal finite differences up to rounding, because the sum of scores is
    linear in the weights.
    """
    direction = RANDOM.normal(size=(len(X), 32))
    module = network(WEIGHTS)
    [constant] = [op for op in module.walk() if isinstance(op, tdsl.ConstOp)]
    rows = list(Gradients(module, X, direction).rows(constant))
    slopes = np.concatenate([slope for _, slope in rows], 1)
    step = RANDOM.normal(size=WEIGHTS.shape).astype(np.float32)
    change = (expected(X.astype("f8"), step) * direction).sum(1)
    np.testing.assert_allclose(slopes @ step.reshape(-1), change)


def test_gradients_through_elements_and_moves():
    """If a constant replaces the input, the derivatives of the results with respect to this constant equal finite
    differences.
    """
    module = network(WEIGHTS)
    [function] = [op for op in module.walk() if isinstance(op, func.FuncOp)]
    block = function.body.block
    point = tdsl.ConstOp(X[0].reshape(5, 6), F32_FORMAT)
    first = block.first_op
    assert first is not None
    block.insert_op_before(point, first)
    block.args[0].replace_all_uses_with(point.result)
    direction = RANDOM.normal(size=(1, 32))
    rows = list(Gradients(module, X[:1], direction).rows(point))
    slopes = np.concatenate([slope for _, slope in rows], 1)[0]
    step = 1e-6 * RANDOM.normal(size=30)
    after, before = (expected(X[:1] + sign * step, WEIGHTS) for sign in (1, -1))
    np.testing.assert_allclose(slopes @ step, ((after - before) * direction).sum() / 2, rtol=1e-4)


def with_formats(width: int) -> ModuleOp:
    module = network(WEIGHTS)
    record_profiles(module, X)
    AssignFormatPass("fixed", width).apply(context(), module)
    ChooseAccumulatorsPass().apply(context(), module)
    module.verify()
    return module


def test_bits_are_near_the_reals():
    module = with_formats(16)
    scores = evaluate(module, encode_inputs(module, X)).scores
    assert scores is not None
    last = module.body.block.first_op
    assert isinstance(last, func.FuncOp)
    returned = last.body.block.last_op
    assert returned is not None
    reals = tdsl.format_of(returned.operands[0]).decode(scores)
    np.testing.assert_allclose(reals, expected(X.astype("f8"), WEIGHTS), atol=0.01)


def test_elementwise_ops_fuse():
    module = with_formats(16)
    x = encode_inputs(module, X)
    before = evaluate(module, x).scores
    FuseElementwisePass().apply(context(), module)
    module.verify()
    names = [op.name for op in module.walk()]
    assert "tdsl.map" in names
    assert not {"tdsl.leaky_relu", "tdsl.add", "tdsl.ramp"} & set(names)
    np.testing.assert_array_equal(evaluate(module, x).scores, before)


@pytest.mark.long
def test_the_host_computes_the_same_bits(tmp_path: Path):
    for width in (8, 16):
        module = with_formats(width)
        x, interface, folder = encode_inputs(module, X), interface_of(module), tmp_path / str(width)
        wanted = evaluate(module, x).scores
        ctx = context()
        lowered(module, ctx, target="host")
        write_c(module, ctx, "host", folder)
        runner = HostRunner(sanitize=True)
        result = runner.run(runner.build(folder, interface, folder), interface, x)
        np.testing.assert_array_equal(result.scores, wanted)

"""Index maps with remainders and quotients have the semantics of MLIR's affine maps on every executor, also for
negative numbers.

C and MLIR's `arith` round quotients towards zero, and their remainders have the sign of the dividend.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.devices import DEVICES, with_llvm
from programs.hardware import need_simulator, verilog_of
from programs.lowered import lowered
from programs.network_writer import NetworkWriter
from programs.on_boards import difference, printed
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr, TensorType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineExpr, AffineMap
from xdsl.irdl import irdl_op_definition, operand_def

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.tdsl.base import SHAPED, Shape, build, shape_of, shaped
from tinyml.dialects.tdsl.movement import identity
from tinyml.lowering import pipelines
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.devices.verilog_tools import IcarusSimulation
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate, evaluate_reals
from tinyml.runtime.evaluator.gradients import Gradients
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.measure import first_mismatch
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.reals.analysis.profiles import record_profiles

ROWS, COLUMNS, TAPS = 6, 10, 3


def divided(kind: AffineBinaryOpKind, lhs: AffineExpr, divisor: int) -> AffineExpr:
    return AffineBinaryOpExpr(kind, lhs, AffineConstantExpr(divisor))


MOD, FLOOR, CEIL = AffineBinaryOpKind.Mod, AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.CeilDiv


class MatrixMovement(tdsl.MovementOp, ABC):
    """A base class for ops that move the elements of a matrix without changing its shape."""

    input = operand_def(SHAPED)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue):
        build(self, [input], TensorType(shaped(input).get_element_type(), shape_of(input)))

    def infer_shape(self) -> Shape:
        return shape_of(self.input)


@irdl_op_definition
class ShuffleOp(MatrixMovement):
    """`result[i, j] = input[4 + ceil((i - 5) / 2) + floor((2 - i) / 3), (3 * i - j) mod 10]`."""

    name = "tdsl.shuffle"

    @property
    def moves(self) -> Sequence[tdsl.Move]:
        i, j = map(AffineExpr.dimension, range(2))
        row = divided(CEIL, i - 5, 2) + divided(FLOOR, i * -1 + 2, 3) + 4
        source = AffineMap(2, 0, (row, divided(MOD, i * 3 - j, COLUMNS)))
        return [tdsl.Move(self.input, shape_of(self.input), source, identity(2))]


@irdl_op_definition
class RingOp(tdsl.ContractionOp):
    """`result[i, j] = sum_k input[i, (j - k) mod 10] * filter[k, j floordiv 4]`. The divisor 4 divides no extent."""

    name = "tdsl.ring"
    lhs = operand_def(SHAPED)
    rhs = operand_def(SHAPED)
    assembly_format = (
        "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        build(self, [lhs, rhs], TensorType(shaped(lhs).get_element_type(), shape_of(lhs)))

    def infer_shape(self) -> Shape:
        return shape_of(self.lhs)

    @property
    def terms(self) -> Sequence[tdsl.Term]:
        i, j, k = map(AffineExpr.dimension, range(3))
        lhs_map, rhs_map = (
            AffineMap(3, 0, results) for results in ((i, divided(MOD, j - k, COLUMNS)), (k, divided(FLOOR, j, 4)))
        )
        return [tdsl.Term(self.lhs, self.rhs, (TAPS,), lhs_map, rhs_map)]


RANDOM = np.random.default_rng(5)
FILTER = RANDOM.uniform(-1, 1, (TAPS, 3)).astype(np.float32)
X = RANDOM.uniform(-1, 1, (40, ROWS * COLUMNS)).astype(np.float32)


def network() -> ModuleOp:
    net = NetworkWriter((ROWS, COLUMNS), format=F32_FORMAT)
    return net.module(net.insert(RingOp(net.insert(ShuffleOp(net.input)), net.constant(FILTER))))


def expected(x: NDArray[np.float64], filter: NDArray[np.float32]) -> NDArray[np.float64]:
    """The result of both ops by Python's quotients and remainders, element by element."""
    image = x.reshape(-1, ROWS, COLUMNS)
    result = np.zeros_like(image)
    for i in range(ROWS):
        row = 4 - (5 - i) // 2 + (2 - i) // 3
        for j in range(COLUMNS):
            for k in range(TAPS):
                column = (j - k) % COLUMNS
                result[:, i, j] += image[:, row, (3 * i - column) % COLUMNS] * filter[k, j // 4]
    return result.reshape(len(x), -1)


def in_format(format: str, width: int, target: str = "host") -> ModuleOp:
    module, ctx = network(), context()
    record_profiles(module, X)
    AssignFormatPass(format, width).apply(ctx, module)
    pipelines.run(module, ctx, pipelines.flatten("refine-formats", {"target": target}))
    return module


def test_reals_and_gradients():
    module, x = network(), X.astype("f8")
    scores = evaluate_reals(module, X).scores
    assert scores is not None
    np.testing.assert_allclose(scores, expected(x, FILTER))
    direction = RANDOM.normal(size=(len(X), ROWS * COLUMNS))
    [constant] = [op for op in module.walk() if isinstance(op, tdsl.ConstOp)]
    slopes = np.concatenate([slope for _, slope in Gradients(module, X, direction).rows(constant)], 1)
    step = RANDOM.normal(size=FILTER.shape).astype(np.float32)
    np.testing.assert_allclose(slopes @ step.reshape(-1), (expected(x, step) * direction).sum(1))


@pytest.mark.long
@pytest.mark.parametrize("device", [*DEVICES, *with_llvm("divided indices", 1)])
def test_devices_give_the_bits_of_the_evaluator(device: str, tmp_path: Path):
    module = in_format("fixed", 8)
    source = printed(module, device, tmp_path / "c")
    assert difference(module, encode_inputs(module, X[:4]), source, runner_for(device), tmp_path) is None


@pytest.mark.long
@pytest.mark.parametrize(("format", "width"), [("fixed", 16), ("zeroskew", 8), ("posit", 8)])
def test_formats_give_the_bits_of_the_evaluator(format: str, width: int, tmp_path: Path):
    module = in_format(format, width)
    source = printed(module, "host", tmp_path / "c")
    assert difference(module, encode_inputs(module, X[:4]), source, runner_for("host"), tmp_path) is None


@pytest.mark.long
def test_hardware_gives_the_bits_of_the_evaluator(tmp_path: Path):
    need_simulator("iverilog")
    module = in_format("fixed", 8)
    raws = encode_inputs(module, X[:2])
    bits = lowered(module.clone(), end="loops-to-bits", target="host")
    result = IcarusSimulation(verilog_of(bits), tmp_path).run(interface_of(module), raws)
    assert first_mismatch(evaluate(module, raws), Outputs(result.labels, result.scores, result.more)) is None


@irdl_op_definition
class ModuloOp(MatrixMovement):
    """`result[i, j] = input[i mod (j + 1), j]`, whose index is not affine."""

    name = "tdsl.modulo"

    @property
    def moves(self) -> Sequence[tdsl.Move]:
        i, j = map(AffineExpr.dimension, range(2))
        source = AffineMap(2, 0, (AffineBinaryOpExpr(MOD, i, j + 1), j))
        return [tdsl.Move(self.input, shape_of(self.input), source, identity(2))]


def test_an_index_that_no_loop_computes():
    net = NetworkWriter((ROWS, COLUMNS))
    op = ModuloOp(net.input)
    op.location = FileLineColLoc(StringAttr("net.mlir"), IntAttr(3), IntAttr(5))
    module = net.module(net.insert(op))
    with pytest.raises(InputError) as error:
        lowered(module, end="buffers-to-loops", target="host")
    assert str(error.value) == "net.mlir:3:5: tdsl.modulo: no loop computes the index (d0 mod (d1 + 1))"

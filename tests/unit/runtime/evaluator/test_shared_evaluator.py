"""The shared evaluator, which reuses values between programs, returns the same bits as the plain evaluator."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from programs.carried import PROGRAMS
from programs.formatted import LIMITS, new_context, parse, stays_finite, with_formats
from programs.spread import examples, spread
from programs.tensors import programs
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.runtime.evaluator import shared_loops
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate, predict_function
from tinyml.runtime.evaluator.recorded_ops import Recorded
from tinyml.runtime.evaluator.shared_evaluator import SharedEvaluator
from tinyml.transforms.formats.accumulate_sums import AccumulateSumsPass
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass
from tinyml.transforms.formats.fuse_distances import FuseDistancesPass

SAMPLES = 7


def inputs_of(module: ModuleOp) -> NDArray[np.float32]:
    shape = tdsl.shape_of(predict_function(module).body.block.args[0])
    return np.random.default_rng(7).normal(size=(SAMPLES, int(np.prod(shape)))).astype(np.float32)


def chosen(module: ModuleOp, inputs: NDArray[np.float32], width: int) -> ModuleOp:
    """A copy of a program on reals, converted to fixed point of the given width."""
    copy = module.clone()
    with_formats(copy, inputs, "fixed", width)
    for one in (ChooseAccumulatorsPass(), AccumulateSumsPass()):
        one.apply(new_context(), copy)
    return copy


def expect_same(evaluator: SharedEvaluator, module: ModuleOp, inputs: NDArray[np.float32]) -> None:
    expect(evaluator, module, evaluate(module, encode_inputs(module, inputs)))


def expect(evaluator: SharedEvaluator, module: ModuleOp, expected: Outputs) -> None:
    program = evaluator.prepare(module)
    found = [program.outputs(chunk) for chunk in range(len(evaluator.chunks))]
    if expected.labels is not None:
        assert np.array_equal(expected.labels, np.concatenate([one.labels for one in found if one.labels is not None]))
    if expected.scores is not None:
        scores = np.concatenate([one.scores for one in found if one.scores is not None])
        assert expected.scores.tobytes() == scores.astype(expected.scores.dtype).tobytes()


@pytest.mark.long
@settings(max_examples=examples(10), suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(programs(), st.permutations([6, 8, 12, 16]))
def test_random_programs(program: str, widths: list[int]):
    module = parse(program)
    inputs = inputs_of(module)
    if not stays_finite(module, inputs):
        reject()
    evaluator = SharedEvaluator(inputs)
    for width in widths:
        try:
            expect_same(evaluator, chosen(module, inputs, width), inputs)
        except (InputError, VerifyException) as error:
            if not any(limit in str(error) for limit in LIMITS):
                raise


@pytest.mark.long
@pytest.mark.parametrize("name", spread(PROGRAMS, 10))
def test_loops(name: str, monkeypatch: pytest.MonkeyPatch):
    module = parse(PROGRAMS[name])
    inputs = inputs_of(module)
    candidates = [chosen(module, inputs, width) for width in (8, 16, 8)]
    results = [evaluate(candidate, encode_inputs(candidate, inputs)) for candidate in candidates]
    for batch, chunk, capacity in product((0, 1 << 20), (1, 3, 100), (0, 100, 1 << 20)):
        monkeypatch.setattr(shared_loops, "GREATEST_BATCH", batch)
        evaluator = SharedEvaluator(inputs, capacity, chunk)
        for candidate, expected in zip(candidates, results, strict=True):
            expect(evaluator, candidate, expected)


CELL = """func.func @cell(%X: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %W = tdsl.const dense<[[1.0, 0.5, -0.75], [2.0, -1.0, 0.25], [0.5, 0.125, 1.5]]> : tensor<3x3xf32> -> tensor<3x3xf32>
  %B = tdsl.const dense<0.7> : tensor<f32> -> tensor<f32>
  %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%h = %X) -> (tensor<3x1xf32>) {
    %p = tdsl.matmul %W, %h : tensor<3x3xf32>, tensor<3x1xf32> -> tensor<3x1xf32>
    %g = tdsl.sigmoid %p : tensor<3x1xf32> -> tensor<3x1xf32>
    %n = tdsl.neg %g : tensor<3x1xf32> -> tensor<3x1xf32>
    %e = tdsl.exp %n : tensor<3x1xf32> -> tensor<3x1xf32>
    %t = tdsl.sub %B, %e : tensor<f32>, tensor<3x1xf32> -> tensor<3x1xf32>
    %u = tdsl.mul %t, %h : tensor<3x1xf32>, tensor<3x1xf32> -> tensor<3x1xf32>
    %v = tdsl.tanh %u : tensor<3x1xf32> -> tensor<3x1xf32>
    %k = tdsl.sub %X, %h : tensor<3x1xf32>, tensor<3x1xf32> -> tensor<3x1xf32>
    %w = tdsl.add %v, %k : tensor<3x1xf32>, tensor<3x1xf32> -> tensor<3x1xf32>
    scf.yield %w : tensor<3x1xf32>
  }
  func.return %s : tensor<3x1xf32>
}"""
"""A carried value begins as another operand: they are the same array in the first iteration only."""


@pytest.mark.long
@pytest.mark.parametrize(
    ("format", "width"),
    [("posit", 8), ("posit", 16), ("minifloat", 8), ("affine", 8), ("bf16", None), ("seedot", 16), ("shiftry", 8)],
)
def test_what_is_recorded_and_tabulated(format: str, width: int | None):
    module = parse(CELL)
    inputs = inputs_of(module)
    with_formats(module, inputs, format, width)
    ChooseAccumulatorsPass().apply(new_context(), module)
    expect_same(SharedEvaluator(inputs), module, inputs)


def test_loops_that_differ_in_what_they_yield():
    """Two programs contain loops that differ only in the value that they yield. Each has the bits of the plain
    evaluator, so the results of the loops are not shared.
    """
    programs = [parse(text) for text in (CELL, CELL.replace("scf.yield %w", "scf.yield %v"))]
    inputs = inputs_of(programs[0])
    evaluator = SharedEvaluator(inputs)
    for module in programs:
        with_formats(module, inputs, "bf16", None)
        expect_same(evaluator, module, inputs)


def test_what_one_program_records_another_replays(monkeypatch: pytest.MonkeyPatch):
    """If a second program differs only in the weights of one product, only this product is evaluated again, since the
    bound of its sums may differ.
    """
    recorded: list[str] = []
    record = Recorded._record  # pyright: ignore[reportPrivateUsage]

    def counting(self: Recorded, op: Operation, arguments: Sequence[Any]) -> Any:
        recorded.append(op.name)
        return record(self, op, arguments)

    monkeypatch.setattr(Recorded, "_record", counting)
    programs = [parse(text) for text in (CELL, CELL.replace("[2.0, -1.0, 0.25]", "[-2.0, 1.0, 0.5]"))]
    inputs = inputs_of(programs[0])
    evaluator = SharedEvaluator(inputs, capacity=0)
    for module in programs:
        with_formats(module, inputs, "bf16", None)
        ChooseAccumulatorsPass().apply(new_context(), module)
        expect_same(evaluator, module, inputs)
        recorded.append("")
    assert len(recorded[: recorded.index("")]) > 1
    assert recorded[recorded.index("") + 1 :] == ["tdsl.matmul", ""]


GATED = """func.func @gated(%X: tensor<4x2x1xf32>) -> tensor<2x1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %W = tdsl.const dense<[[1.0, 0.5], [2.0, -1.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %U = tdsl.const dense<[[0.5, -0.5], [0.7, 0.3]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %H = tdsl.const dense<0.0> : tensor<2x1xf32> -> tensor<2x1xf32>
  %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%h = %H) -> (tensor<2x1xf32>) {
    %x = tdsl.index %X[%i] : tensor<4x2x1xf32> -> tensor<2x1xf32>
    %z = tdsl.matmul_sum %W, %x, %U, %h
      : tensor<2x2xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    %t = tdsl.tanh %z : tensor<2x1xf32> -> tensor<2x1xf32>
    scf.yield %t : tensor<2x1xf32>
  }
  func.return %s : tensor<2x1xf32>
}"""


def test_products_that_no_carried_value_reaches_are_computed_for_all_iterations_and_programs(
    monkeypatch: pytest.MonkeyPatch,
):
    samples: list[int] = []
    matmul = NumpyMachine.matmul

    def counting(self: NumpyMachine, accumulator: Any, lhs: Any, of_lhs: Any, rhs: Any, *rest: Any) -> Any:
        samples.append(len(rhs))
        return matmul(self, accumulator, lhs, of_lhs, rhs, *rest)

    programs = [parse(text) for text in (GATED, GATED.replace("0.7, 0.3", "0.7, 0.2"))]
    inputs = inputs_of(programs[0])
    evaluator = SharedEvaluator(inputs)
    for module in programs:
        candidate = chosen(module, inputs, 8)
        expected = evaluate(candidate, encode_inputs(candidate, inputs))
        with monkeypatch.context() as patch:
            patch.setattr(NumpyMachine, "matmul", counting)
            expect(evaluator, candidate, expected)
        samples.append(0)
    first, second = samples[: samples.index(0)], samples[samples.index(0) + 1 : -1]
    # Both products of the first iteration are recorded, and only those of the state are repeated.
    assert first == [SAMPLES, 1, 4 * SAMPLES, *[SAMPLES] * 3]
    assert second == [SAMPLES, 1, *[SAMPLES] * 3]


PROTOTYPES = """func.func @nearest(%X: tensor<3x1xf32>) -> tensor<1x1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %B = tdsl.const dense<[[[1.0], [0.5], [-0.7]], [[2.0], [-1.0], [0.3]], [[0.5], [0.1], [1.5]], [[0.1], [7.0], [-3.0]]]>
    : tensor<4x3x1xf32> -> tensor<4x3x1xf32>
  %Z = tdsl.const dense<0.0> : tensor<1x1xf32> -> tensor<1x1xf32>
  %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %Z) -> (tensor<1x1xf32>) {
    %b = tdsl.index %B[%i] : tensor<4x3x1xf32> -> tensor<3x1xf32>
    %d = tdsl.sub %X, %b : tensor<3x1xf32>, tensor<3x1xf32> -> tensor<3x1xf32>
    %t = tdsl.reshape %d : tensor<3x1xf32> -> tensor<1x3xf32>
    %q = tdsl.matmul %t, %d : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
    %r = tdsl.add %a, %q : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
    scf.yield %r : tensor<1x1xf32>
  }
  func.return %s : tensor<1x1xf32>
}"""


@pytest.mark.parametrize(("format", "width"), [("fixed", 4), ("fixed", 8), ("fixed", 12), ("posit", 8)])
def test_distances_from_prototypes(format: str, width: int):
    """Distances from all prototypes, computed by one matrix product in 32-bit or 64-bit floats, have the plain
    evaluator's bits.
    """
    module = parse(PROTOTYPES)
    inputs = 30 * inputs_of(module)
    with_formats(module, inputs, format, width)
    for one in (ChooseAccumulatorsPass(), FuseDistancesPass()):
        one.apply(new_context(), module)
    fused = [op for op in module.walk() if isinstance(op, tdsl.SquaredDistanceOp)]
    assert fused
    expect_same(SharedEvaluator(inputs), module, inputs)

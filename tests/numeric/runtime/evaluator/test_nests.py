"""Nests, evaluated on arrays, compute the results of the tensor ops from which they were lowered."""

from __future__ import annotations

from math import prod
from typing import Any, cast

import numpy as np
import pytest
from interpreters.nests import evaluate_nest
from numpy.typing import NDArray
from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.parser import Parser

from tinyml.dialects import num, scratch
from tinyml.dialects.context import context
from tinyml.dialects.formats.number_format import element_format
from tinyml.dialects.loops import index_value, iterations_of
from tinyml.runtime.evaluator.evaluator import evaluate
from tinyml.transforms.ir.pipeline_names import registered_pass

FIXED, FINE, SKEW, POSIT = "!fixed.q<8, 4>", "!fixed.q<16, 10>", "!zeroskew.q<8, 0.125, 3>", "!posit.p<8, 1>"
SAMPLES = 5

ELEMENTWISE = """
func.func @main(%x: tensor<3x4x{0}>) -> tensor<3x4x{0}> {{
  %b = tdsl.const dense<[[1, -3, 2, 90]]> : tensor<1x4xi8> -> tensor<1x4x{0}>
  %s = tdsl.const dense<[[5]]> : tensor<1x1xi8> -> tensor<1x1x{0}>
  %y = tdsl.add %x, %b : tensor<3x4x{0}>, tensor<1x4x{0}> -> tensor<3x4x{0}>
  %z = tdsl.mul %y, %s : tensor<3x4x{0}>, tensor<1x1x{0}> -> tensor<3x4x{0}>
  %m = tdsl.maximum %z, %x : tensor<3x4x{0}>, tensor<3x4x{0}> -> tensor<3x4x{0}>
  %r = tdsl.clip %m {{low = -1.0 : f64, high = 2.0 : f64}} : tensor<3x4x{0}> -> tensor<3x4x{0}>
  func.return %r : tensor<3x4x{0}>
}}"""

COLUMN = """
func.func @main(%x: tensor<4x1x{0}>) -> tensor<3x1x{0}> {{
  %W = tdsl.const dense<[[1, 2, -3, 4], [5, -6, 7, 8], [-9, 10, 11, 12]]> : tensor<3x4xi8> -> tensor<3x4x{0}>
  %b = tdsl.const dense<[[7], [-3], [1]]> : tensor<3x1xi8> -> tensor<3x1x{0}>
  %p = tdsl.matmul %W, %x : tensor<3x4x{0}>, tensor<4x1x{0}> -> tensor<3x1x{0}>
  %y = tdsl.add %p, %b : tensor<3x1x{0}>, tensor<3x1x{0}> -> tensor<3x1x{0}>
  %r = tdsl.relu %y : tensor<3x1x{0}> -> tensor<3x1x{0}>
  func.return %r : tensor<3x1x{0}>
}}"""

WINDOWS = """
func.func @main(%x: tensor<1x4x6x{3}x{0}>) -> tensor<1x{1}x2x{0}> {{
  %F = tdsl.const dense<{4}> : tensor<{2}xi8> -> tensor<{2}x{0}>
  %r = tdsl.conv2d %F, %x {{strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = {5} : i64}}
    : tensor<{2}x{0}>, tensor<1x4x6x{3}x{0}> -> tensor<1x{1}x2x{0}>
  func.return %r : tensor<1x{1}x2x{0}>
}}"""
FILTER = (np.arange(72).reshape(2, 3, 3, 4) * 7 % 19 - 9).tolist()
CHANNELS = "[[[[1], [2]], [[3], [-4]]], [[[5], [6]], [[-7], [8]]]]"

POOLS = """
func.func @main(%x: tensor<1x6x6x3x{0}>) -> tensor<1x1x1x3x{0}> {{
  %m = tdsl.max_pool %x {{kernel = array<i64: 3, 2>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 2>}}
    : tensor<1x6x6x3x{0}> -> tensor<1x4x3x3x{0}>
  %a = tdsl.average_pool %m {{kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 1, 0>, strides = array<i64: 2, 2>}}
    : tensor<1x4x3x3x{0}> -> tensor<1x2x2x3x{0}>
  %r = tdsl.mean %a {{axes = array<i64: 1, 2>}} : tensor<1x2x2x3x{0}> -> tensor<1x1x1x3x{0}>
  func.return %r : tensor<1x1x1x3x{0}>
}}"""

TO_NESTS = ("choose-accumulators", "formats-to-buffers", "lower-tdsl-to-loops", "simplify")


@pytest.mark.long
@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        *(ELEMENTWISE.format(element) for element in (FIXED, SKEW, POSIT)),
        *(COLUMN.format(element) for element in (FIXED, SKEW, POSIT)),
        *(POOLS.format(element) for element in (FIXED, SKEW, POSIT)),
        WINDOWS.format(SKEW, "2x4", "2x3x3x4", 4, FILTER, 1),
        WINDOWS.format(SKEW, "3x5", "2x2x2x1", 2, CHANNELS, 2),
    ],
)
def test_nests_compute_what_tensor_ops_do(text: str, fused: bool) -> None:
    module = Parser(context(), text).parse_module()
    module.verify()
    x = _raws(module)
    expected = evaluate(module, x).scores
    for name in (*TO_NESTS, *(["fuse-loops", "simplify"] if fused else [])):
        registered_pass(name, target="cortex-m4", flash=20_000).apply(context(), module)
    module.verify()
    nests = [op for op in module.walk() if isinstance(op, num.ClosedNestOp)]
    assert nests
    np.testing.assert_array_equal(_run(module, x), expected)


def test_an_iteration_reads_what_another_stored() -> None:
    """If a store and a load may access the same element, iterations run in order."""
    text = f"""func.func @main(%x: memref<5x{FINE}>) {{
      num.nest %i to 4 {{
        %next = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
        %a = memref.load %x[%i] : memref<5x{FINE}>
        %b = memref.load %x[%next] : memref<5x{FINE}>
        %c = num.add %a, %b : {FINE}, {FINE} -> {FINE}
        memref.store %c, %x[%next] : memref<5x{FINE}>
      }}
      func.return
    }}"""
    module = Parser(context(), text).parse_module()
    module.verify()
    [nest] = [op for op in module.walk() if isinstance(op, num.NestOp)]
    x = np.array([[1, 2, 3, 4, 5], [10, 0, 0, 0, 1]], np.int16)
    evaluate_nest(nest, {nest.stores[0].memref: x})
    np.testing.assert_array_equal(x, np.cumsum([[1, 2, 3, 4, 5], [10, 0, 0, 0, 1]], 1))


def _raws(module: ModuleOp) -> NDArray[Any]:
    [function] = [op for op in module.ops if isinstance(op, func.FuncOp)]
    type = function.body.block.args[0].type
    size = prod(cast(Any, type).get_shape())
    raws = np.random.default_rng(size).integers(-128, 128, (SAMPLES, size))
    return raws.astype(element_format(type).dtype)


def _run(module: ModuleOp, x: NDArray[Any]) -> NDArray[Any]:
    """The result of a function whose loops are all nests, for inputs x."""
    [function] = [op for op in module.ops if isinstance(op, func.FuncOp)]
    argument = function.body.block.args[0]
    known: dict[SSAValue, Any] = {argument: x.reshape(SAMPLES, *_shape(argument))}
    _run_block(function.body.block, known)
    last = function.body.block.last_op
    assert isinstance(last, func.ReturnOp)
    return known[last.arguments[0]].reshape(SAMPLES, -1)


def _run_block(block: Block, known: dict[SSAValue, Any]) -> None:
    for op in block.ops:
        match op:
            case num.ClosedNestOp():
                evaluate_nest(op, known)
            case scf.ForOp():
                for number in iterations_of(op) or ():
                    known[op.body.block.args[0]] = number
                    _run_block(op.body.block, known)
            case scratch.ViewOp():
                known[op.result] = np.zeros((SAMPLES, *_shape(op.result)), element_format(op.result.type).dtype)
            case scratch.ConstantOp():
                known[op.result] = op.raws[None]
            case scratch.SliceOp():
                source, first = known[op.source], index_value(op.offset, known)
                run = source.reshape(len(source), -1)[:, first : first + prod(_shape(op.result))]
                known[op.result] = run.reshape(len(source), *_shape(op.result))
            case scratch.CopyRunOp():
                _copy(op, known)
            case memref.LoadOp():
                known[op.res] = known[op.memref][(slice(None), *(index_value(index, known) for index in op.indices))]
            case _:
                pass


def _copy(op: scratch.CopyRunOp, known: dict[SSAValue, Any]) -> None:
    """Copy a run of elements between the arrays of two buffers."""
    source, dest, count = (index_value(value, known) for value in (op.first, op.at, op.count))
    known[op.dest][:, dest : dest + count] = known[op.source][:, source : source + count]


def _shape(value: SSAValue) -> tuple[int, ...]:
    return tuple(scratch.memref_type(value).get_shape())

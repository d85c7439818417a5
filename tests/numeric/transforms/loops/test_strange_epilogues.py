"""An op of a test package after a contraction is fused with it, tiled and expanded, without changes to tinyml."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from plugins.gated.gated import GATED, BlendElementOp
from programs.devices import need_tools
from programs.lowered import lowered
from programs.printed import WARNINGS, write_module
from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects import num
from tinyml.dialects.context import context
from tinyml.lowering.tdsl_to_loops import LowerTdslToLoopsPass
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.registry import DEFAULT_TARGET, HOST
from tinyml.transforms.ir.contraction_loops import expand_contraction
from tinyml.transforms.loops.block_rows import BlockRowsPass
from tinyml.transforms.loops.fuse_loops import FuseLoopsPass
from tinyml.transforms.simplify import SimplifyPass

ROWS, COLUMNS = 7, 12
"""A block of four rows and three more, and an element that runs of four leave over."""
RANDOM = np.random.default_rng(5)
VECTORS = RANDOM.integers(-127, 128, (20, COLUMNS)).astype(np.int8)


def constant(name: str, rows: int, columns: int) -> str:
    raws = RANDOM.integers(-127, 128, (rows, columns)).tolist()
    return f"%{name} = tdsl.const dense<{raws}> : tensor<{rows}x{columns}xi8> -> {bytes_of(rows, columns)}"


def bytes_of(rows: int, columns: int = 1) -> str:
    return f"tensor<{rows}x{columns}x!fixed.q<8, 7>>"


def product(name: str) -> str:
    """The text of a product of weights with the input, whose sums are rounded to bytes."""
    types = f"{bytes_of(ROWS, COLUMNS)}, {bytes_of(COLUMNS)} -> {bytes_of(ROWS)}"
    return f"""
  {constant(f"W{name}", ROWS, COLUMNS)}
  %{name} = tdsl.matmul %W{name}, %x {{acc = !fixed.acc<32, 14>}} : {types}"""


def blend(gate: str, other: str) -> str:
    """The text of a function that blends the vectors `other` and `c` by a gate. The constant `c` is not an argument.

    gate, other: the names of the gate and of the first vector, each of which is a product.
    """
    column = bytes_of(ROWS)
    interface = "tdsl.interface = #tdsl.interface<input = <range = [-1.0, 1.0]>>"
    return f"""
func.func @cell(%x: {bytes_of(COLUMNS)}) -> ({column}) attributes {{{interface}}} {{
  {constant("c", ROWS, 1)}{"".join(product(name) for name in dict.fromkeys((gate, other)))}
  %y = gated.blend %{gate}, %{other}, %c : {column}, {column}, {column} -> {column}
  func.return %y : {column}
}}"""


ONE_SUM, TWO_SUMS = blend("z", "z"), blend("z", "h")


def parsed(text: str) -> tuple[Context, ModuleOp]:
    ctx = context()
    ctx.load_dialect(GATED.all_dialects["gated"]())
    module = Parser(ctx, text).parse_module()
    module.verify()
    return ctx, module


def fused(text: str) -> tuple[Context, ModuleOp, num.ContractOp]:
    """A context, a program at L3 whose nests are fused to one contraction, and this contraction."""
    ctx, module = parsed(text)
    lowered(module, ctx, end="formats-to-buffers")
    for step in (LowerTdslToLoopsPass(), SimplifyPass(), FuseLoopsPass()):
        step.apply(ctx, module)
    module.verify()
    assert not any(isinstance(each, scf.ForOp | num.NestOp) for each in module.walk())
    [op] = [op for op in module.walk() if isinstance(op, num.ContractOp)]
    return ctx, module, op


@pytest.mark.parametrize(("text", "sums"), [(ONE_SUM, 1), (TWO_SUMS, 2)], ids=["one", "two"])
def test_it_joins_the_rows_of_its_operands(text: str, sums: int):
    _, _, op = fused(text)
    [blend] = [each for each in op.body.block.ops if isinstance(each, BlendElementOp)]
    assert len(op.sums) == sums
    assert {sum.finish for sum in op.sums} == {value.owner for value in (blend.gate, blend.lhs)}
    assert [store.value for store in op.stores] == [blend.result]
    # No kernel that finishes sums computes what follows.
    assert [op.store_of(sum) for sum in op.sums] == [None] * sums


def test_blocks_of_rows_have_it_behind_their_kernel():
    ctx, module, _ = fused(ONE_SUM)
    BlockRowsPass("cortex-m4").apply(ctx, module)
    module.verify()
    rows, dot = (each for each in module.walk() if isinstance(each, num.CallOp))
    assert [rows.routine.name, dot.routine.name] == [num.DotRowsAttr.name, num.DotAttr.name]
    behind, rest = (each.parent_op() for each in module.walk() if isinstance(each, BlendElementOp))
    assert isinstance(behind, scf.ForOp)
    assert behind.parent_op() is rows.parent_op()
    assert rest is dot.parent_op()


def test_rows_are_expanded_with_it():
    _, module, op = fused(TWO_SUMS)
    names = [each.name for each in op.body.block.ops if not isinstance(each, num.ProductsOp)]
    expand_contraction(op)
    module.verify()
    [loop] = [each for each in module.walk() if isinstance(each, num.NestOp)]
    kept = [each.name for each in loop.body.block.ops if each.name in names and each.dialect_name() != "arith"]
    assert kept == names


@pytest.mark.long
@pytest.mark.parametrize("text", [ONE_SUM, TWO_SUMS], ids=["one", "two"])
@pytest.mark.parametrize("target", [HOST, DEFAULT_TARGET, "cortex-m4"])
def test_bits(target: str, text: str, tmp_path: Path):
    need_tools(target)
    ctx, module = parsed(text)
    expected, interface = evaluate(module, VECTORS).scores, interface_of(module)
    lowered(module, ctx, end="loops-to-bits", target=target)
    source, runner = write_module(module, ctx, target, tmp_path / "source"), runner_for(target)
    result = runner.run(runner.build(source, interface, tmp_path / "build", "-Os", WARNINGS), interface, VECTORS)
    np.testing.assert_array_equal(result.scores, expected)

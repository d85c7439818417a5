"""The text of a hardware module in Verilog depends only on the circuit."""

from __future__ import annotations

from random import Random

import pytest
from programs.paths import TESTS
from xdsl.dialects import hw

from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.targets.verilog.print_verilog import print_verilog
from tinyml.tools.driver.stages import load_program


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_text_is_independent_of_the_order_of_ops(seed: int):
    module = load_program(TESTS / "filecheck/lowering/rtl_read_again.mlir", context())
    pipelines.run(module, context(), pipelines.flatten("bits-to-hardware", {"cells": 20}))
    before = print_verilog(module)
    [hardware] = (op for op in module.ops if isinstance(op, hw.HWModuleOp))
    block = hardware.body.block
    *ops, end = block.ops
    for op in Random(seed).sample(ops, len(ops)):
        op.detach()
        block.insert_op_before(op, end)
    assert print_verilog(module) == before

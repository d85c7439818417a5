"""Programs whose buffers are moved while they are live: every device computes the evaluator's bits."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from programs.devices import DEVICES
from programs.lowered import lowered
from programs.spread import spread
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.scratch import MoveOp
from tinyml.lowering import pipelines
from tinyml.lowering.tdsl_to_scratch import LowerTdslToScratchPass
from tinyml.targets.c.print_c import CTarget
from tinyml.tools.driver.measure import run_on_device
from tinyml.transforms.buffers.check_packing import CheckPackingPass
from tinyml.transforms.buffers.pack_scratch import PackScratchPass

Q = "!fixed.q<16, 12>"
V, W, S = f"tensor<8x1x{Q}>", f"tensor<16x1x{Q}>", f"tensor<1x1x{Q}>"
UP, ACROSS = (f"tensor<{shape}x!fixed.q<8, 7>>" for shape in ("16x8", "1x16"))

FRAGMENTED = f"""
func.func @moves(%X: {V}) -> (index, {V})
  attributes {{tdsl.interface = #tdsl.interface<input = <range = [-4.0, 4.0]>>}} {{
  %U = tdsl.const dense<{[[17 * i % 128 - 8 * j for j in range(8)] for i in range(16)]}> : tensor<16x8xi8> -> {UP}
  %A = tdsl.const dense<{[[9 * i - 70 for i in range(16)]]}> : tensor<1x16xi8> -> {ACROSS}
  %x1 = tdsl.neg %X : {V} -> {V}
  %x2 = tdsl.add %x1, %x1 : {V}, {V} -> {V}
  %x3 = tdsl.add %x1, %x2 : {V}, {V} -> {V}
  %label = tdsl.argmax %x3 : {V}
  %x4 = tdsl.matmul %U, %X : {UP}, {V} -> {W}
  %y = tdsl.matmul %A, %x4 : {ACROSS}, {W} -> {S}
  %z = tdsl.add %x2, %y : {V}, {S} -> {V}
  func.return %label, %z : index, {V}
}}"""
"""After Shiftry's example of section 7.1."""

NEGATED = f"""
func.func @moves(%X: {V}) -> (index, {V})
  attributes {{tdsl.interface = #tdsl.interface<input = <range = [-4.0, 4.0]>>}} {{
  %y = tdsl.neg %X : {V} -> {V}
  %label = tdsl.argmax %y : {V}
  func.return %label, %y : index, {V}
}}"""

M = f"memref<8x1x{Q}>"
TO_AND_FRO = f"""
func.func @moves(%X: {M}) -> (index, {M})
  attributes {{tdsl.interface = #tdsl.interface<input = <range = [-4.0, 4.0]>>}} {{
  %arena = scratch.arena {{alignment = 2 : i64}} : memref<20xi8>
  %a = scratch.view %arena[0] : memref<20xi8> to {M}
  %b = scratch.view %arena[4] : memref<20xi8> to {M}
  %c = scratch.view %arena[2] : memref<20xi8> to {M}
  tdsl.neg %X : {M} into %a : {M}
  scratch.move %a to %b : {M} to {M}
  %label = tdsl.argmax %b : {M}
  scratch.move %b to %c : {M} to {M}
  func.return %label, %c : index, {M}
}}"""
"""Up and down, to where most of it lies already."""


def parse(text: str) -> ModuleOp:
    module = Parser(context(), text).parse_module()
    module.verify()
    return module


def write(buffers: ModuleOp, folder: Path) -> None:
    """Write the C of a packed program at L2 to a folder."""
    ctx = context()
    options = {"target": "uno"}
    lowered(buffers, ctx, start="buffers-to-loops", **options)
    for file, extension in (("source", "c"), ("header", "h")):
        stream = io.StringIO()
        CTarget("uno", file).emit(ctx, buffers, stream)
        (folder / f"moves.{extension}").write_text(stream.getvalue())


@pytest.fixture(scope="module", params=["defragmentation", "to and fro"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[ModuleOp, Path]:
    """A program at L1 and the folder of its C."""
    folder = tmp_path_factory.mktemp("moves")
    if request.param == "to and fro":
        formats, buffers = parse(NEGATED), parse(TO_AND_FRO)
        CheckPackingPass().apply(context(), buffers)
    else:
        formats, buffers = parse(FRAGMENTED), parse(FRAGMENTED)
        pipelines.run(
            buffers,
            context(),
            [LowerTdslToScratchPass(), PackScratchPass(packer="shiftry", limit=50), CheckPackingPass()],
        )
    assert any(isinstance(op, MoveOp) for op in buffers.walk())
    write(buffers, folder)
    return formats, folder


@pytest.mark.long
@pytest.mark.parametrize("device", spread(DEVICES, 4))
def test_devices_equal_the_evaluator(program: tuple[ModuleOp, Path], device: str) -> None:
    formats, folder = program
    inputs = np.random.default_rng(0).uniform(-4, 4, (12, 8))
    _, mismatch = run_on_device(folder, formats, inputs, target=device)
    assert mismatch is None

"""Hardware computes sums that are nested, continued or read from tables of other lengths as the loops of the program
do, with any number of elements in each iteration.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from interpreters import loops as loop_interpreter
from programs.hardware import need_simulator, verilog_of
from programs.printed import parse

from tinyml.dialects.context import context
from tinyml.runtime.devices.verilog_tools import IcarusSimulation
from tinyml.runtime.model.interface import Interface
from tinyml.transforms.loops.expand_nests import ExpandNestsPass

LENGTH = 16

PROGRAM = """
func.func @sums(%X: memref<16xi8>) -> memref<2xi32> {{
  %z = arith.constant 0 : i32
  %arena = scratch.arena {{alignment = 4 : i64}} : memref<8xi8>
  %y = scratch.view %arena[0 : i64] : memref<8xi8> to memref<2xi32>
  %W = scratch.constant dense<[3, -7, 5, 2, 11, -4, 9]> : tensor<7xi8> -> memref<7xi8, #scratch.flash>
  num.nest %i to 2 {{
{sums}
    memref.store %m, %y[%i] : memref<2xi32>
  }}
  func.return %y : memref<2xi32>
}}
"""

NESTED = """
    %m = num.reduce %z {first = 0 : i64, extent = 8 : i64, kinds = ["sum"]} : i32 -> i32 {
    ^bb0(%k: index, %c: i32):
      %n = num.reduce %c {first = 0 : i64, extent = 2 : i64, kinds = ["sum"]} : i32 -> i32 {
      ^bb0(%l: index, %d: i32):
        %at = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)> (%l, %k)
        %a = memref.load %X[%at] : memref<16xi8>
        %e = arith.extsi %a : i8 to i32
        %f = arith.addi %d, %e : i32
        num.next %f : i32
      }
      num.next %n : i32
    }
"""
"""The inner sum is expanded: an iteration of the outer sum adds two terms in turn."""

CHAINED = """
    %g, %m = num.reduce %z, %z {first = 0 : i64, extent = 16 : i64, kinds = ["sum", "sum"]} : i32, i32 -> i32, i32 {
    ^bb0(%k: index, %s: i32, %c: i32):
      %a = memref.load %X[%k] : memref<16xi8>
      %e = arith.extsi %a : i8 to i32
      %t = arith.addi %s, %e : i32
      %h = arith.addi %c, %t : i32
      num.next %t, %h : i32, i32
    }
"""
"""The term of the second sum is the first sum."""

TABLE = """
    %m = num.reduce %z {first = 0 : i64, extent = 5 : i64, kinds = ["sum"]} : i32 -> i32 {
    ^bb0(%k: index, %s: i32):
      %w = memref.load %W[%k] : memref<7xi8, #scratch.flash>
      %a = memref.load %X[%k] : memref<16xi8>
      %e = arith.extsi %w : i8 to i32
      %f = arith.extsi %a : i8 to i32
      %p = arith.muli %e, %f : i32
      %t = arith.addi %s, %p : i32
      num.next %t : i32
    }
"""
"""The table has seven entries, of which the sum reads five."""


@pytest.mark.parametrize("factor", [1, 2, 4])
@pytest.mark.parametrize("sums", [NESTED, CHAINED, TABLE], ids=["nested", "chained", "table"])
def test_sums(sums: str, factor: int, tmp_path: Path):
    need_simulator("iverilog")
    text = PROGRAM.format(sums=sums)
    inputs = np.random.default_rng(0).integers(-128, 128, (3, LENGTH)).astype(np.int8)
    interface = Interface("sums", "int8_t", LENGTH, "int32_t", 2, False)
    result = IcarusSimulation(verilog_of(parse(text)[1], factor=factor), tmp_path).run(interface, inputs)
    loops = parse(text)[1]
    ExpandNestsPass().apply(context(), loops)
    expected = [loop_interpreter.run(loops, one)[-1] for one in inputs]
    assert result.scores is not None
    np.testing.assert_array_equal(result.scores, np.stack(expected).reshape(3, -1))

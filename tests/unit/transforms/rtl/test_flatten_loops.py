"""A nest that can be flattened becomes a single loop if and only if this loop takes fewer cycles."""

from __future__ import annotations

import pytest
from xdsl.dialects import scf
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.transforms.rtl.flatten_loops import FlattenLoopsPass

NEST = """
func.func @f(%w: !rtl.memory<64, 8>) -> index {{
  %y = rtl.memory : !rtl.memory<64, 24>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.constant {rows} : index
  %n = arith.constant {columns} : index
  %start = arith.constant 7 : i24
  scf.for %i = %zero to %rows step %one {{
    {before}
    %s = scf.for %k = %zero to %n step %one iter_args(%c = {start}) -> (i24) {{
      %a = rtl.load %w[%k] : !rtl.memory<64, 8> -> i8
      %aw = arith.extsi %a : i8 to i24
      %t = arith.addi %c, %aw : i24
      scf.yield %t : i24
    }}
    {after}
  }}
  func.return %zero : index
}}
"""
LOADED = "%old = rtl.load %w[%i] : !rtl.memory<64, 8> -> i8\n    %old24 = arith.extsi %old : i8 to i24"
STORED = "rtl.store %s, %y[%i] : i24, !rtl.memory<64, 24>"


def is_flattened(rows: int, columns: int, before: str = "", after: str = "", start: str = "%start") -> bool:
    text = NEST.format(rows=rows, columns=columns, before=before, after=after, start=start)
    module = Parser(context(), text).parse_module()
    FlattenLoopsPass().apply(context(), module)
    return sum(isinstance(op, scf.ForOp) for op in module.walk()) == 1


@pytest.mark.parametrize(("rows", "columns"), [(2, 1), (2, 9), (3, 4), (7, 9)])
def test_a_loop_around_a_pipelined_one_costs_its_cycles(rows: int, columns: int):
    assert is_flattened(rows, columns, after=STORED)
    assert is_flattened(rows, columns)


def test_a_single_iteration_has_nothing_to_save():
    assert not is_flattened(1, 5, after=STORED)


@pytest.mark.parametrize(("columns", "flattened"), [(1, True), (2, True), (3, False), (9, False)])
def test_a_sum_that_begins_with_what_is_loaded_makes_iterations_wait(columns: int, flattened: bool):
    """If a flattened loop would load the initial value of a sum in every iteration, the initiation interval doubles.
    Flattening still saves cycles for one or two columns, but not for three or more.
    """
    assert [is_flattened(rows, columns, LOADED, STORED, "%old24") for rows in (2, 5)] == [flattened] * 2

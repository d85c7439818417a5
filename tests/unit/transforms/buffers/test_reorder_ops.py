"""The buffers whose place the result of a step may take, as `reorder-ops` states them in the ordering problem."""

from __future__ import annotations

from typing import Any

import pytest
from programs.printed import parse
from xdsl.dialects import func

from tinyml.transforms.buffers import reorder_ops
from tinyml.transforms.buffers.liveness.live_ranges import live_ranges

REORDER: Any = reorder_ops
PROGRAM = """
func.func @loop(%X: memref<4xf32>) -> memref<4xf32> {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %four = arith.constant 4 : index
  %a = scratch.alloc : memref<{size}xf32>
  %b = scratch.alloc : memref<4xf32>
  %y = scratch.alloc : memref<4xf32>
  tdsl.fill {{value = 1.0 : f64}} into %a : memref<{size}xf32>
  tdsl.fill {{value = 2.0 : f64}} into %b : memref<4xf32>
  scf.for %i = %zero to %four step %one {{
    %back = arith.subi %three, %i : index
    %p = scratch.slice %a[%{first}] : memref<{size}xf32> to memref<1xf32>
    %q = scratch.slice %b[%{second}] : memref<4xf32> to memref<1xf32>
    %s = scratch.slice %y[%i] : memref<4xf32> to memref<1xf32>
    tdsl.add %p, %q : memref<1xf32>, memref<1xf32> into %s : memref<1xf32>
  }}
  func.return %y : memref<4xf32>
}}
"""


def taken(**places: object) -> tuple[int | None, set[int]]:
    """The buffer that the loop computes, and the buffers whose place it may take; %a, %b and %y have the numbers 0 to
    2.

    places: the size of %a, and the indices at which the loop reads %a and %b.
    """
    _, module = parse(PROGRAM.format(**{"size": 4, **places}))
    [function] = module.body.block.ops
    assert isinstance(function, func.FuncOp)
    task = REORDER._Block(live_ranges(function), function.body.block).problem.tasks[-1]
    return task.makes, set(task.over)


@pytest.mark.parametrize(
    ("first", "second", "over"),
    [("i", "i", {0, 1}), ("i", "back", {0}), ("back", "i", {1}), ("back", "back", set[int]())],
)
def test_a_loop_may_take_the_place_of_what_it_reads_before_it_writes(first: str, second: str, over: set[int]):
    assert taken(first=first, second=second) == (2, over)


@pytest.mark.parametrize("size", [3, 5])
def test_a_buffer_of_another_size_keeps_its_place(size: int):
    assert taken(first="zero", second="i", size=size) == (2, {1})

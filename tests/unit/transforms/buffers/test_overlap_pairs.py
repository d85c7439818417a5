"""Overlaps between the buffers of a function."""

from typing import cast

from xdsl.dialects import func
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.transforms.buffers.liveness.live_ranges import buffers_by_location, live_ranges
from tinyml.transforms.buffers.overlap.overlaps import safe_distances
from tinyml.transforms.buffers.pack_scratch import rectangle

NEVER_WRITTEN = """
func.func @f() -> index {
  %a = scratch.alloc : memref<4xf32>
  %b = scratch.alloc : memref<4xf32>
  %c = scratch.alloc : memref<4xf32>
  tdsl.add %a, %b : memref<4xf32>, memref<4xf32> into %c : memref<4xf32>
  %l = tdsl.argmax %c : memref<4xf32>
  func.return %l : index
}
"""


def test_buffers_that_begin_together_do_not_overlap_in_turn():
    """An op that only reads two buffers is safe at any distance, both ways: the second may overlap the first."""
    module = Parser(context(), NEVER_WRITTEN).parse_module()
    live = live_ranges(cast(func.FuncOp, module.body.block.first_op))
    groups = buffers_by_location(live)
    distances = safe_distances(live.points, groups, [rectangle(live, members) for members in groups])
    assert distances == [{}, {0: 0}, {0: 0, 1: 0}]


CARRIED = """
func.func @carried(%n : index) -> memref<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = scratch.alloc : memref<4xf32>
  %b = scratch.alloc : memref<4xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%state = %a) -> (memref<4xf32>) {
    %c = scratch.alloc : memref<4xf32>
    tdsl.add %state, %b : memref<4xf32>, memref<4xf32> into %c : memref<4xf32>
    tdsl.relu %c : memref<4xf32> into %state : memref<4xf32>
    scf.yield %state : memref<4xf32>
  }
  func.return %r : memref<4xf32>
}
"""


def test_the_range_of_a_single_buffer_is_that_among_all():
    function = cast(func.FuncOp, Parser(context(), CARRIED).parse_module().body.block.first_op)
    ranges = live_ranges(function).ranges
    assert len(ranges) == 3
    for buffer, range in ranges.items():
        assert live_ranges(function, buffer).ranges == {buffer: range}

"""Lane functions as programs for composers, and functions that are rejected."""

import pytest
from xdsl.dialects import arith, memref
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.context import context
from tinyml.dialects.num import LaneFunctionOp
from tinyml.dialects.num.kernels.lane_programs import Element, LaneProgram
from tinyml.dialects.num.kernels.lane_readers import lane_program
from tinyml.dialects.num.kernels.lane_unrolling import unrolled

POOL = """
num.lane_function @pool(%x : memref<9xi8>, %out : memref<7xi8>) at %i to 7 {
  %zero = arith.constant 0 : i32
  %sum = num.reduce %zero {first = 0 : i64, extent = 3 : i64, kinds = ["sum"]} : i32 -> i32 {
  ^bb0(%j : index, %total : i32):
    %at = affine.apply affine_map<(d0, d1) -> (d0 + d1)> (%i, %j)
    %loaded = memref.load %x[%at] : memref<9xi8>
    %wide = arith.extsi %loaded : i8 to i32
    %next = arith.addi %total, %wide : i32
    num.next %next : i32
  }
  %middle = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
  %again = memref.load %x[%middle] : memref<9xi8>
  %narrow = arith.trunci %sum : i32 to i8
  memref.store %narrow, %out[%i] : memref<7xi8>
}
"""

JOINED_ROWS = """
num.lane_function @rows(%w : memref<12xi8>, %v : memref<3xi8>, %out : memref<1xi32>) {
  %zero = arith.constant 0 : i32
  %at = arith.constant 0 : index
  %all = num.reduce %zero {first = 2 : i64, extent = 6 : i64, kinds = ["sum"]} : i32 -> i32 {
  ^bb0(%i : index, %before : i32):
    %sum = num.reduce %zero {first = 0 : i64, extent = 3 : i64, kinds = ["sum"]} : i32 -> i32 {
    ^bb1(%k : index, %total : i32):
      %place = affine.apply affine_map<(d0, d1) -> (3 * d0 + d1 + START)> (%i, %k)
      %row = memref.load %w[%place] : memref<12xi8>
      %wide = arith.extsi %row : i8 to i32
      %element = memref.load %v[%k] : memref<3xi8>
      %wider = arith.extsi %element : i8 to i32
      %product = arith.muli %wide, %wider : i32
      %next = arith.addi %total, %product : i32
      num.next %next : i32
    }
    %joined = arith.addi %before, %sum : i32
    num.next %joined : i32
  }
  memref.store %all, %out[%at] : memref<1xi32>
}
"""


def program(text: str) -> LaneProgram:
    function = Parser(context(), text).parse_op()
    assert isinstance(function, LaneFunctionOp)
    function.verify_()
    return lane_program(function)


def test_unrolled_loops_load_an_element_once():
    """A window has three elements, and one of them is read again afterwards. The unrolled function loads each element
    once.
    """
    flat = unrolled(program(POOL))
    assert list(flat.accesses.values()) == [Element(0, offset, ()) for offset in range(3)]
    # The sum begins with 0.
    assert [type(op) for op in flat.ops if not isinstance(op, memref.LoadOp | memref.StoreOp)] == [arith.AddiOp] * 2
    assert flat.reach == [9, 7]


def test_intervals_follow_from_operands():
    flat = unrolled(program(POOL))
    assert sorted(flat.intervals.values()) == [(-384, 381), (-256, 254), *[(-128, 127)] * 3]


def test_the_digest_ignores_names():
    assert program(POOL).digest == program(POOL.replace("%wide", "%other").replace("@pool", "@sum")).digest
    assert program(POOL).digest != program(POOL.replace("(d0 + 1)", "(d0 + 2)")).digest


def test_joined_rows_begin_at_the_first_lane():
    """A function adds the products of one row of a matrix for each lane, and its lanes have the numbers 2 to 5. It is
    accepted if the row of lane 2 begins at the first element of the matrix. If the row of lane 0 begins there, it is
    rejected.
    """
    joined = program(JOINED_ROWS.replace("START", "-6"))
    assert [sum.pitch for sum in joined.sums.values()] == [3]
    assert (joined.count, joined.reach) == (4, [12, 3, 1])
    with pytest.raises(VerifyException, match="a lane loads the element behind that of the lane before"):
        program(JOINED_ROWS.replace("START", "0"))

"""The C of a lane function contains no variable that it does not use."""

from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.num import LaneFunctionOp
from tinyml.dialects.num.kernels.lane_readers import lane_program
from tinyml.targets.c.composer.loops_in_c import loop_in_c

SUM = """
num.lane_function @sum(%start : memref<1xi32>, %x : memref<7xi16>, %out : memref<1xi32>) {
  %zero = arith.constant 0 : index
  %begin = memref.load %start[%zero] : memref<1xi32>
  %sum = num.reduce %begin {first = 0 : i64, extent = 7 : i64, kinds = ["sum"]} : i32 -> i32 {
  ^bb0(%i : index, %total : i32):
    %loaded = memref.load %x[%i] : memref<7xi16>
    %wide = arith.extsi %loaded : i16 to i32
    %next = arith.addi %total, %wide : i32
    num.next %next : i32
  }
  memref.store %sum, %out[%zero] : memref<1xi32>
}
"""


def test_what_all_iterations_share_has_no_variable():
    """An element that all iterations share becomes the initial value of a sum. The loop contains no variable for it,
    which would be unused.
    """
    function = Parser(context(), SUM).parse_op()
    assert isinstance(function, LaneFunctionOp)
    assert loop_in_c(lane_program(function)).splitlines() == [
        "    int32_t all = x0[0];",
        "    for (int i = 0; i < 7; i++) {",
        "        const int32_t v1 = x1[i];",
        "        all += v1;",
        "    }",
        "    out[0] = (int32_t)all;",
    ]

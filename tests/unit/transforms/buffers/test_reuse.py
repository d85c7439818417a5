"""The choice of the operand whose memory a result reuses."""

import pytest
from programs.printed import parse
from xdsl.dialects import func

from tinyml.dialects.scratch import ReuseOp
from tinyml.transforms.buffers.overlap.overlaps import exchange_sources

PROGRAM = """
func.func @sums(%X: memref<1x4xf32>) -> memref<1x4xf32> {{
  %early = scratch.alloc : memref<1x4xf32>
  %late = scratch.alloc : memref<1x4xf32>
  %longer = scratch.alloc : memref<1x5xf32>
  %sum = scratch.reuse %early : memref<1x4xf32> as memref<1x4xf32>
  tdsl.exp %X : memref<1x4xf32> into %early : memref<1x4xf32>
  tdsl.exp %early : memref<1x4xf32> into %late : memref<1x4xf32>
  tdsl.fill {{value = 0.0 : f64}} into %longer : memref<1x5xf32>
  tdsl.add %early, %late : memref<1x4xf32>, memref<1x4xf32> into %sum : memref<1x4xf32>
  {then}
  func.return %sum : memref<1x4xf32>
}}
"""


def reuses(then: str = "") -> tuple[func.FuncOp, ReuseOp]:
    _, module = parse(PROGRAM.format(then=then))
    [function] = module.body.block.ops
    assert isinstance(function, func.FuncOp)
    [reuse] = (op for op in function.walk() if isinstance(op, ReuseOp))
    return function, reuse


@pytest.mark.parametrize(("late", "exchanged"), [(990, True), (991, False)])
def test_a_result_takes_the_other_operands_place_if_that_saves_a_hundredth(late: int, exchanged: bool):
    function, reuse = reuses()
    shares: list[float] = []

    def height(share: float) -> int:
        shares.append(share)
        return {"early": 1000, "late": late}[reuse.source.name_hint or ""]

    early = reuse.source
    former = exchange_sources(function, height)
    assert former == ({reuse: early} if exchanged else {})
    assert reuse.source.name_hint == ("late" if exchanged else "early")
    assert sum(shares) <= 1


def test_an_operand_that_is_still_read_keeps_its_place():
    function, reuse = reuses(then="%k = tdsl.argmax %late : memref<1x4xf32>")
    assert exchange_sources(function, lambda share: pytest.fail("nothing to compare")) == {}
    assert reuse.source.name_hint == "early"

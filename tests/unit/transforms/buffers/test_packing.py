"""Packing passes and their errors. Rectangles are tested in test_packing_modes.py, programs in
test_packing_programs.py.
"""

from typing import cast

import pytest
from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import Builtin, IntegerAttr, ModuleOp, i64
from xdsl.parser import Parser

from tinyml.dialects.errors import InputError
from tinyml.dialects.scratch import ViewOp
from tinyml.tools.universe import DIALECTS
from tinyml.transforms.buffers.check_packing import CheckPackingPass
from tinyml.transforms.buffers.liveness.live_ranges import memory_map
from tinyml.transforms.buffers.pack_scratch import PackScratchPass


def context() -> Context:
    made = Context()
    for dialect in (Builtin, func.Func, scf.Scf, arith.Arith, *(make() for make in DIALECTS.values())):
        made.load_dialect(dialect)
    return made


def parse(text: str) -> ModuleOp:
    return Parser(context(), text).parse_module()


def function_of(module: ModuleOp) -> func.FuncOp:
    return cast(func.FuncOp, module.body.block.first_op)


def pack(module: ModuleOp, align: int = 1) -> None:
    PackScratchPass(align=align).apply(context(), module)
    module.verify()


def check(module: ModuleOp) -> None:
    CheckPackingPass().apply(context(), module)


def views_of(module: ModuleOp) -> list[ViewOp]:
    return [op for op in module.walk() if isinstance(op, ViewOp)]


PAIR = """
func.func @f(%X: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
  %a = scratch.alloc : memref<4xf32>
  %0 = scratch.alloc : memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %a : memref<4xf32>
  tdsl.exp %a : memref<4xf32> into %0 : memref<4xf32>
  func.return %0, %a : memref<4xf32>, memref<4xf32>
}
"""


def test_the_memory_map_reads_the_packed_function():
    module = parse(PAIR)
    pack(module)
    assert memory_map(function_of(module)) == [("a", 0, 16, 0, 2), ("buffer1", 16, 16, 1, 2)]


def test_the_memory_map_needs_live_ranges():
    module = parse(PAIR)
    pack(module)
    for view in views_of(module):
        del view.properties["live"]
    with pytest.raises(InputError, match="a has no live range"):
        memory_map(function_of(module))


def test_packing_twice_changes_nothing():
    module = parse(PAIR)
    pack(module)
    once = str(module)
    pack(module)
    assert str(module) == once


def test_the_limit_may_be_reached():
    PackScratchPass(limit=32).apply(context(), parse(PAIR))
    complaint = "takes 32 bytes, the limit is 31; .* of 32 bytes, 'tdsl.exp': a .16 bytes., buffer1 .16 bytes.$"
    with pytest.raises(InputError, match=complaint):
        PackScratchPass(limit=31).apply(context(), parse(PAIR))


def test_empty_buffers_need_nothing():
    module = parse(PAIR.replace("memref<4xf32>", "memref<0xf32>"))
    pack(module)
    check(module)
    assert [line.offset for line in memory_map(function_of(module))] == [0, 0]


def test_a_loop_does_not_hand_on_what_it_allocates():
    module = parse("""
      func.func @f(%X: memref<4xf32>) -> memref<4xf32> {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %y = scf.for %i = %c0 to %c1 step %c1 iter_args(%s = %X) -> (memref<4xf32>) {
          %t = scratch.alloc : memref<4xf32>
          tdsl.exp %s : memref<4xf32> into %t : memref<4xf32>
          scf.yield %t : memref<4xf32>
        }
        func.return %y : memref<4xf32>
      }
    """)
    with pytest.raises(InputError, match=r"t leaves the iteration of 'scf\.for' that allocates it"):
        pack(module)


@pytest.mark.parametrize("offset", [-4, 20])
def test_the_validator_looks_at_the_ends_itself(offset: int):
    module = parse(PAIR)
    pack(module)
    views_of(module)[1].properties["offset"] = IntegerAttr(offset, i64)
    with pytest.raises(InputError, match="lies outside the arena of 32 bytes"):
        check(module)

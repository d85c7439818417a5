"""Packing: rectangles against exhaustive search, and what passes refuse. Whole programs: test_packing_programs.py."""

from itertools import permutations
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import Builtin, IntegerAttr, ModuleOp, i64
from xdsl.parser import Parser

from tinyml.dialects.errors import InputError
from tinyml.dialects.scratch import ViewOp
from tinyml.tools.universe import DIALECTS
from tinyml.transforms.check_packing import CheckPackingPass
from tinyml.transforms.live_ranges import memory_map
from tinyml.transforms.pack_scratch import PackScratchPass
from tinyml.transforms.packing import MODES, Rectangle, find_peak, first_fit, lower_bound


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


@st.composite
def rectangles(draw: st.DrawFn, most: int) -> list[Rectangle]:
    def one(index: int) -> Rectangle:
        first = draw(st.integers(0, 8))
        last = first + draw(st.integers(0, 4))
        return Rectangle(f"r{index}", draw(st.integers(0, 12)), draw(st.sampled_from([1, 2, 4])), first, last)

    return [one(i) for i in range(draw(st.integers(0, most)))]


def share_a_point(a: Rectangle, b: Rectangle) -> bool:
    return bool({*range(a.first, a.last + 1)} & {*range(b.first, b.last + 1)})


def exhaustive_height(given: list[Rectangle]) -> int:
    """The least height: some order of placing at the lowest free offset reaches it."""
    heights: list[int] = []
    for order in permutations(given):
        taken: list[tuple[Rectangle, int]] = []
        for one in order:
            offset = 0
            while any(
                share_a_point(one, other) and offset < start + other.size and start < offset + one.size
                for other, start in taken
            ):
                offset += one.alignment
            taken.append((one, offset))
        heights.append(max((offset + one.size for one, offset in taken), default=0))
    return min(heights)


@given(rectangles(most=20), st.sampled_from(sorted(MODES)))
def test_every_mode_places_rectangles_apart(given: list[Rectangle], mode: str):
    placement = MODES[mode](given)
    placed = list(zip(given, placement.offsets, strict=True))
    assert placement.height == max((offset + one.size for one, offset in placed), default=0)
    assert placement.height >= lower_bound(given)
    assert MODES[mode](given) == placement
    for i, (one, start) in enumerate(placed):
        assert start >= 0
        assert start % one.alignment == 0
        for other, other_start in placed[:i]:
            apart = start + one.size <= other_start or other_start + other.size <= start
            assert apart or not share_a_point(one, other)


@given(rectangles(most=4))
def test_the_lower_bound_is_one(given: list[Rectangle]):
    assert lower_bound(given) <= exhaustive_height(given) <= first_fit(given).height


def test_a_buffer_belongs_to_no_point_after_its_last():
    relay = [Rectangle(str(i), 10, 1, 2 * i, 2 * i + 1) for i in range(4)]
    assert lower_bound(relay) == first_fit(relay).height == 10
    meeting = [Rectangle(str(i), 10, 1, i, i + 1) for i in range(4)]
    assert lower_bound(meeting) == first_fit(meeting).height == 20


def test_the_better_of_the_two_orders_counts():
    by_size_wins = [Rectangle("a", 1, 1, 0, 1), Rectangle("b", 1, 1, 0, 3), Rectangle("c", 2, 1, 2, 4)]
    assert first_fit(by_size_wins).height == 3
    by_start_wins = [
        Rectangle("a", 6, 2, 0, 1),
        Rectangle("b", 6, 2, 1, 4),
        Rectangle("c", 15, 1, 2, 3),
    ]
    assert first_fit(by_start_wins).height == 22


def test_the_peak_counts_padding_between_aligned_buffers():
    peak = find_peak([Rectangle("a", 3, 4, 0, 0), Rectangle("b", 3, 4, 1, 2), Rectangle("c", 2, 4, 2, 2)])
    assert (peak.point, peak.bytes, peak.alive) == (2, 6, (1, 2))


PAIR = """
func.func @f(%X: memref<4xf32>) -> memref<4xf32> {
  %a = scratch.alloc : memref<4xf32>
  %0 = scratch.alloc : memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %a : memref<4xf32>
  tdsl.exp %a : memref<4xf32> into %0 : memref<4xf32>
  func.return %0 : memref<4xf32>
}
"""


def test_the_memory_map_reads_the_packed_function():
    module = parse(PAIR)
    pack(module)
    assert memory_map(function_of(module)) == [("a", 0, 16, 0, 1), ("buffer1", 16, 16, 1, 2)]


def test_the_memory_map_needs_live_ranges():
    module = parse(PAIR)
    pack(module)
    for view in views_of(module):
        del view.properties["live"]
    with pytest.raises(InputError, match="a does not say when it is alive"):
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

"""The safe distances at which buffers of a function may overlap."""

from collections.abc import Collection
from itertools import product
from typing import cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from programs.spread import examples
from xdsl.dialects import func, scf
from xdsl.ir import SSAValue
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.scratch import AllocOp
from tinyml.dialects.tdsl import TensorOp
from tinyml.transforms.buffers.liveness.live_ranges import buffers_by_location, live_ranges
from tinyml.transforms.buffers.overlap import byte_times, overlap_distance
from tinyml.transforms.buffers.overlap.byte_times import overwrites, reads_precede_writes
from tinyml.transforms.buffers.overlap.op_steps import Steps, steps_of
from tinyml.transforms.buffers.overlap.overlap_distance import fills
from tinyml.transforms.buffers.overlap.overlap_distance import safe_distances as safe_distances_of
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
    """Two buffers that one op reads and none writes may overlap at any distance. Only one direction is listed: the
    second buffer may overlap the first.
    """
    module = Parser(context(), NEVER_WRITTEN).parse_module()
    live = live_ranges(cast(func.FuncOp, module.body.block.first_op))
    groups = buffers_by_location(live)
    distances = safe_distances(live.points, groups, [rectangle(live, members) for members in groups])
    assert distances == [{}, {0: 0}, {0: 0, 1: 0}]


def test_steps_of_a_concatenation_are_found_once_for_all_parts(monkeypatch: pytest.MonkeyPatch):
    """In a concatenation of parts of 4 bytes, i parts of the result are written before part i is read. The safe
    distance of part i is 4 i, except for part 0, for which it is -4. The accesses of the op are enumerated once.
    """
    count = 40
    parts = range(count)
    allocs = "".join(f"%p{i} = scratch.alloc : memref<1xf32>\n" for i in parts)
    fills = "".join(f"tdsl.fill {{value = {i}.0 : f64}} into %p{i} : memref<1xf32>\n" for i in parts)
    names, types = ", ".join(f"%p{i}" for i in parts), ", ".join("memref<1xf32>" for _ in parts)
    module = Parser(
        context(),
        f"func.func @f() -> memref<40xf32> {{\n{allocs}%r = scratch.alloc : memref<40xf32>\n{fills}"
        f"tdsl.concat {names} {{axis = 0 : i64}} : {types} into %r : memref<40xf32>\n"
        "func.return %r : memref<40xf32>\n}",
    ).parse_module()
    live = live_ranges(cast(func.FuncOp, module.body.block.first_op))
    groups = buffers_by_location(live)
    asked = list[TensorOp]()

    def counted(op: TensorOp, buffers: Collection[SSAValue]) -> list[Steps]:
        asked.append(op)
        return steps_of(op, buffers)

    for module_that_asks in (overlap_distance, byte_times):
        monkeypatch.setattr(module_that_asks, "steps_of", counted)
    distances = safe_distances(live.points, groups, [rectangle(live, members) for members in groups])
    assert distances[-1] == {i: 4 * i or -4 for i in parts}
    assert len(asked) == 1
    values = [members[0].result for members in groups]
    concat = live.points[count]
    for less, precede in ((0, True), (4, False)):
        shifts: dict[SSAValue, int] = {value: less - distances[-1][i] for i, value in enumerate(values[1:count], 1)}
        assert reads_precede_writes(concat, values[-1], shifts) == dict.fromkeys(shifts, precede)
    assert len(asked) == 3


def nest(trips: tuple[int, int], ops: list[tuple[str, int, int, int]]) -> str:
    """The text of two loops with ops on slices of `z`, `w` and `y` and on windows of `x`.

    trips: the numbers of iterations of the outer and the inner loop.
    ops: for each op, `window` or its operand and result, the factors of both loop indices in its index, and the
        constant term.
    """
    body = "%all = scratch.slice %w[%c0] : memref<1x2x2x1xf32> to memref<4xf32>"
    sizes = {"z": 24, "y": 24, "all": 4}
    for n, (name, first, second, start) in enumerate(ops):
        body += f"""
          %a{n} = arith.muli %i, %c{first} : index
          %b{n} = arith.muli %j, %c{second} : index
          %s{n} = arith.addi %a{n}, %b{n} : index
          %at{n} = arith.addi %s{n}, %c{start} : index"""
        if name == "window":
            inside = "{dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>}"
            body += f"\ntdsl.window %x[%i, %at{n}] {inside} : memref<1x4x16x1xf32> into %w : memref<1x2x2x1xf32>"
            continue
        for part, buffer in zip("pq", name.split(" to "), strict=True):
            at = "%c0" if buffer == "all" else f"%at{n}"
            body += f"\n%{part}{n} = scratch.slice %{buffer}[{at}] : memref<{sizes[buffer]}xf32> to memref<2xf32>"
        body += f"\ntdsl.relu %p{n} : memref<2xf32> into %q{n} : memref<2xf32>"
    constants = "\n".join(f"%c{value} = arith.constant {value} : index" for value in range(4))
    return f"""func.func @f() {{
      {constants}
      %x = scratch.alloc : memref<1x4x16x1xf32>
      %z = scratch.alloc : memref<24xf32>
      %w = scratch.alloc : memref<1x2x2x1xf32>
      %y = scratch.alloc : memref<24xf32>
      scf.for %i = %c0 to %c{trips[0]} step %c1 {{
        scf.for %j = %c0 to %c{trips[1]} step %c1 {{
          {body}
        }}
      }}
      func.return
    }}"""


NUMBERS = st.integers(0, 3)
OPS = st.tuples(st.sampled_from(["window", "z to y", "z to all", "all to y"]), NUMBERS, NUMBERS, NUMBERS)


@pytest.mark.long
@settings(max_examples=examples(25))
@example((1, 2), [("window", 0, 0, 0), ("z to y", 0, 1, 0)])
@example((1, 2), [("window", 0, 0, 0), ("all to y", 0, 1, 0)])
@given(st.tuples(st.integers(1, 3), st.integers(1, 3)), st.lists(OPS, min_size=1, max_size=4))
def test_execution_confirms_what_is_known_of_a_nest(trips: tuple[int, int], ops: list[tuple[str, int, int, int]]):
    """At the safe distance, every byte of an operand is read for the last time before the result overwrites it.

    Iterations that are executed together lead to the same answers as iterations that are executed one by one. A nest
    that fills a buffer writes each byte before it reads it.
    """
    module = Parser(context(), nest(trips, ops)).parse_module()
    loop = next(op for op in module.walk() if isinstance(op, scf.ForOp))
    buffers = {op.result.name_hint: op.result for op in module.walk() if isinstance(op, AllocOp)}
    for operand, result in product("xz", "wy"):
        read, written = buffers[operand], buffers[result]
        [distance] = safe_distances_of(loop, [{read}], {written})
        assert distance is not None
        assert reads_precede_writes(loop, written, {read: -distance})[read], (operand, result, distance)
        for shift in range(-distance, 2 - distance):
            together = reads_precede_writes(loop, written, {read: shift})
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(byte_times, "_AT_ONCE", 0)
                assert together == reads_precede_writes(loop, written, {read: shift}), (operand, result, shift)
    for result in (buffers["w"], buffers["y"]):
        assert fills(loop, result) == overwrites(loop, result)

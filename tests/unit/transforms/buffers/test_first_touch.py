"""`points_before` returns the program points from the first op that accesses a buffer to the point before a later
access. They equal those computed from the live ranges of all buffers.
"""

from collections.abc import Sequence
from itertools import product
from random import Random
from typing import cast

import pytest
from programs.spread import examples
from xdsl.dialects import func, scf
from xdsl.ir import Operation
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.scratch import AllocOp
from tinyml.transforms.buffers.forward_inserts import points_before
from tinyml.transforms.buffers.liveness.live_ranges import erase_dead_buffers, is_point, live_ranges

TYPE = "memref<4xf32>"


class Text:
    """A random function on buffers of four numbers each, to which ops are added as text."""

    def __init__(self, random: Random):
        self.random = random
        self.lines: list[str] = []
        self.values = 0

    def fresh(self) -> str:
        self.values += 1
        return f"%v{self.values}"

    def block(self, buffers: Sequence[str], depth: int) -> list[str]:
        """Write random ops on the buffers in scope, and return these buffers and those that the block adds.

        depth: the number of loops and branches around the block, at most 2.
        """
        scope = list(buffers)
        kinds = ["alloc", "alloc", "relu", "add", "view"] + ["for", "if", "carry"] * (depth < 2)
        for kind in self.random.choices(kinds, k=9 - 3 * depth):
            one, two, three = self.random.choices(scope[-3:], k=3)
            match kind:
                case "alloc":
                    name = self.fresh()
                    kept = self.random.choice([""] * 9 + ["{state} "])
                    self.lines.append(f"{name} = scratch.alloc {kept}: {TYPE}")
                    scope.append(name)
                case "relu":
                    self.lines.append(f"tdsl.relu {one} : {TYPE} into {two} : {TYPE}")
                case "add":
                    self.lines.append(f"tdsl.add {one}, {two} : {TYPE}, {TYPE} into {three} : {TYPE}")
                case "view":
                    name = self.fresh()
                    self.lines.append(f"{name} = scratch.slice {one}[%c0] : {TYPE} to {TYPE}")
                    scope.append(name)
                case "carry":
                    name, inner = self.fresh(), self.fresh()
                    head = f"{name} = scf.for {self.fresh()} = %c0 to %n step %c1"
                    self.lines.append(f"{head} iter_args({inner} = {one}) -> ({TYPE}) {{")
                    last = self.random.choice([inner, *self.block([*scope, inner], depth + 1)])
                    self.lines.append(f"scf.yield {last} : {TYPE}\n}}")
                    scope.append(name)
                case _:
                    loop = f"scf.for {self.fresh()} = %c0 to %n step %c1 {{"
                    self.lines.append(loop if kind == "for" else "scf.if %b {")
                    self.block(scope, depth + 1)
                    self.lines.append("}")
        return scope


def function_of(random: Random) -> func.FuncOp:
    """A random function without dead buffers."""
    text = Text(random)
    text.lines += [f"func.func @f(%n : index, %b : i1, %x : {TYPE}) {{"]
    text.lines += [f"%c{number} = arith.constant {number} : index" for number in (0, 1)]
    text.lines += [f"%a = scratch.alloc : {TYPE}"]
    text.block(["%x", "%a"], 0)
    lines = "\n".join([*text.lines, "func.return", "}"])
    function = cast(func.FuncOp, Parser(context(), lines).parse_module().body.block.first_op)
    erase_dead_buffers(function)
    return function


def by_all_ranges(function: func.FuncOp, last: Operation, alloc: AllocOp) -> list[Operation] | None:
    live = live_ranges(function)
    first, end = live.ranges[alloc]
    if not 0 <= first < end or live.points[end] is not last or live.points[first].parent is not last.parent:
        return None
    return list(live.points[first:end])


@pytest.mark.long
def test_the_points_before_an_op_are_those_of_all_live_ranges():
    """In random functions, for each op that accesses a buffer, `points_before` returns the points that are computed
    from the live ranges of all buffers. Functions whose buffers leave their loops are skipped.
    """
    random = Random(0)
    found = {"none": 0, "some": 0, "in a loop": 0}
    for _ in range(examples(100)):
        function = function_of(random)
        try:
            live_ranges(function)
        except InputError:
            continue
        ops = list(function.body.walk())
        for alloc, last in product((op for op in ops if isinstance(op, AllocOp)), ops):
            if alloc.result not in last.operands or not is_point(last) or last.regions:
                continue
            points = points_before(last, alloc)
            assert points == by_all_ranges(function, last, alloc), f"{last} of {function}"
            inner = isinstance(last.parent_op(), scf.ForOp)
            found["none" if points is None else "in a loop" if inner else "some"] += 1
    assert all(found.values()), found

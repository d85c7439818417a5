"""Packing of random programs: in one arena they compute the results of programs with separate buffers.

Programs run on symbolic bytes. A byte that has not been written is unknown, as is every value computed from it; an
unknown byte may have any value in the arena. Elementwise ops, reversals and insertions read and write one element after
another, as the loops do to which they are lowered.
"""

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass
from math import prod
from typing import cast

import pytest
from hypothesis import event, example, given, reject, settings
from hypothesis import strategies as st
from programs.buffers import programs
from programs.spread import examples
from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import Builtin, IntegerAttr, MemRefType, ModuleOp, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.parser import Parser
from xdsl.rewriter import InsertPoint, Rewriter

from tinyml.dialects.errors import InputError
from tinyml.dialects.scratch import (
    AllocOp,
    ArenaOp,
    MoveOp,
    ReuseOp,
    SliceOp,
    ViewOp,
    element_bytes,
    memref_type,
    size_in_bytes,
)
from tinyml.dialects.tdsl import ArgmaxOp, InsertSliceOp, ReverseOp
from tinyml.dialects.tdsl.base import TensorOp
from tinyml.tools.universe import DIALECTS
from tinyml.transforms.buffers.check_packing import CheckPackingPass
from tinyml.transforms.buffers.forward_inserts import ForwardInsertsPass
from tinyml.transforms.buffers.pack_scratch import PackScratchPass
from tinyml.transforms.buffers.reorder_ops import ReorderOpsPass
from tinyml.transforms.buffers.update_in_place import UpdateInPlacePass

CONTEXT = Context()
for dialect in (Builtin, func.Func, scf.Scf, arith.Arith, *(make() for make in DIALECTS.values())):
    CONTEXT.load_dialect(dialect)

Byte = Hashable
"""A symbolic value, None if unknown."""


@dataclass(eq=False)
class Buffer:
    """A range of bytes in a memory."""

    memory: list[Byte]
    start: int
    size: int

    def read(self) -> tuple[Byte, ...]:
        return tuple(self.memory[self.start : self.start + self.size])

    def element(self, i: int, count: int) -> "Buffer":
        size = self.size // count
        return Buffer(self.memory, self.start + i * size, size)

    def write(self, values: list[Byte]) -> None:
        self.memory[self.start : self.start + self.size] = values


def given_bytes(size: int) -> list[Byte]:
    """The symbolic bytes of the input, which the caller writes."""
    return [("input", i) for i in range(size)]


class Machine:
    """An interpreter that records all observable effects of a function: its results and its writes to memory of the
    caller.
    """

    def __init__(self, module: ModuleOp, which: bool) -> None:
        self.function = cast(func.FuncOp, module.body.block.first_op)
        self.seen: defaultdict[int, list[tuple[Byte, ...]]] = defaultdict(list)
        self.values: dict[SSAValue, object] = {}
        for argument in self.function.args:
            if isinstance(argument.type, MemRefType):
                size = size_in_bytes(memref_type(argument))
                self.values[argument] = Buffer([(argument.index, i) for i in range(size)], 0, size)
            else:
                self.values[argument] = which
        self.run(self.function.body.block)

    def buffer(self, value: SSAValue) -> Buffer:
        return cast(Buffer, self.values[value])

    def run(self, block: Block) -> list[object]:
        """Run a block, with two iterations of each loop, and return the operands of its `scf.yield`; empty if it ends
        with another op.
        """
        for op in block.ops:
            match op:
                case scf.YieldOp():
                    return [self.values[value] for value in op.operands]
                case func.ReturnOp():
                    self.seen[number_of(op)] += [self.buffer(value).read() for value in op.operands]
                case scf.ForOp():
                    carried = [self.values[value] for value in op.iter_args]
                    for i in range(2):
                        self.values.update(zip(op.body.block.args, [i, *carried], strict=True))
                        carried = self.run(op.body.block)
                    self.values.update(zip(op.results, carried, strict=True))
                case scf.IfOp():
                    region = op.true_region if self.values[op.cond] else op.false_region
                    handed_on = self.run(region.block) if region.blocks else []
                    self.values.update(zip(op.results, handed_on, strict=True))
                case _:
                    self.step(op)
        return []

    def step(self, op: Operation) -> None:
        match op:
            case arith.ConstantOp():
                self.values[op.result] = cast(IntegerAttr, op.value).value.data
            case arith.CmpiOp():
                self.values[op.result] = self.values[op.lhs] == self.values[op.rhs]
            case AllocOp():
                size = size_in_bytes(memref_type(op.result))
                nothing: list[Byte] = [None] * size
                memory = nothing if op.input is None else given_bytes(size)
                self.values[op.result] = Buffer(memory, 0, size)
            case ArenaOp():
                self.values[op.result] = [("garbage", i) for i in range(op.size)]
            case ViewOp():
                arena, size = cast("list[Byte]", self.values[op.arena]), size_in_bytes(memref_type(op.result))
                self.values[op.result] = Buffer(arena, op.offset.value.data, size)
                if op.input is not None:
                    self.buffer(op.result).write(given_bytes(size))
            case SliceOp():
                source, type = self.buffer(op.source), memref_type(op.result)
                skipped = cast(int, self.values[op.offset]) * element_bytes(type)
                part = Buffer(source.memory, source.start + skipped, size_in_bytes(type))
                self.values[op.result] = part
            case ArgmaxOp():
                self.seen[number_of(op)].append(self.buffer(op.input).read())
            case MoveOp():
                self.buffer(op.dest).write(list(self.buffer(op.source).read()))
            case InsertSliceOp():
                self.insert(op)
            case TensorOp():
                self.compute(op)
            case _:
                raise AssertionError(op.name)

    def compute(self, op: TensorOp) -> None:
        assert op.dest is not None
        dest, *operands = (self.buffer(value) for value in (op.dest, *op.inputs))
        count = prod(memref_type(op.dest).get_shape())
        if isinstance(op, ReverseOp):
            for i in range(count):
                part = dest.element(i, count)
                part.write(self.result(op, [operands[0].element(count - 1 - i, count).read()], part.size))
            return
        single = {one: one.read() for value, one in zip(op.inputs, operands, strict=True) if _is_single(value)}
        for i in range(count):
            read = [single[one] if one in single else one.element(i, count).read() for one in operands]
            part = dest.element(i, count)
            part.write(self.result(op, read, part.size))

    def insert(self, op: InsertSliceOp) -> None:
        dest, part = self.buffer(op.out), self.buffer(op.part)
        count, [offset] = prod(memref_type(op.part).get_shape()), op.offsets
        first, whole = cast(int, self.values[offset]), prod(memref_type(op.out).get_shape())
        for i in range(count):
            dest.element(first + i, whole).write(list(part.element(i, count).read()))

    def result(self, op: TensorOp, read: list[tuple[Byte, ...]], size: int) -> list[Byte]:
        unknown = any(byte is None for one in read for byte in one)
        meaning = hash((number_of(op), tuple(read)))
        return [None if unknown else (meaning, i) for i in range(size)]


def _is_single(value: SSAValue) -> bool:
    return prod(memref_type(value).get_shape()) == 1


def number_of(op: Operation) -> int:
    """The number that identifies an op. It stays the same if a pass moves the op."""
    return cast(IntegerAttr, op.attributes["number"]).value.data


def assert_same(before: ModuleOp, after: ModuleOp) -> None:
    for which in (False, True):
        separate, shared = Machine(before, which).seen, Machine(after, which).seen
        assert separate.keys() == shared.keys()
        for number, seen in separate.items():
            for expected, got in zip(seen, shared[number], strict=True):
                assert all(a is None or a == b for a, b in zip(expected, got, strict=True))


def packed(text: str, in_place: bool, options: PackScratchPass) -> tuple[ModuleOp, ModuleOp]:
    """The given program, and the program after the packing that `options` specifies. Programs whose loops yield buffers
    that they allocate are skipped.

    in_place: whether ops are also reordered and updated in place, with the input in the arena.
    """
    before = Parser(CONTEXT, text).parse_module()
    before.verify()
    if in_place:
        give_in_arena(cast(func.FuncOp, before.body.block.first_op))
    for number, op in enumerate(before.walk()):
        op.attributes["number"] = IntegerAttr(number, i64)
    after = before.clone()
    try:
        if in_place:
            ForwardInsertsPass().apply(CONTEXT, after)
            order = [op.attributes.get("number") for op in after.walk() if isinstance(op, TensorOp)]
            ReorderOpsPass().apply(CONTEXT, after)
            changed = order != [op.attributes.get("number") for op in after.walk() if isinstance(op, TensorOp)]
            event("reordered" if changed else "same order")
            UpdateInPlacePass().apply(CONTEXT, after)
            after.verify()
            event(f"{sum(isinstance(op, ReuseOp) for op in after.walk())} in place")
            event(f"{count_inserts(before) - count_inserts(after)} inserts forwarded")
        options.apply(CONTEXT, after)
    except InputError as error:
        if "leaves the iteration" not in error.message:
            raise
        reject()
    after.verify()
    return before, after


def give_in_arena(function: func.FuncOp) -> None:
    """Replace the first memref argument of a function by a buffer that the caller fills."""
    memrefs = [argument for argument in function.args if isinstance(argument.type, MemRefType)]
    for argument in memrefs[:1]:
        alloc = AllocOp(memref_type(argument), input=True)
        Rewriter.insert_op(alloc, InsertPoint.at_start(function.body.block))
        argument.replace_all_uses_with(alloc.result)


def count_inserts(module: ModuleOp) -> int:
    return sum(isinstance(op, InsertSliceOp) for op in module.walk())


PART_IN_WHOLE = """
func.func @f(%X: memref<3x!fixed.q<16, 4>>) {
  %c0 = arith.constant 0 : index
  %whole = scratch.alloc : memref<3x!fixed.q<8, 4>>
  %part = scratch.alloc : memref<3x!fixed.q<8, 4>>
  tdsl.neg %X : memref<3x!fixed.q<16, 4>> into %part : memref<3x!fixed.q<8, 4>>
  tdsl.insert_slice %part, %whole[%c0]
    : memref<3x!fixed.q<8, 4>>, memref<3x!fixed.q<8, 4>> into %whole : memref<3x!fixed.q<8, 4>>
  %at = tdsl.argmax %whole : memref<3x!fixed.q<8, 4>>
  func.return
}
"""
"""A part at the address at which it is inserted: each element is written over itself."""


@pytest.mark.long
@settings(max_examples=examples(8))
@given(programs(), st.booleans(), st.sampled_from(["first-fit", "shiftry"]), st.sampled_from([1, 4]))
@example(PART_IN_WHOLE, False, "first-fit", 1)
def test_programs_compute_the_same_in_one_arena(text: str, in_place: bool, mode: str, align: int):
    before, after = packed(text, in_place, PackScratchPass(packer=mode, align=align))
    event(f"{sum(isinstance(op, MoveOp) for op in after.walk())} moves")
    CheckPackingPass().apply(CONTEXT, after)
    assert_same(before, after)


@pytest.mark.long(seconds=5)
@settings(max_examples=examples(8))
@given(programs(), st.data())
def test_what_the_validator_accepts_computes_the_same(text: str, data: st.DataObject):
    """Views are moved at random. Either the validator rejects the overlaps, or the results are unchanged."""
    before, after = packed(text, True, PackScratchPass())
    ends = [0]
    for view in (op for op in after.walk() if isinstance(op, ViewOp)):
        step = element_bytes(memref_type(view.result))
        if data.draw(st.booleans()):
            view.properties["offset"] = IntegerAttr(step * data.draw(st.integers(0, 64 // step)), i64)
        ends.append(view.offset.value.data + size_in_bytes(memref_type(view.result)))
    for arena in [op for op in after.walk() if isinstance(op, ArenaOp)]:
        fresh = ArenaOp(max(ends), 4)
        block = arena.parent
        assert block is not None
        block.insert_op_before(fresh, arena)
        arena.result.replace_all_uses_with(fresh.result)
        block.erase_op(arena)
    try:
        CheckPackingPass().apply(CONTEXT, after)
    except InputError as error:
        if "over" not in error.message:
            raise
        event("refused")
        return
    event("accepted")
    assert_same(before, after)

"""Packing of random programs: they compute the same in one arena as with every buffer for itself.

Programs run on symbolic bytes. A byte that nothing has written is unknown, and so is all that is computed from it;
an unknown byte may be anything in the arena. An elementwise op reads and writes one element after the other, any other
op spoils its destination before it reads other buffers, so that an operand and a destination that overlap are seen.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from math import prod
from typing import cast

from hypothesis import event, given, reject, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import Builtin, IntegerAttr, MemRefType, ModuleOp, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.parser import Parser

from tinyml.dialects.errors import InputError
from tinyml.dialects.scratch import (
    AllocOp,
    ArenaOp,
    ReuseOp,
    SliceOp,
    ViewOp,
    element_bytes,
    memref_type,
    size_in_bytes,
)
from tinyml.dialects.tdsl import ArgmaxOp, ReverseOp
from tinyml.dialects.tdsl.base import TensorOp
from tinyml.tools.universe import DIALECTS
from tinyml.transforms.check_packing import CheckPackingPass
from tinyml.transforms.pack_scratch import PackScratchPass
from tinyml.transforms.update_in_place import UpdateInPlacePass

CONTEXT = Context()
for dialect in (Builtin, func.Func, scf.Scf, arith.Arith, *(make() for make in DIALECTS.values())):
    CONTEXT.load_dialect(dialect)

Shape = tuple[int, int]
"""Length and width in bits."""


def spell(shape: Shape) -> str:
    return f"memref<{shape[0]}x!fixed.q<{shape[1]}, 4>>"


@dataclass
class Scope:
    """What a generated block can use: memrefs, and counters of loops of two iterations."""

    memrefs: dict[str, Shape]
    counters: list[str] = field(default_factory=list[str])


@dataclass
class Writer:
    """Draws a program on buffers, line by line."""

    draw: st.DrawFn
    lines: list[str] = field(default_factory=list[str])
    names: int = 0

    def name(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def pick(self, scope: Scope, *lengths: int) -> str:
        return self.draw(st.sampled_from([name for name, (k, _) in scope.memrefs.items() if k in lengths]))

    def pick_like(self, scope: Scope, shape: Shape) -> str:
        return self.draw(st.sampled_from([name for name, other in scope.memrefs.items() if other == shape]))

    def pick_any(self, scope: Scope) -> tuple[str, Shape]:
        return self.draw(st.sampled_from(list(scope.memrefs.items())))

    def block(self, scope: Scope, depth: int) -> Scope:
        """Statements in an inner scope, which is returned."""
        inner = Scope({**scope.memrefs}, [*scope.counters])
        kinds: list[Callable[[Scope, int], None]] = [self.alloc, self.alloc, self.compute, self.chain]
        kinds += [self.slice, self.observe]
        kinds += [self.loop, self.branch, self.carry, self.choose] if depth < 3 else []
        for _ in range(self.draw(st.integers(1, 6))):
            self.draw(st.sampled_from(kinds))(inner, depth + 1)
        return inner

    def alloc(self, scope: Scope, depth: int) -> None:
        """Mostly filled at once, as a compiler does."""
        shape = (self.draw(st.sampled_from([1, 3, 8])), self.draw(st.sampled_from([8, 16, 32])))
        name = self.name()
        self.lines.append(f"{name} = scratch.alloc : {spell(shape)}")
        if self.draw(st.integers(0, 3)):
            self.write(scope, name, shape)
        scope.memrefs[name] = shape

    def chain(self, scope: Scope, depth: int) -> None:
        """Buffers of which each is only there to compute the next."""
        length = self.draw(st.sampled_from([1, 3, 8]))
        known = dict(scope.memrefs)
        for width in self.draw(st.lists(st.sampled_from([8, 16, 32]), min_size=2, max_size=4)):
            name, shape = self.name(), (length, width)
            self.lines.append(f"{name} = scratch.alloc : {spell(shape)}")
            self.write(Scope(known), name, shape)
            known = {**scope.memrefs, name: shape} if self.draw(st.booleans()) else {name: shape}
        scope.memrefs |= known

    def compute(self, scope: Scope, depth: int) -> None:
        self.write(scope, *self.pick_any(scope))

    def write(self, scope: Scope, dest: str, shape: Shape) -> None:
        if shape in scope.memrefs.values() and self.draw(st.integers(0, 4)) == 0:
            source = self.pick_like(scope, shape)
            self.lines.append(f"tdsl.reverse {source} {{axis = 0}} : {spell(shape)} into {dest} : {spell(shape)}")
            return
        operands = [self.pick(scope, shape[0])]
        operands += [self.pick(scope, shape[0], 1)] if self.draw(st.booleans()) else []
        types = ", ".join(spell(scope.memrefs[name]) for name in operands)
        op = "tdsl.add" if len(operands) == 2 else "tdsl.neg"
        self.lines.append(f"{op} {', '.join(operands)} : {types} into {dest} : {spell(shape)}")

    def slice(self, scope: Scope, depth: int) -> None:
        name, (source, (length, width)) = self.name(), self.pick_any(scope)
        part = (self.draw(st.sampled_from([k for k in (1, 3, 8) if k <= length])), width)
        offset = self.draw(st.sampled_from(["%c0", *(["%c1", *scope.counters] if part[0] < length else [])]))
        self.lines.append(f"{name} = scratch.slice {source}[{offset}] : {spell((length, width))} to {spell(part)}")
        scope.memrefs[name] = part

    def observe(self, scope: Scope, depth: int) -> None:
        source, shape = self.pick_any(scope)
        self.lines.append(f"{self.name()} = tdsl.argmax {source} : {spell(shape)}")

    def condition(self, scope: Scope) -> str:
        if not scope.counters or self.draw(st.booleans()):
            return "%which"
        name = self.name()
        self.lines.append(f"{name} = arith.cmpi eq, {self.draw(st.sampled_from(scope.counters))}, %c0 : index")
        return name

    def loop(self, scope: Scope, depth: int) -> None:
        counter = self.name()
        self.lines.append(f"scf.for {counter} = %c0 to %c2 step %c1 {{")
        self.block(Scope(scope.memrefs, [*scope.counters, counter]), depth)
        self.lines.append("}")

    def branch(self, scope: Scope, depth: int) -> None:
        self.lines.append(f"scf.if {self.condition(scope)} {{")
        self.block(scope, depth)
        if self.draw(st.booleans()):
            self.lines.append("} else {")
            self.block(scope, depth)
        self.lines.append("}")

    def carry(self, scope: Scope, depth: int) -> None:
        """A loop that carries a memref and hands on the same or one from outside."""
        counter, carried, result, (start, shape) = self.name(), self.name(), self.name(), self.pick_any(scope)
        head = f"{result} = scf.for {counter} = %c0 to %c2 step %c1"
        self.lines.append(f"{head} iter_args({carried} = {start}) -> ({spell(shape)}) {{")
        known = Scope({**scope.memrefs, carried: shape}, [*scope.counters, counter])
        self.block(known, depth)
        self.lines += [f"scf.yield {self.pick_like(known, shape)} : {spell(shape)}", "}"]
        scope.memrefs[result] = shape

    def choose(self, scope: Scope, depth: int) -> None:
        """One of two memrefs, which may be made in the branches."""
        condition, result, (_, shape) = self.condition(scope), self.name(), self.pick_any(scope)
        self.lines.append(f"{result} = scf.if {condition} -> ({spell(shape)}) {{")
        for end in ("} else {", "}"):
            chosen = self.pick_like(self.block(scope, depth), shape)
            self.lines += [f"scf.yield {chosen} : {spell(shape)}", end]
        scope.memrefs[result] = shape


@st.composite
def programs(draw: st.DrawFn) -> str:
    writer = Writer(draw)
    given: dict[str, Shape] = {"%X": (8, 16), "%Y": (3, 8), "%Z": (1, 32)}
    last = writer.block(Scope(given), 0)
    returned = [name for name in (writer.pick_any(last)[0], writer.pick_any(last)[0])]
    types = ", ".join(spell(last.memrefs[name]) for name in returned)
    arguments = ", ".join(f"{name}: {spell(shape)}" for name, shape in given.items())
    constants = [f"%c{i} = arith.constant {i} : index" for i in range(3)]
    head = f"func.func @f({arguments}, %which: i1) -> ({types}) {{"
    return "\n".join([head, *constants, *writer.lines, f"func.return {', '.join(returned)} : {types}", "}"])


Byte = Hashable
"""A symbolic value, None if unknown."""


@dataclass(eq=False)
class Buffer:
    """Bytes of a memory, and the buffer as a whole that they are of."""

    whole: object
    memory: list[Byte]
    start: int
    size: int

    def read(self) -> tuple[Byte, ...]:
        return tuple(self.memory[self.start : self.start + self.size])

    def element(self, i: int, count: int) -> "Buffer":
        size = self.size // count
        return Buffer(self.whole, self.memory, self.start + i * size, size)

    def write(self, values: list[Byte]) -> None:
        self.memory[self.start : self.start + self.size] = values


class Machine:
    """Runs a function and keeps everything that can be observed."""

    def __init__(self, module: ModuleOp, which: bool) -> None:
        self.function = cast(func.FuncOp, module.body.block.first_op)
        self.seen: list[tuple[Byte, ...]] = []
        self.values: dict[SSAValue, object] = {}
        computing = (op for op in module.walk() if isinstance(op, TensorOp | ArgmaxOp))
        self.number = {op: i for i, op in enumerate(computing)}
        for argument in self.function.args:
            if isinstance(argument.type, MemRefType):
                size = size_in_bytes(memref_type(argument))
                self.values[argument] = Buffer(argument, [(argument.index, i) for i in range(size)], 0, size)
            else:
                self.values[argument] = which
        self.run(self.function.body.block)

    def buffer(self, value: SSAValue) -> Buffer:
        return cast(Buffer, self.values[value])

    def run(self, block: Block) -> list[object]:
        """Runs a block and returns what its terminator hands on."""
        for op in block.ops:
            match op:
                case scf.YieldOp():
                    return [self.values[value] for value in op.operands]
                case func.ReturnOp():
                    self.seen += [self.buffer(value).read() for value in op.operands]
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
                memory: list[Byte] = [None] * size
                self.values[op.result] = Buffer(memory, memory, 0, size)
            case ArenaOp():
                self.values[op.result] = [("garbage", i) for i in range(op.size)]
            case ViewOp():
                arena, size = cast("list[Byte]", self.values[op.arena]), size_in_bytes(memref_type(op.result))
                self.values[op.result] = Buffer(op, arena, op.offset.value.data, size)
            case SliceOp():
                source, type = self.buffer(op.source), memref_type(op.result)
                skipped = cast(int, self.values[op.offset]) * element_bytes(type)
                part = Buffer(source.whole, source.memory, source.start + skipped, size_in_bytes(type))
                self.values[op.result] = part
            case ArgmaxOp():
                self.seen.append(self.buffer(op.input).read())
            case TensorOp():
                self.compute(op)
            case _:
                raise AssertionError(op.name)

    def compute(self, op: TensorOp) -> None:
        assert op.dest is not None
        dest, *operands = (self.buffer(value) for value in (op.dest, *op.inputs))
        if isinstance(op, ReverseOp):
            early = [one.read() if one.whole is dest.whole else None for one in operands]
            dest.write([("spoiled", i) for i in range(dest.size)])
            read = [one.read() if before is None else before for one, before in zip(operands, early, strict=True)]
            dest.write(self.result(op, read, dest.size))
            return
        count = prod(memref_type(op.dest).get_shape())
        single = {one: one.read() for value, one in zip(op.inputs, operands, strict=True) if _is_single(value)}
        for i in range(count):
            read = [single[one] if one in single else one.element(i, count).read() for one in operands]
            part = dest.element(i, count)
            part.write(self.result(op, read, part.size))

    def result(self, op: TensorOp, read: list[tuple[Byte, ...]], size: int) -> list[Byte]:
        unknown = any(byte is None for one in read for byte in one)
        meaning = hash((self.number[op], tuple(read)))
        return [None if unknown else (meaning, i) for i in range(size)]


def _is_single(value: SSAValue) -> bool:
    return prod(memref_type(value).get_shape()) == 1


def assert_same(before: ModuleOp, after: ModuleOp) -> None:
    for which in (False, True):
        separate, shared = Machine(before, which).seen, Machine(after, which).seen
        assert len(separate) == len(shared)
        for expected, got in zip(separate, shared, strict=True):
            assert all(a is None or a == b for a, b in zip(expected, got, strict=True))


def packed(text: str, align: int, in_place: bool) -> tuple[ModuleOp, ModuleOp]:
    """The program as it is and packed, perhaps with updates in place.

    Programs whose loops hand on what they allocate are not packed.
    """
    before = Parser(CONTEXT, text).parse_module()
    before.verify()
    after = before.clone()
    try:
        if in_place:
            UpdateInPlacePass().apply(CONTEXT, after)
            after.verify()
            in_place_events(after)
        PackScratchPass(align=align).apply(CONTEXT, after)
    except InputError as error:
        if "leaves the iteration" not in error.message:
            raise
        reject()
    after.verify()
    return before, after


def in_place_events(module: ModuleOp) -> None:
    event(f"{sum(isinstance(op, ReuseOp) for op in module.walk())} in place")


@settings(deadline=None)
@given(programs(), st.sampled_from([1, 4]), st.booleans())
def test_programs_compute_the_same_in_one_arena(text: str, align: int, in_place: bool):
    before, after = packed(text, align, in_place)
    CheckPackingPass().apply(CONTEXT, after)
    assert_same(before, after)


@settings(deadline=None)
@given(programs(), st.data())
def test_what_the_validator_accepts_computes_the_same(text: str, data: st.DataObject):
    """Views moved at random: overlaps are refused, or do no harm."""
    before, after = packed(text, 1, in_place=True)
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

"""`slide-windows`: keeps a window that slides over an image as a ring of columns, so that only new columns are loaded.

A convolution copies the window of each pixel, most of which was copied for the pixel before. Here each column of a
window keeps its place: a new column takes the place of the one that leaves. The rows of weights that meet the
window are turned likewise, one copy of the constant matrix for each turn. Line buffers of hardware do the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, IndexType, ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tinyml.dialects import rtl
from tinyml.dialects.lazy_numpy import np
from tinyml.targets.registry import fabric_of
from tinyml.transforms.ir.indices import AffineSum, affine_sum, counts_from_zero, trips_of
from tinyml.transforms.ir.intervals import INDEX, Interval, intervals
from tinyml.transforms.ir.loop_nest import LoopNest
from tinyml.transforms.rtl.scheduling.dependences import are_apart


@dataclass(frozen=True)
class SlideWindowsPass(ModulePass):
    """Make rings of windows whose turned weights take at most an eighth of the block RAMs."""

    name = "slide-windows"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        fabric = fabric_of(op)
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                for loop in [each for each in function.walk() if isinstance(each, scf.ForOp)]:
                    window = _Window.find(loop, intervals(function))
                    if window is not None and window.bits <= fabric.there.brams * fabric.bram_bits // 8:
                        window.slide()


@dataclass
class _Copy:
    """The loops over rows and elements that copy a window, with their only load and store."""

    rows: scf.ForOp
    elements: scf.ForOp
    load: rtl.LoadOp
    store: rtl.StoreOp

    @staticmethod
    def find(loop: Operation) -> _Copy | None:
        """The copy that a nest of two loops makes; None for another op."""
        inner = [op for op in loop.body.block.ops if op.regions] if isinstance(loop, scf.ForOp) else []
        if len(inner) != 1 or not isinstance(loop, scf.ForOp) or not isinstance(within := inner[0], scf.ForOp):
            return None
        if loop.iter_args or within.iter_args or not all(map(counts_from_zero, (loop, within))):
            return None
        clocked = [op for op in loop.walk() if isinstance(op, rtl.LoadOp | rtl.StoreOp | rtl.SendOp | rtl.ReceiveOp)]
        match clocked:
            case [rtl.LoadOp() as load, rtl.StoreOp() as store] if (
                store.value is load.result and store.condition is None and store.parent is within.body.block
            ):
                return _Copy(loop, within, load, store)
            case _:
                return None


@dataclass
class _Window:
    """A window that a loop over pixels copies and multiplies by rows of constants.

    step: the elements of a row by which a pixel's window differs from the previous one. products: the loads of
    constants, with the loads of the window in the same iterations.
    """

    pixels: scf.ForOp
    copy: _Copy
    step: int
    products: Sequence[rtl.LoadOp]

    @property
    def row(self) -> int:
        return trips_of(self.copy.elements) or 0

    @property
    def size(self) -> int:
        return self.row * (trips_of(self.copy.rows) or 0)

    @property
    def turns(self) -> int:
        return self.row // self.step

    @property
    def matrices(self) -> list[rtl.MemoryOp]:
        return [cast("rtl.MemoryOp", load.memory.owner) for load in self.products]

    @property
    def bits(self) -> int:
        """The bits of all rotated matrices."""
        types = [memory.result.type for memory in self.matrices]
        return sum(self.turns * type.depth.data * type.width.data for type in types)

    @staticmethod
    def find(loop: scf.ForOp, known: Mapping[SSAValue, Interval]) -> _Window | None:
        """The window of a loop over pixels; None for other loops."""
        ops = list(loop.body.block.ops)
        first = next((op for op in ops if op.regions), None)
        if first is None or loop.iter_args or not counts_from_zero(loop) or (copy := _Copy.find(first)) is None:
            return None
        rows, elements, pixel = (each.body.block.args[0] for each in (copy.rows, copy.elements, loop))
        (_, there), (base, here) = affine_sum(copy.load.address), affine_sum(copy.store.address)
        step, row, count = there.get(pixel, 0), trips_of(copy.elements) or 0, trips_of(copy.rows) or 0
        if here != {rows: row, elements: 1} and not (count == 1 and here == {elements: 1}):
            return None
        if there.get(elements) != 1 or not 0 < step < row or row % step:
            return None
        accesses = [op for op in loop.walk() if isinstance(op, rtl.LoadOp | rtl.StoreOp)]
        mine = [copy.load, copy.store]
        reads: list[rtl.LoadOp] = []
        for other in _accesses(copy.store.memory):
            if other in mine or are_apart(other, copy.store, known):
                continue
            if other in accesses and isinstance(other, rtl.LoadOp):
                reads.append(other)
            elif other in accesses or (isinstance(other, rtl.LoadOp) and not _sees_none(other, loop, known)):
                return None
        stores = [op for op in accesses if isinstance(op, rtl.StoreOp) and op.memory is copy.load.memory]
        if not all(are_apart(store, copy.load, known) for store in stores):
            return None
        products = [_product(read, base, row * count) for read in reads]
        if not products or None in products or not trips_of(loop):
            return None
        return _Window(loop, copy, step, [each for each in products if each is not None])

    def slide(self) -> None:
        self._copy_first()
        turn, place = self._turns()
        for load in self.products:
            self._turn_weights(load, turn)
        self._copy_new(place)

    def _copy_first(self) -> None:
        """Copy the columns that the first window shares with preceding ones, before the loop over pixels."""
        copy, nest = self.copy, LoopNest(self.pixels)
        mapping: dict[SSAValue, SSAValue] = {self.pixels.body.block.args[0]: nest.index(0)}
        for op in _addresses(copy, self.pixels):
            nest.put(op.clone(mapping))
        new = copy.rows.clone(mapping)
        nest.put(new)
        [inner] = [op for op in new.body.block.ops if isinstance(op, scf.ForOp)]
        inner.operands[1] = LoopNest(new).index(self.row - self.step)

    def _turns(self) -> tuple[SSAValue, SSAValue]:
        """The rotation of the weights and the position of the new column, carried by the loop over pixels."""
        loop, nest = self.pixels, LoopNest(self.pixels)
        starts = nest.index(0), nest.index(self.turns - 1)
        body = loop.detach_region(loop.body)
        turn, place = (body.block.insert_arg(IndexType(), number) for number in (1, 2))
        end = cast("scf.YieldOp", body.block.last_op)
        inside = LoopNest(end)
        following = inside.add(turn, inside.index(1))
        goes_on = inside.insert(arith.CmpiOp(following, inside.index(self.turns), "slt"))
        end.operands = [inside.insert(arith.SelectOp(goes_on, following, inside.index(0))), turn]
        self.pixels = scf.ForOp(loop.lb, loop.ub, loop.step, starts, body)
        nest.put(self.pixels)
        Rewriter.erase_op(loop)
        return turn, place

    def _turn_weights(self, load: rtl.LoadOp, turn: SSAValue) -> None:
        """Read weights whose columns are rotated like those of the window."""
        memory = cast("rtl.MemoryOp", load.memory.owner)
        assert memory.content is not None
        type, width = memory.content.get_element_type(), memory.result.type.width.data
        raws = np.frombuffer(memory.content.data.data, f"<i{width // 8}")
        columns = raws.reshape(-1, self.size // self.row, self.turns, self.step)
        turned = np.stack([np.roll(columns, number, axis=2) for number in range(self.turns)])
        content = DenseIntOrFPElementsAttr(TensorType(type, [turned.size]), BytesAttr(turned.tobytes()))
        larger = rtl.MemoryOp(rtl.MemoryType(turned.size, width), content)
        larger.result.name_hint = memory.result.name_hint
        Rewriter.replace_op(memory, larger)
        load.operands[1] = _plus(load, load.address, turn, raws.size)

    def _copy_new(self, place: SSAValue) -> None:
        """Copy the new column of each window over the one that leaves."""
        copy, nest = self.copy, LoopNest(self.copy.load)
        copy.store.operands[2] = _plus(copy.store, copy.store.address, place, self.step)
        copy.load.operands[1] = nest.add(copy.load.address, nest.index(self.row - self.step))
        copy.elements.operands[1] = LoopNest(copy.elements).index(self.step)


def _sees_none(load: rtl.LoadOp, loop: scf.ForOp, known: Mapping[SSAValue, Interval]) -> bool:
    """True if no load before or after a loop reads what the loop stores."""
    function = loop.parent_op()
    while not isinstance(function, func.FuncOp):
        assert function is not None
        function = function.parent_op()
    here, there = (function.body.block.find_ancestor_op_in_block(op) for op in (loop, load))
    if here is None or there is None or here is there:
        return False
    between = here.next_op
    while between is not None and between is not there:
        if isinstance(between, scf.ForOp) and _overwrites(between, load, known):
            return True
        between = between.next_op
    return there.is_before_in_block(here)


def _overwrites(loop: scf.ForOp, load: rtl.LoadOp, known: Mapping[SSAValue, Interval]) -> bool:
    """True if a loop stores all elements that a load may read."""
    low, high = known.get(load.address, INDEX)
    if not counts_from_zero(loop):
        return False
    for op in loop.body.block.ops:
        if isinstance(op, rtl.StoreOp) and op.memory is load.memory and op.condition is None:
            first, factors = affine_sum(op.address)
            each = factors == {loop.body.block.args[0]: 1} and op.value.type == load.result.type
            if each and first <= low and high < first + (trips_of(loop) or 0):
                return True
    return False


def _accesses(memory: SSAValue) -> list[rtl.LoadOp | rtl.StoreOp]:
    return [use.operation for use in memory.uses if isinstance(use.operation, rtl.LoadOp | rtl.StoreOp)]


def _product(read: rtl.LoadOp, base: int, size: int) -> rtl.LoadOp | None:
    """The load of the constant that multiplies a window element; None if there is none or it is read elsewhere."""
    loop = read.parent_op()
    if not isinstance(loop, scf.ForOp) or trips_of(loop) != size or not counts_from_zero(loop):
        return None
    counter = loop.body.block.args[0]
    if affine_sum(read.address) != AffineSum(base, {counter: 1}):
        return None
    found: list[rtl.LoadOp] = []
    for op in loop.body.block.ops:
        if isinstance(op, rtl.LoadOp) and op is not read and counter in affine_sum(op.address).factors:
            found.append(op)
    if len(found) != 1 or not isinstance(memory := found[0].memory.owner, rtl.MemoryOp) or not memory.is_table:
        return None
    first, factors = affine_sum(found[0].address)
    whole = memory.result.type.width.data == cast("Any", found[0].result.type).width.data
    if not whole or factors.pop(counter) != 1 or any(part % size for part in (first, *factors.values())):
        return None
    alone = memory.result.uses.get_length() == 1 and memory.result.type.depth.data % size == 0
    # Only the product may depend on the position in the window.
    users = {use.operation for use in counter.uses}
    return found[0] if alone and all(isinstance(user, arith.AddiOp | rtl.LoadOp) for user in users) else None


def _addresses(copy: _Copy, loop: scf.ForOp) -> list[Operation]:
    """The ops of a loop's body before a copy that its addresses need."""
    needed: set[Operation] = set()
    queue = [operand for op in copy.rows.walk() for operand in op.operands]
    while queue:
        owner = queue.pop().owner
        if isinstance(owner, Operation) and owner.parent is loop.body.block and owner not in needed:
            needed.add(owner)
            queue += owner.operands
    return [op for op in loop.body.block.ops if op in needed]


def _plus(before: Operation, address: SSAValue, value: SSAValue, factor: int) -> SSAValue:
    nest = LoopNest(before)
    return nest.add(address, nest.times(value, factor))

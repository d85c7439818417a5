"""The block RAMs and look-up tables that memories need when their words become wider."""

from __future__ import annotations

from builtins import sum as total
from collections.abc import Sequence
from copy import copy
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Operation, SSAValue

from tinyml.dialects import rtl
from tinyml.dialects.rtl.ops import words_of
from tinyml.targets.verilog.fabric import Fabric
from tinyml.transforms.rtl.scheduling.operators import type_width
from tinyml.transforms.rtl.unrolling.unrolled_sum import UnrolledSum

TABLE, TABLE_BITS = 16, 4
"""The number of words and the bits per word of a memory made of look-up tables."""

TABLE_PRICE, ROM_BITS = 4, 16
"""What synthesis (yosys) weighs a memory of LUTs with, and the bits of a constant in LUTs that weigh 1."""


class Words:
    """The memories of a function, whose words are as wide as the elements that sums load at once.

    lanes: for each load that reads several elements at once, the number of these elements.
    """

    def __init__(self, function: func.FuncOp, fabric: Fabric):
        self.fabric = fabric
        memories = [op.result for op in function.walk() if isinstance(op, rtl.MemoryOp)]
        self.widths: dict[SSAValue, int] = {memory: memory.type.width.data for memory in memories}
        self.lanes: dict[Operation, int] = {}
        self._known: dict[tuple[SSAValue, int], tuple[int, int]] = {}

    def widened(self, sums: Sequence[UnrolledSum], lanes: int) -> Words:
        """The memories after sums have been unrolled to load `lanes` elements at once."""
        wider = copy(self)
        loads = [load for sum in sums for load in sum.loads]
        wider.lanes = self.lanes | dict.fromkeys(loads, lanes)
        wider.widths = dict(self.widths)
        for load in loads:
            if load.memory in wider.widths:
                wider.widths[load.memory] = max(wider.widths[load.memory], lanes * type_width(load.result))
        return wider

    def are_whole(self, sum: UnrolledSum) -> bool:
        return all(self._width(load) == self.widths.get(load.memory) for load in sum.loads)

    @property
    def cells(self) -> tuple[int, int]:
        """The total numbers of LUTs and of block RAMs that the memories need."""
        luts, brams = zip((0, 0), *(self._cells(memory, width) for memory, width in self.widths.items()), strict=True)
        return total(luts), total(brams)

    @property
    def chosen(self) -> int:
        """The total number of LUTs that select parts of words in all loads and stores of less than a word."""
        uses = [(use.operation, width) for memory, width in self.widths.items() for use in memory.uses]
        loads = total(loaded_part(width, self._width(op)) for op, width in uses if isinstance(op, rtl.LoadOp))
        return loads + total(
            stored_part(width, type_width(op.value)) for op, width in uses if isinstance(op, rtl.StoreOp)
        )

    def _width(self, load: rtl.LoadOp) -> int:
        return self.lanes.get(load, 1) * type_width(load.result)

    def _cells(self, memory: SSAValue, width: int) -> tuple[int, int]:
        if (memory, width) not in self._known:
            type, owner = cast("rtl.MemoryType", memory.type), cast("rtl.MemoryOp", memory.owner)
            depth = -(-type.depth.data * type.width.data // width)
            self._known[memory, width] = memory_cells(self.fabric, rtl.MemoryType(depth, width), owner.content)
        return self._known[memory, width]


def loaded_part(word: int, width: int) -> int:
    """The number of LUTs that select a part of `width` bits from a loaded word of `word` bits: about two thirds of a
    LUT for each bit that is not selected.

    For example, each bit of one of four parts needs two LUTs, because the multiplexers beside these LUTs are used too.
    """
    return -(-2 * (word - width) // 3)


def stored_part(word: int, width: int) -> int:
    """The number of LUTs that enable a store of only `width` bits in a word of `word` bits."""
    return 2 * (word // width - 1)


def memory_cells(fabric: Fabric, type: rtl.MemoryType, content: DenseIntOrFPElementsAttr | None) -> tuple[int, int]:
    """The numbers of LUTs and block RAMs that a memory needs in the form that synthesis estimates to be the smallest.
    Both are 0 for a single word without initial content, which becomes a register.

    content: the initial words; None for a memory without initial content.
    """
    depth, width = type.depth.data, type.width.data
    brams = blocks(fabric, depth, width)
    if content is not None:
        in_luts = depth * width <= ROM_BITS * fabric.bram_price * brams
        return (_table(words_of(content, type), width), 0) if in_luts else (0, brams)
    if depth == 1:
        return 0, 0
    rows = -(-depth // TABLE)
    tables, chosen = rows * -(-width // TABLE_BITS), width * rows if rows > 1 else 0
    in_luts = fabric.ram_luts is not None and TABLE_PRICE * tables + chosen / 2 <= fabric.bram_price * brams
    return (tables * (fabric.ram_luts or 0) + chosen, 0) if in_luts else (0, brams)


def _table(words: Sequence[int], width: int) -> int:
    """The number of LUTs that compute constant words from an address. Equal functions of the address are counted
    once.
    """
    size = 1 << (len(words) - 1).bit_length()
    bits = {tuple(word >> place & 1 for word in words) for place in range(width)}
    return sum(_function((*column, *column[len(column) - size :][: size - len(column)])) for column in bits)


def _function(values: tuple[int, ...]) -> int:
    """The number of LUTs that compute a function of an address with the given values.

    For a function that depends on one input or none, it is 0, for two to four inputs 1, for five inputs 2, and for six
    inputs 4. A function of more inputs consists of its two halves and a selection between them, which takes two LUTs;
    equal halves are counted once, without a selection.
    """
    if len(values) > 4 * TABLE:
        half = len(values) // 2
        parts = {values[:half], values[half:]}
        return sum(map(_function, parts)) + 2 * (len(parts) - 1)
    inputs = 0
    while len(values) > 1:
        # Inputs on which the function does not depend are left out.
        even, odd = values[::2], values[1::2]
        depends = even != odd
        inputs += depends
        values = tuple(a + 2 * b for a, b in zip(even, odd, strict=True)) if depends else even
    return 0 if inputs < 2 else 1 << max(inputs - 4, 0)


def blocks(fabric: Fabric, depth: int, width: int) -> int:
    """The number of block RAMs for a memory with `depth` words, each `width` bits wide.

    Each block RAM stores its widest words, or twice as many words of half the width, and so on.
    """
    deepest = fabric.bram_bits // fabric.bram_width
    halvings = range(fabric.bram_width.bit_length())
    return min(-(-width // (fabric.bram_width >> n)) * -(-depth // (deepest << n)) for n in halvings)

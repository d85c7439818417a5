"""The block RAMs that memories take as their words become wider."""

from __future__ import annotations

from builtins import sum as total
from typing import cast

from xdsl.dialects import func
from xdsl.ir import SSAValue

from tinyml.dialects import rtl
from tinyml.targets.verilog.fabric import Fabric
from tinyml.transforms.rtl.unrolling.unrolled_sum import UnrolledSum
from tinyml.transforms.rtl.unrolling.words import width_of

_LEAST_DEPTH = 64
"""The words up to which synthesis makes a memory of LUTs."""


class BlockRams:
    """The memories of a function, with words as wide as the elements that sums load at once."""

    def __init__(self, function: func.FuncOp, fabric: Fabric):
        self.fabric = fabric
        memories = [op.result for op in function.walk() if isinstance(op, rtl.MemoryOp)]
        self.widths: dict[SSAValue, int] = {memory: memory.type.width.data for memory in memories}

    @property
    def count(self) -> int:
        """The block RAMs of all memories."""
        return total(self._blocks(memory, width) for memory, width in self.widths.items())

    def growth(self, sum: UnrolledSum, lanes: int) -> int:
        """The additional block RAMs of memories once a sum loads words of `lanes` elements."""
        wider = self._wider(sum, lanes).items()
        return total(self._blocks(memory, width) - self._blocks(memory, self.widths[memory]) for memory, width in wider)

    def widen(self, sum: UnrolledSum, lanes: int) -> None:
        """Widen words to `lanes` elements of a sum."""
        self.widths |= self._wider(sum, lanes)

    def _wider(self, sum: UnrolledSum, lanes: int) -> dict[SSAValue, int]:
        wider: dict[SSAValue, int] = {}
        for load in sum.loads:
            if load.memory in self.widths:
                before = wider.get(load.memory, self.widths[load.memory])
                wider[load.memory] = max(before, lanes * width_of(load.result))
        return wider

    def _blocks(self, memory: SSAValue, width: int) -> int:
        type = cast("rtl.MemoryType", memory.type)
        return blocks(self.fabric, -(-type.depth.data * type.width.data // width), width)


def blocks(fabric: Fabric, depth: int, width: int) -> int:
    """The block RAMs of a memory of `depth` words, each with its widest words, or twice as many half as wide, etc."""
    if depth <= _LEAST_DEPTH:
        return 0
    deepest = fabric.bram_bits // fabric.bram_width
    halvings = range(fabric.bram_width.bit_length())
    return min(-(-width // (fabric.bram_width >> n)) * -(-depth // (deepest << n)) for n in halvings)

"""The problem of assigning items to memories. Items have a size, a live range and a cost in each memory; memories have
a capacity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tinyml.transforms.buffers.packing import Placement, Rectangle

PERMANENT_ALIGNMENT = 8
"""The multiple to which constants and the stack, which no other item shares bytes with, are rounded up, in bytes."""


@dataclass(frozen=True)
class Item:
    """An item to assign to a memory: a buffer, with the number of its rectangle, or bytes that are occupied
    throughout.

    size: the size in bytes.
    costs: for each memory, the wait cycles of the item's accesses in one inference; None for a memory that cannot
        contain the item.
    rectangle: the number of the buffer's rectangle; None for bytes that are occupied throughout.
    """

    name: str
    size: int
    costs: tuple[int | None, ...]
    rectangle: int | None = None

    @property
    def permanent(self) -> int:
        return 0 if self.rectangle is not None else self.size + -self.size % PERMANENT_ALIGNMENT

    @property
    def allowed(self) -> Sequence[int]:
        return sorted((m for m, cost in enumerate(self.costs) if cost is not None), key=self.cost)

    def cost(self, memory: int) -> int:
        """The wait cycles of the item in a memory that can contain it."""
        cost = self.costs[memory]
        assert cost is not None
        return cost


@dataclass(frozen=True)
class Problem:
    """Items, the rectangles of buffers, and the capacity of each memory in bytes. The capacity of a memory without a
    limit is None.
    """

    items: Sequence[Item]
    rectangles: Sequence[Rectangle]
    capacities: Sequence[int | None]

    def buffers_in(self, memory: int, memories: Sequence[int]) -> list[int]:
        """The rectangles of the buffers that an assignment places in a memory, in ascending order.

        memories: the memory of each item; items at the end may be missing.
        """
        held = (item.rectangle for item, at in zip(self.items, memories, strict=False) if at == memory)
        return sorted(number for number in held if number is not None)

    def room(self, memory: int, memories: Sequence[int]) -> int | None:
        """The number of bytes of a memory that the constants and the stack leave for buffers. None for a memory
        without a limit.

        memories: the memory of each item; items at the end may be missing.
        """
        if (capacity := self.capacities[memory]) is None:
            return None
        return capacity - sum(item.permanent for item, at in zip(self.items, memories, strict=False) if at == memory)


@dataclass(frozen=True)
class Choice:
    """An assignment of all items to memories.

    memories: the memory of each item.
    placements: for each memory, the offsets of its buffers.
    cost: the wait cycles of one inference.
    bound: a lower bound on the cost of every choice.
    proof: the name of the method that proved that the bound equals the cost: the relaxation or the complete search; ""
        if the bound is lower.
    nodes: the number of nodes that the search visited.
    """

    memories: tuple[int, ...]
    placements: tuple[Placement, ...]
    cost: int
    bound: int
    proof: str
    nodes: int = field(default=0, compare=False)

    @property
    def gap(self) -> int:
        """The difference between the cost and the bound, in cycles."""
        return self.cost - self.bound

"""The problem: items, each with a size, a live range and a cost in every memory, and memories with capacities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tinyml.transforms.buffers.packing import Placement, Rectangle

PERMANENT_ALIGNMENT = 8
"""The multiple to which constants and the stack, which no other item shares bytes with, are rounded up, in bytes."""


@dataclass(frozen=True)
class Item:
    """What is placed: a buffer with the number of its rectangle, or bytes that are occupied throughout.

    costs: the wait cycles of its accesses in one inference, by memory; None for a memory that cannot hold it.
    """

    name: str
    size: int
    costs: tuple[int | None, ...]
    rectangle: int | None = None

    @property
    def permanent(self) -> int:
        """The bytes that the item occupies throughout; 0 for a buffer."""
        return 0 if self.rectangle is not None else self.size + -self.size % PERMANENT_ALIGNMENT

    @property
    def allowed(self) -> Sequence[int]:
        """The memories that can hold the item, the cheapest first."""
        return sorted((m for m, cost in enumerate(self.costs) if cost is not None), key=self.cost)

    def cost(self, memory: int) -> int:
        """The wait cycles in a memory that can hold the item."""
        cost = self.costs[memory]
        assert cost is not None
        return cost


@dataclass(frozen=True)
class Problem:
    """Items, the rectangles of buffers, and the capacity of each memory in bytes; None if it is not packed."""

    items: Sequence[Item]
    rectangles: Sequence[Rectangle]
    capacities: Sequence[int | None]

    def buffers_in(self, memory: int, memories: Sequence[int]) -> list[int]:
        """The rectangles that an assignment, which may be incomplete, places in a memory, in ascending order."""
        held = (item.rectangle for item, at in zip(self.items, memories, strict=False) if at == memory)
        return sorted(number for number in held if number is not None)

    def room(self, memory: int, memories: Sequence[int]) -> int | None:
        """The bytes of a memory that constants and the stack leave; None without a limit."""
        if (capacity := self.capacities[memory]) is None:
            return None
        return capacity - sum(item.permanent for item, at in zip(self.items, memories, strict=False) if at == memory)


@dataclass(frozen=True)
class Choice:
    """A memory for each item, and the placement of the buffers of each memory.

    cost: the wait cycles of one inference. bound: a lower bound on the cost of every choice. proof: how the bound was
    found: by the relaxation, or by the search, which then excluded all cheaper choices; "" if the bound is lower than
    the cost.
    """

    memories: tuple[int, ...]
    placements: tuple[Placement, ...]
    cost: int
    bound: int
    proof: str
    nodes: int = field(default=0, compare=False)

    @property
    def gap(self) -> int:
        """The difference of the cost and the bound, in cycles."""
        return self.cost - self.bound

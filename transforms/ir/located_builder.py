"""Insertion of ops in order, with a location for those that have none."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from xdsl.builder import Builder
from xdsl.dialects.builtin import LocationAttr, UnknownLoc
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint


class LocatedBuilder:
    """Inserts ops with xDSL's `builder`; ops without a location get `location`."""

    def __init__(self, point: InsertPoint, location: LocationAttr) -> None:
        self.builder = Builder(point)
        self.location = location

    def put(self, op: Operation) -> None:
        """Insert an op with any number of results."""
        if isinstance(op.location, UnknownLoc):
            op.location = self.location
        self.builder.insert(op)

    def insert(self, op: Operation) -> SSAValue:
        """Insert an op and return its first result."""
        self.put(op)
        return op.results[0]

    @contextmanager
    def inside(self, block: Block) -> Generator[None]:
        """Insert at the end of a block; afterwards restore the insertion point and the location."""
        outer, location = self.builder, self.location
        self.builder = Builder(InsertPoint.at_end(block))
        yield
        self.builder, self.location = outer, location

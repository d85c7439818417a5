"""Flat memories instead of memrefs: constant-folded addresses of elements, and loads and stores at these addresses.

A flat memory has a single axis.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from math import prod
from typing import ClassVar, NamedTuple

from xdsl.dialects import func, memref
from xdsl.ir import Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects.locations import error_at
from tinyml.dialects.scratch import CopyRunOp, SliceOp, memref_type
from tinyml.transforms.ir.loop_nest import LoopBuilder


class AddressBuilder(LoopBuilder):
    """A builder of loop nests. An index is an SSA value, or a Python integer if its value is known at compile time."""

    def value(self, index: SSAValue | int) -> SSAValue:
        return self.index(index) if isinstance(index, int) else index

    def sum(self, a: SSAValue | int, b: SSAValue | int) -> SSAValue | int:
        known = [x if isinstance(x, int) else const_evaluate_operand(x) for x in (a, b)]
        if known[0] is not None and known[1] is not None:
            return known[0] + known[1]
        if 0 in known:
            return b if known[0] == 0 else a
        return self.add(self.value(a), self.value(b))

    def row_major(self, array: SSAValue, indices: Sequence[SSAValue]) -> SSAValue | int:
        """Emit the row-major position of an element in its array, and return it. It is an integer if all indices are
        constant.
        """
        shape = memref_type(array).get_shape()
        total: SSAValue | int = 0
        for axis, index in enumerate(indices):
            stride = prod(shape[axis + 1 :])
            constant = const_evaluate_operand(index)
            if constant is not None:
                total = self.sum(total, constant * stride)
            elif shape[axis] != 1:
                total = self.sum(total, self.times(index, stride))
        return total

    def each(self, count: SSAValue, body: Callable[[SSAValue], None]) -> None:
        """Emit a loop that runs `body` at every index from 0 to `count` - 1."""

        def step(at: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
            body(at)
            return []

        self.fold(count, [], step)


class ArrayLocation(NamedTuple):
    """The location of an array: the flat memory that contains it, and the position of its first element in this
    memory.
    """

    memory: SSAValue
    start: SSAValue | int


class FlatAccesses(ABC):
    """The accesses of a function to arrays that are located in flat memories.

    at: the location of each array.
    nest: the builder that emits the accesses.
    """

    ORIGINS: ClassVar[str]
    """The ops that define the place of arrays, for errors."""

    def __init__(self, function: func.FuncOp):
        self.function = function
        self.at: dict[SSAValue, ArrayLocation] = {}
        first = function.body.block.first_op
        assert first is not None
        self.nest = AddressBuilder(first)

    @abstractmethod
    def read(self, memory: SSAValue, index: SSAValue, array: SSAValue) -> SSAValue:
        """Insert a load of an element of an array, and return the loaded value.

        memory: the flat memory that contains the array.
        index: the position of the element in the memory.
        """

    @abstractmethod
    def write(self, value: SSAValue, memory: SSAValue, index: SSAValue) -> None:
        """Insert a store of a value to an element of a memory.

        memory: a flat memory.
        index: the position of the element in the memory.
        """

    def place(self, array: SSAValue) -> ArrayLocation:
        """The location of an array. Raises `InputError` for a memref that is defined by an op that `ORIGINS`
        does not list.
        """
        if (found := self.at.get(array)) is None:
            owner = array.owner if isinstance(array.owner, Operation) else self.function
            raise error_at(owner, f"'{owner.name}' gives {array.type}, {self.ORIGINS}")
        return found

    def load(self, array: SSAValue, index: SSAValue | int) -> SSAValue:
        memory, start = self.place(array)
        return self.read(memory, self.nest.value(self.nest.sum(start, index)), array)

    def store(self, value: SSAValue, array: SSAValue, index: SSAValue | int) -> None:
        memory, start = self.place(array)
        self.write(value, memory, self.nest.value(self.nest.sum(start, index)))

    def lower(self, op: Operation) -> bool:
        """Insert the accesses of an op, or record the location of a view. Return whether the op is an access or
        a view.
        """
        match op:
            case SliceOp():
                memory, start = self.place(op.source)
                self.at[op.result] = ArrayLocation(memory, self.nest.sum(start, op.offset))
            case memref.CastOp():
                self.at[op.dest] = self.place(op.source)
            case memref.LoadOp():
                op.res.replace_all_uses_with(self.load(op.memref, self.nest.row_major(op.memref, op.indices)))
            case memref.StoreOp():
                self.store(op.value, op.memref, self.nest.row_major(op.memref, op.indices))
            case CopyRunOp():
                self.copy(op)
            case _:
                return False
        return True

    def copy(self, op: CopyRunOp) -> None:
        self.nest.each(op.count, lambda at: self.copy_element(op, at))

    def copy_element(self, op: CopyRunOp, at: SSAValue) -> None:
        self.store(self.load(op.source, self.nest.sum(op.first, at)), op.dest, self.nest.sum(op.at, at))

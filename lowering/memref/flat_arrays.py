"""The arrays of a program as one-dimensional memrefs without a memory space, and accesses to these memrefs."""

from __future__ import annotations

from typing import Any

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    MemRefType,
    NoneAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    i8,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from tinyml.dialects import scratch
from tinyml.dialects.errors import InputError
from tinyml.dialects.locations import error_at
from tinyml.dialects.rewriting import Rewriter, inherit_location
from tinyml.dialects.scratch import element_bytes, elements_of, memref_type
from tinyml.targets.c.names import Names
from tinyml.transforms.ir.addresses import ArrayLocation, FlatAccesses

ARENA = "arena"
"""The symbol of the arena."""

ALIGNMENT = 8
"""The alignment of the arena in bytes, which is that of the widest element."""


class FlatArrays(FlatAccesses):
    """The arrays of a function as one-dimensional memrefs.

    entry: a builder at the beginning of the function.
    """

    ORIGINS = "expected a constant, an argument or a view"

    def __init__(self, function: func.FuncOp):
        super().__init__(function)
        self.entry = self.nest
        self.views: dict[SSAValue, scratch.ViewOp] = {}
        """For each memref that replaces a view of the arena, this view."""
        name = function.sym_name.data
        functions = (f"{name.removesuffix('_predict')}_{suffix}" for suffix in ("predict", "scores", "input", "row"))
        self.names = Names((name, ARENA, *functions))
        self.constants: dict[Attribute, SSAValue] = {}

    def read(self, memory: SSAValue, index: SSAValue, array: SSAValue) -> SSAValue:
        return self.nest.load(memory, [index])

    def write(self, value: SSAValue, memory: SSAValue, index: SSAValue) -> None:
        self.nest.store(value, memory, [index])

    def address(self, value: SSAValue) -> SSAValue:
        """Emit the address of an array's first element, as an index."""
        root, start = self.place(value)
        address = self.nest.insert(memref.ExtractAlignedPointerAsIndexOp.get(root))
        if start == 0:
            return address
        return self.nest.add(address, self.nest.times(self.nest.value(start), element_bytes(memref_type(root))))

    def bytes_of(self, value: SSAValue) -> tuple[SSAValue, SSAValue | int]:
        """Return the arena that contains a buffer, and the index of the buffer's first byte in the arena. Raises
        `InputError` for a buffer outside the arena.
        """
        root, start = self.place(value)
        if (view := self.views.get(root)) is None:
            raise InputError("an op that works in place takes a buffer of the arena, got an array of the caller")
        size = element_bytes(memref_type(root))
        first = start * size if isinstance(start, int) else self.nest.times(start, size)
        return self.at[view.arena].memory, self.nest.sum(first, view.offset.value.data)

    def constant(self, op: scratch.ConstantOp) -> SSAValue:
        """Emit a constant array. Equal arrays become one memref."""
        if op.value not in self.constants:
            name = self.names.fresh(op.result.name_hint or "table")
            type = flat(op.result)
            raws: TensorType[Any] = TensorType(type.element_type, type.get_shape())
            value = DenseIntOrFPElementsAttr(raws, op.value.data)
            self._global(op, name, type, value, element_bytes(type), constant=UnitAttr())
            self.constants[op.value] = self._begin_with(memref.GetGlobalOp(name, type), op.result)
        return self.constants[op.value]

    def allocate(self, op: Operation) -> None:
        """Create the memref that represents a constant, a local array, the arena or a view. Raises `InputError` for a
        view of any other memref than the arena.
        """
        match op:
            case scratch.ConstantOp():
                self.at[op.result] = ArrayLocation(self.constant(op), 0)
            case memref.AllocaOp():
                type = flat(op.memref)
                local = memref.AllocaOp.get(type.element_type, op.alignment, type.get_shape())
                self.at[op.memref] = ArrayLocation(self._begin_with(local, op.memref), 0)
            case scratch.ArenaOp():
                zeros = DenseIntOrFPElementsAttr(TensorType(i8, [op.size]), BytesAttr(b"\0"))
                self._global(op, ARENA, flat(op.result), zeros, ALIGNMENT)
                self.at[op.result] = ArrayLocation(
                    self._begin_with(memref.GetGlobalOp(ARENA, flat(op.result)), op.result), 0
                )
            case scratch.ViewOp():
                if op.arena not in self.at:
                    raise error_at(op, "expected a view of the arena, got one of another memref")
                shift, arena = self.entry.index(op.offset.value.data), self.at[op.arena].memory
                view = self._begin_with(memref.ViewOp(arena, shift, [], flat(op.result)), op.result)
                self.views[view] = op
                self.at[op.result] = ArrayLocation(view, 0)
            case _:
                pass

    def _begin_with(self, op: Operation, like: SSAValue) -> SSAValue:
        value = self.entry.insert(op)
        value.name_hint = like.name_hint
        return value

    def _global(
        self,
        of: Operation,
        name: str,
        type: MemRefType[Attribute],
        value: Attribute,
        alignment: int,
        constant: UnitAttr | None = None,
    ) -> None:
        global_op = memref.GlobalOp.get(StringAttr(name), type, value, constant=constant, alignment=alignment)
        inherit_location(of.location, global_op)
        Rewriter.insert_op(global_op, InsertPoint.before(self.function))


def flat(array: SSAValue) -> MemRefType[Attribute]:
    """The one-dimensional memref type of an array, without a memory space."""
    return MemRefType(memref_type(array).element_type, [elements_of(array)], memory_space=NoneAttr())

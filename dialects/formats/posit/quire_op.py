"""The base class of ops on a quire in memory, and helpers that emit accesses to its NaR flag and loops over its
bins.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Sequence
from copy import copy
from typing import cast

from xdsl.builder import Builder
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import IndexType, IntegerType, MemRefType
from xdsl.ir import Block, Region, SSAValue
from xdsl.irdl import AnyAttr, operand_def, prop_def
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.posit.layout import LaidOut, Layout
from tinyml.dialects.machine.emitter import EmittedOp, Emitter
from tinyml.dialects.operations import index_constant

FLAG = 8
"""The width of the NaR flag in bits."""

Body = Callable[[Emitter, SSAValue, "Sequence[SSAValue]"], "Sequence[SSAValue]"]


class QuireOp(EmittedOp, ABC):
    """An op on a quire in memory. The property `type` is the quire's type, which specifies the layout."""

    quire = operand_def(MemRefType)
    type = prop_def(AnyAttr())

    @property
    def layout(self) -> Layout:
        """The layout of the quire in memory: the widths, the unit and the step of its integers."""
        return cast(LaidOut, self.type).layout

    def verify_(self) -> None:
        if not isinstance(self.type, LaidOut):
            raise VerifyException(f"expected the type of a quire, got {self.type}")
        if self.quire.type != self.layout.storage:
            raise VerifyException(f"{self.type} is stored as {self.layout.storage}, got {self.quire.type}")


def constant_index(e: Emitter, value: int) -> SSAValue:
    return e.insert(index_constant(value))


def flags_of(e: Emitter, quire: SSAValue) -> SSAValue:
    """The one-byte buffer that contains the NaR flag of a quire, in the sign bit of the byte.

    The index into the buffer is constant, so the byte can stay in a register.
    """
    return e.context.beside(quire, MemRefType(IntegerType(FLAG), [1]), "undefined")


def load(e: Emitter, quire: SSAValue, index: SSAValue) -> SSAValue:
    return e.insert(memref.LoadOp.get(quire, [index]))


def store(e: Emitter, value: SSAValue, quire: SSAValue, index: SSAValue) -> None:
    e.put(memref.StoreOp.get(value, quire, [index]))


def _inside(e: Emitter, block: Block) -> Emitter:
    inner = copy(e)
    inner.builder = Builder(InsertPoint.at_end(block))
    return inner


def loop(e: Emitter, count: int, initial: Sequence[SSAValue], body: Body) -> Sequence[SSAValue]:
    """Emit a loop over the indices from 0 to `count` - 1. Return the results of the loop.

    initial: the values carried to the first iteration.
    body: a function that emits the body of the loop and returns the values carried to the next iteration.
    """
    block = Block(arg_types=[IndexType(), *(value.type for value in initial)])
    inner = _inside(e, block)
    inner.put(scf.YieldOp(*body(inner, block.args[0], block.args[1:])))
    made = scf.ForOp(constant_index(e, 0), constant_index(e, count), constant_index(e, 1), initial, Region(block))
    e.put(made)
    return made.results

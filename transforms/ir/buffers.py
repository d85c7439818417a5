"""Buffers and their views: their readers, the elements and bytes that they have in common, and changes of their
types.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Block, SSAValue, Use
from xdsl.traits import IsolatedFromAbove, MemoryEffectKind, get_effects

from tinyml.dialects import scratch
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.scratch import SliceOp, elements_of, memref_type, size_in_bytes
from tinyml.transforms.ir.indices import AffineSum, affine_sum, offset_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


def buffer_reads(value: SSAValue) -> Iterator[Use]:
    """Yield the uses of a buffer and of its views, except the uses that create a view."""
    for use in value.uses:
        if isinstance(view := use.operation, SliceOp):
            yield from buffer_reads(view.result)
        else:
            yield use


def effects_on(use: Use) -> set[MemoryEffectKind]:
    """The kinds of effects that an op may have on the memory of an operand."""
    op, effects = use.operation, get_effects(use.operation) or ()
    return {effect.kind for effect in effects if effect.value is None or effect.value is op.operands[use.index]}


def memory_of(root: SSAValue) -> SSAValue:
    """The memory of a root buffer: the arena that contains it, or the buffer itself if it is not in an arena.

    In an arena, results may overwrite operands.
    """
    return root.owner.arena if isinstance(root.owner, scratch.ViewOp) else root


def start_of(root: SSAValue) -> int:
    return root.owner.offset.value.data if isinstance(root.owner, scratch.ViewOp) else 0


def is_handed_on(value: SSAValue) -> bool:
    """Whether a memref may be one of several buffers, because loops carry it, or branches or selections choose it."""
    owner = scratch.root(value).owner
    if isinstance(owner, Block):
        around = owner.parent_op()
        carried = around is None or not around.has_trait(IsolatedFromAbove)
    else:
        carried = bool(owner.regions) or isinstance(owner, arith.SelectOp)
    return isinstance(value.type, MemRefType) and carried


def bytes_of(root: SSAValue) -> tuple[int, int]:
    """The half-open range of bytes of a root buffer in its memory."""
    return start_of(root), start_of(root) + size_in_bytes(memref_type(root))


def overlap(a: SSAValue, b: SSAValue) -> bool:
    """Whether two root buffers have a common byte."""
    (first, end), (other, other_end) = bytes_of(a), bytes_of(b)
    return memory_of(a) is memory_of(b) and first < other_end and other < end


def element_of(buffer: SSAValue, indices: Sequence[SSAValue]) -> AffineSum:
    """The position, in the root buffer, of an element of a view.

    buffer: the view.
    indices: the indices of the element in the view.
    """
    return offset_of(indices, memref_type(buffer).get_shape()).plus(first_element(buffer))


def first_element(buffer: SSAValue) -> AffineSum:
    """The position, in the root buffer, of the first element of a view."""
    total = AffineSum(0, {})
    while isinstance(slice := buffer.owner, SliceOp):
        total, buffer = total.plus(affine_sum(slice.offset)), slice.source
    return total


def place_of(buffer: SSAValue, indices: Sequence[SSAValue] = ()) -> tuple[SSAValue, tuple[int, int], AffineSum]:
    """Return the place of an element: the memory, the result of `unit_of` for the buffer's type, and the position of
    the element from the start of the memory, in bytes if elements are whole bytes.

    Equal places are the same bits.

    indices: the indices of the element in the buffer; by default the first element.
    """
    root, type = scratch.root(buffer), memref_type(buffer)
    position = element_of(buffer, indices).times(scratch.element_bytes(type))
    return memory_of(root), scratch.unit_of(type), position.plus(AffineSum(start_of(root), {}))


def constant_raws(run: SSAValue) -> NDArray[np.int64] | None:
    """The raws of the part of a constant that a memref views, as a vector. None if the memref does not view a constant,
    if the start of the view is not constant, or if the constant is loaded at run time.
    """
    first, factors = first_element(run)
    if factors or (constant := scratch.constant_root(run)) is None or constant.loaded:
        return None
    return constant.raws.reshape(-1)[first : first + elements_of(run)].astype(np.int64)


def retype_elements(value: SSAValue, element: Attribute) -> None:
    """Change the element type of a buffer, of its views and of the numbers that are loaded from them."""
    type = memref_type(value)
    new = MemRefType(element, type.get_shape(), memory_space=type.memory_space)
    value = Rewriter.replace_value_with_new_type(value, new)
    for use in list(value.uses):
        if isinstance(view := use.operation, SliceOp):
            retype_elements(view.result, element)
        elif isinstance(load := use.operation, memref.LoadOp):
            Rewriter.replace_value_with_new_type(load.res, element)


def retype_buffer(value: SSAValue, type: MemRefType[Attribute]) -> None:
    """Change the type of a buffer to `type`, and the memory space of its views to that of `type`."""
    value = Rewriter.replace_value_with_new_type(value, type)
    for use in list(value.uses):
        if isinstance(view := use.operation, SliceOp):
            old = memref_type(view.result)
            retype_buffer(view.result, MemRefType(old.element_type, old.get_shape(), memory_space=type.memory_space))

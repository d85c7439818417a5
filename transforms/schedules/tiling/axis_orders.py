"""Images stored in an order of axes other than 1 x H x W x C, such as channel by channel, that need not be copied.

Convolutions gather their windows from such an input directly, and write such a result directly. An input that the
program may overwrite can be transposed in place.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue, Use

from tinyml.dialects import tdsl
from tinyml.dialects.scratch import packed_bits
from tinyml.dialects.scratch.types import packed_type
from tinyml.transforms.schedules.tiling.padding import padding

Axes = tuple[int, ...]
"""For each axis of an image N x H x W x C, the corresponding axis of the tensor in memory."""

IDENTITY_ORDER: Axes = (0, 1, 2, 3)


def gathered(image: SSAValue) -> tdsl.TransposeOp | None:
    """The transposition that defines an image, if its readers can gather windows from its operand instead. None
    otherwise.

    The operand must be the program's input, whole or received, and all readers must be convolutions. The
    `permutation` of the result specifies the axes of the operand.
    """
    op = image.owner
    return op if isinstance(op, tdsl.TransposeOp) and _is_open(op) and _can_be_gathered(op) else None


def written(image: SSAValue) -> tdsl.TransposeOp | None:
    """The transposition that is the only reader of an image and whose result the program returns. None otherwise."""
    if not image.has_one_use():
        return None
    [use] = image.uses
    op = use.operation
    return op if isinstance(op, tdsl.TransposeOp) and _is_open(op) and _can_be_written(op) else None


def axes_written(op: tdsl.TransposeOp) -> Axes:
    return tuple(op.axes.index(axis) for axis in range(4))


def orders(function: func.FuncOp) -> Iterator[tdsl.TransposeOp]:
    """Yield the transpositions of a function that can be avoided, or performed in place."""
    for op in function.body.block.ops:
        if isinstance(op, tdsl.TransposeOp) and (needs_no_memory(op) or can_turn(op)):
            yield op


def needs_no_memory(op: tdsl.TransposeOp) -> bool:
    """Whether the result of a transposition needs no memory, because its readers can gather from the operand, or
    the op that computes the operand can write the result.
    """
    return _can_be_gathered(op) or _can_be_written(op)


def can_turn(op: tdsl.TransposeOp) -> bool:
    """Whether an op can transpose its operand in place.

    The operand must be the program's input, located in the arena, and have no other readers. The caller must not send
    it in frames. Its elements must occupy whole bytes, or half bytes if they are packed.
    """
    given = tdsl.input_of(op.input)
    if not _moves_axes(op) or op.matrix is None or not op.input.has_one_use() or given is None or not given.reused:
        return False
    packed = packed_type(MemRefType(tdsl.format_of(op.input).type, tdsl.shape_of(op.input)))
    return given.pushed is None and (packed is None or packed_bits(packed) == 4)


def _is_open(op: tdsl.TransposeOp) -> bool:
    return op.copied is None and op.in_place is None


def _can_be_gathered(op: tdsl.TransposeOp) -> bool:
    given = op.input.owner.image if isinstance(op.input.owner, tdsl.ReceiveOp) else op.input
    if not _moves_axes(op) or tdsl.input_of(given) is None:
        return False
    uses = list(op.out.uses)
    return bool(uses) and all(map(_reads_windows, uses)) and op.input.has_one_use()


def _can_be_written(op: tdsl.TransposeOp) -> bool:
    maker = op.input.owner
    while isinstance(maker, tdsl.ElementwiseOp) and op.input.has_one_use():
        same = [value for value in maker.inputs if tdsl.shape_of(value) == tdsl.shape_of(op.input)]
        if len(same) != 1 or not same[0].has_one_use():
            return False
        maker = same[0].owner
    returned = op.out.has_one_use() and isinstance(next(iter(op.out.uses)).operation, func.ReturnOp)
    return _moves_axes(op) and returned and _is_tiled_later(maker) and op.input.has_one_use()


def _moves_axes(op: tdsl.TransposeOp) -> bool:
    shape = tdsl.shape_of(op.input)
    return op.result is not None and len(shape) == 4 and shape[0] == 1 and op.axes[0] == 0 and not op.keeps_order


def _reads_windows(use: Use) -> bool:
    op = use.operation
    if isinstance(op, tdsl.PadOp):
        return padding(op.out) is not None and all(map(_reads_windows, op.out.uses))
    return _is_tiled_later(op) and use.index == 1


def _is_tiled_later(op: object) -> bool:
    return isinstance(op, tdsl.Conv2dOp) and op.turns is None

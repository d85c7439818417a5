"""Changes of the axes of nests over memories."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, i64

from tinyml.dialects import num
from tinyml.transforms.ir.index_maps import expand_nest
from tinyml.transforms.ir.loop_nest import LoopBuilder


def shorten(nest: num.NestOp, extent: int) -> None:
    """Set the extent of the last axis of a nest.

    If the extent is 1, the axis is removed, and its index becomes 0. A nest without axes is replaced by its body.
    """
    *outer, _ = nest.shape
    builder, body = LoopBuilder(nest), nest.body.block
    if extent == 1:
        body.args[-1].replace_all_uses_with(builder.index(0))
        body.erase_arg(body.args[-1])
    nest.extents = DenseArrayBase.from_list(i64, outer if extent == 1 else [*outer, extent])
    if not nest.shape:
        expand_nest(nest)

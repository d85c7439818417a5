"""xDSL's rewriters and builders, extended so that new ops inherit the locations of the ops that they replace.

MLIR's builders require a location for every op. xDSL's builders assign the unknown location: after some passes, errors
would have no location in the input, and `--print-debuginfo` would print none. Passes and patterns import the classes of
this module instead of xDSL's classes of the same names.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from xdsl import builder, pattern_rewriter, rewriter
from xdsl.builder import InsertOpInvT
from xdsl.dialects.builtin import LocationAttr, UnknownLoc
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from tinyml.dialects.locations import origin


def inherit_location(location: LocationAttr, ops: Operation | Sequence[Operation]) -> None:
    """Set the location of all ops without a location, including nested ops, to the origin of `location`.

    The name in `location` is not copied, because `name_operations` assigns names to the ops of a program on buffers.
    """
    location = origin(location)
    if isinstance(location, UnknownLoc):
        return
    for op in (ops,) if isinstance(ops, Operation) else ops:
        for each in op.walk():
            if isinstance(each.location, UnknownLoc):
                each.location = location


def location_at(point: InsertPoint) -> LocationAttr:
    """The location of the op after an insertion point.

    At the end of a block, it is the location of the last op of the block or, in an empty block, of the parent op.
    """
    nearest = point.insert_before or point.block.last_op or point.block.parent_op()
    return UnknownLoc() if nearest is None else nearest.location


class Rewriter(rewriter.Rewriter):
    """A variant of xDSL's `Rewriter` that assigns a location to ops without one.

    The location is that of the replaced op, or of the op at the insertion point.
    """

    @staticmethod
    def replace_op(
        op: Operation,
        new_ops: Operation | Sequence[Operation],
        new_results: Sequence[SSAValue | None] | None = None,
        safe_erase: bool = True,
    ) -> None:
        inherit_location(op.location, new_ops)
        rewriter.Rewriter.replace_op(op, new_ops, new_results, safe_erase)

    @staticmethod
    def insert_op(op_or_ops: Operation | Sequence[Operation], insertion_point: InsertPoint) -> None:
        inherit_location(location_at(insertion_point), op_or_ops)
        rewriter.Rewriter.insert_op(op_or_ops, insertion_point)


class Builder(builder.Builder):
    """A variant of xDSL's `Builder` that assigns `location` to ops without a location.

    By default, `location` is the location of the op at the first insertion point.
    """

    def __init__(self, insertion_point: InsertPoint, location: LocationAttr | None = None) -> None:
        super().__init__(insertion_point)
        self.location = location_at(insertion_point) if location is None else location

    def insert(self, op: InsertOpInvT, insertion_point: InsertPoint | None = None) -> InsertOpInvT:
        inherit_location(self.location, op)
        return super().insert(op, insertion_point)


class LocatedPattern(RewritePattern):
    """A rewrite pattern whose new ops receive the location of the matched op."""

    def __init__(self, pattern: RewritePattern) -> None:
        self.pattern = pattern

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        handlers = rewriter.operation_insertion_handler
        handlers.append(partial(inherit_location, op.location))
        try:
            self.pattern.match_and_rewrite(op, rewriter)
        finally:
            handlers.pop()


class PatternRewriteWalker(pattern_rewriter.PatternRewriteWalker):
    """A variant of xDSL's `PatternRewriteWalker` that assigns the location of the matched op to each new op without a
    location.
    """

    def __init__(self, pattern: RewritePattern, **options: Any) -> None:
        super().__init__(LocatedPattern(pattern), **options)

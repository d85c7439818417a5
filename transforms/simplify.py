"""`simplify`: the folds and canonicalization patterns of ops, as xDSL's `canonicalize` in less time.

It reaches the same fixed point. xDSL's pass asks each op for its traits and effects on every visit, and iterates over
all ops until none of them becomes live; this one looks traits up once per class of ops, and finds dead ops in one walk
from the last op to the first.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.folder import Folder
from xdsl.ir import Block, Operation, Region
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
)
from xdsl.traits import ConstantLike, HasCanonicalizationPatternsTrait, HasFolder, MemoryEffect
from xdsl.transforms.dead_code_elimination import is_trivially_dead, region_dce


class SimplifyPass(ModulePass):
    """Fold, canonicalize and erase dead ops until nothing changes."""

    name = "simplify"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        _erase_dead(op.body)
        _SimplifyWalker(_Simplification(ctx), post_walk_func=_erase_dead).rewrite_module(op)


class _Rules(NamedTuple):
    """The rewrites of the ops of a class."""

    folds: bool
    pattern: RewritePattern | None
    has_effects: bool
    """True if the effects of such ops are known; others are never dead."""


@cache
def _rules_of(kind: type[Operation]) -> _Rules:
    # Constants fold to themselves.
    folds = kind.has_trait(HasFolder) and not kind.has_trait(ConstantLike)
    traits = kind.get_traits_of_type(HasCanonicalizationPatternsTrait)
    patterns = [pattern for trait in traits for pattern in trait.get_patterns(kind)]
    pattern = (
        GreedyRewritePatternApplier(patterns, dce_enabled=False) if len(patterns) > 1 else next(iter(patterns), None)
    )
    return _Rules(folds, pattern, kind.has_trait(MemoryEffect))


class _Simplification(RewritePattern):
    """Erase, fold or canonicalize one op, whichever applies first."""

    def __init__(self, ctx: Context) -> None:
        self._folder = Folder(ctx)

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        rules = _rules_of(type(op))
        if rules.has_effects and is_trivially_dead(op):
            rewriter.erase(op)
        elif rules.folds and self._folder.replace_with_fold(op, rewriter) is not None:
            pass
        elif rules.pattern is not None:
            rules.pattern.match_and_rewrite(op, rewriter)


class _SimplifyWalker(PatternRewriteWalker):
    """A walk that begins with the ops that folds or patterns may change."""

    def _populate_worklist(self, op: Operation | Region | Block) -> None:
        for inner in op.walk(reverse=True, region_first=True):
            rules = _rules_of(type(inner))
            if rules.folds or rules.pattern is not None:
                self._worklist.push(inner)


def _erase_dead(region: Region, listener: PatternRewriterListener | None = None) -> bool:
    """Erase dead ops, users before what they use; true if there were any."""
    if len(region.blocks) > 1:  # Values may be used in earlier blocks.
        return region_dce(region, listener)
    changed = False
    for block in region.blocks:
        for op in reversed(block.ops):
            if is_trivially_dead(op):
                if listener is not None:
                    listener.handle_operation_removal(op)
                block.erase_op(op, safe_erase=False)
                changed = True
            else:
                for inner in op.regions:
                    changed |= _erase_dead(inner, listener)
    return changed

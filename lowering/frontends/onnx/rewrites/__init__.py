"""Rewrites of imported programs (L0) to the ops and loops of the project, a pattern in each file."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker, RewritePattern

from tinyml.lowering.frontends.onnx.rewrites.extended_sequences import ExtendedSequence
from tinyml.lowering.frontends.onnx.rewrites.flattened_images import WeightsOfFlattenedImage
from tinyml.lowering.frontends.onnx.rewrites.prototypes import SumOverPrototypes
from tinyml.lowering.frontends.onnx.rewrites.scaled_layers import AddedTwice, ScaledLayer
from tinyml.lowering.frontends.onnx.rewrites.sparse_weights import SparseWeights


def simplify(module: ModuleOp) -> None:
    """Apply all rewrites, each group of them until none matches."""
    first: list[RewritePattern] = [
        WeightsOfFlattenedImage(),
        ScaledLayer(),
        AddedTwice(),
        SumOverPrototypes(),
        ExtendedSequence(),
    ]
    last: list[RewritePattern] = [SparseWeights()]
    for patterns in (first, last):
        PatternRewriteWalker(GreedyRewritePatternApplier(patterns)).rewrite_module(module)

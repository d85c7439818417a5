"""`spread-maps`: replaces each `tdsl.map` by tensor ops, one for each of its steps (L0, L1). The inverse is
`fuse-elementwise`.

Formats are chosen tensor by tensor. Intermediate results inside a map would have neither a profile nor a format.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.rewriting import PatternRewriteWalker
from tinyml.transforms.formats.assignment.map_steps import SpreadMap


@dataclass(frozen=True)
class SpreadMapsPass(ModulePass):
    """Replace every `tdsl.map` by tensor ops, one for each of its steps. No result changes.

    Raises `InputError` for a step that no tensor op computes.
    """

    name = "spread-maps"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if any(isinstance(inner, tdsl.MapOp) for inner in op.walk()):
            PatternRewriteWalker(SpreadMap(), apply_recursively=False).rewrite_module(op)

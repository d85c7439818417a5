"""Counts of the passes that run, which are equal on every computer."""

from __future__ import annotations

from collections import Counter

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import PassPipeline


def counted_passes(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """A counter of the passes that run after this call, by name."""
    runs: Counter[str] = Counter()
    apply = PassPipeline.apply

    def counting(self: PassPipeline, ctx: Context, op: ModuleOp) -> None:
        runs.update(step.name for step in self.passes)
        apply(self, ctx, op)

    monkeypatch.setattr(PassPipeline, "apply", counting)
    return runs

"""Execution of the pipelines of lower levels on candidates."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline

from tinyml.dialects.context import context, registry
from tinyml.transforms.search.costs.pipelines_below import PROOF


def registered_pass(name: str, **options: Any) -> Any:
    """The registered pass of a name, given the options that it has fields for; other options are dropped."""
    made: Any = registry().all_passes[name]()
    taken = {field.name for field in fields(made)}
    return made(**{option: value for option, value in options.items() if option in taken})


class LoweringPasses:
    """The passes of pipelines, in order, followed by single passes.

    pipelines: names from `pipelines_below`. options: each pipeline gets those that it has. Nothing is verified between
    passes, which would take most of the time.
    """

    def __init__(self, pipelines: tuple[str, ...], *more: ModulePass, **options: Any):
        steps = [step for name in pipelines for step in registered_pass(name, **options).steps()]
        self.context = context()
        self.passes = PassPipeline((*(step for step in steps if step.name != PROOF), *more))

    def apply(self, module: ModuleOp) -> None:
        """Lower a program in place."""
        self.passes.apply(self.context, module)

"""Verification of a module at the end of a pipeline."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.transforms.ir.levels import Level, check_level, level_of


class EndVerification:
    """The verification of a module after the last pass of a pipeline.

    The module must have been verified before the pipeline. Between the passes only the level is checked, where it
    changes. The verification takes a few percent of a compilation. To find the pass that causes an error, use
    `verification.py`.

    suspect: the pass that is running, or that ran before a failed check; None before the first pass.
    """

    def __init__(self) -> None:
        self.level: Level | None = None
        self.suspect: ModulePass | None = None

    def between(self, before: ModulePass | None, module: ModuleOp, after: ModulePass | None) -> None:
        """Verify a module after the last pass. Before a pass whose level differs from the level that was checked last,
        raise `InputError` unless the module has the level of this pass.

        before, after: the previous and the next pass; None at the start and at the end of the pipeline.
        """
        self.suspect = before
        if after is None:
            module.verify()
        if after is not None and (level := level_of(after)) is not None and level is not self.level:
            check_level(after, module)
            self.level = level
        self.suspect = after

"""Passes that state the condition without which they leave a module unchanged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass


@dataclass(frozen=True)
class ConditionalPass(ModulePass):
    """A pass that leaves each module without certain ops unchanged, or each module for which `obstacle` states another
    reason. `--pass-effects` prints this reason.
    """

    ACTS_ON: ClassVar[tuple[type[Operation], ...]] = ()
    """Classes of ops; a module without any of them is unchanged. Empty for a pass that overrides `obstacle`."""

    def obstacle(self, module: ModuleOp) -> str | None:
        """The reason why the pass leaves a module unchanged, such as "no tdsl.spmv". None if the pass may change it, or
        may raise an error.
        """
        return absent(module, *self.ACTS_ON)


def absent(module: ModuleOp, *kinds: type[Operation]) -> str | None:
    """Return "no NAME, NAME or NAME" with the names of classes of ops if a module contains none of these ops. None
    otherwise.
    """
    if any(isinstance(op, kinds) for op in module.walk()):
        return None
    *names, last = (kind.name for kind in kinds)
    return f"no {', '.join(names)} or {last}" if names else f"no {last}"

"""What `tinyml-opt` says of each pass on standard error: the IR after it, and the seconds that it took."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.tools.cli.ir_printer import IRPrinter


class PassWatch:
    """An observer between passes. dumps: print the IR after each. times: print the seconds of each."""

    def __init__(self, *, dumps: bool, times: bool):
        self.dumps, self.times = dumps, times
        self._started = 0.0

    @property
    def is_on(self) -> bool:
        return self.dumps or self.times

    def start(self) -> None:
        """Begin to time the next pass."""
        self._started = time.perf_counter()

    def between(self, before: ModulePass | None, module: ModuleOp) -> None:
        """Report on the pass before, if there was one."""
        if before is None:
            return
        if self.times:
            print(f"{time.perf_counter() - self._started:10.4f} s  {before.name}", file=sys.stderr)
        if self.dumps:
            print(f"// -----// IR Dump After {before.name} //----- //", file=sys.stderr)
            IRPrinter(sys.stderr).print_op(module)
            print(file=sys.stderr)


def single_passes(passes: Sequence[ModulePass]) -> Iterator[ModulePass]:
    """Yield passes with the steps of a named pipeline in its place, unless it sets the target of the module."""
    from tinyml.lowering.pipelines import Pipeline

    for each in passes:
        if isinstance(each, Pipeline) and each.sets_target is None:
            yield from each.steps()
        else:
            yield each

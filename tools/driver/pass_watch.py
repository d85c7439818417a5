"""Reports of `tinyml-opt` on each pass, on standard error: the IR after it, and the seconds that it took."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.tools.cli.ir_printer import IRTarget


@dataclass
class PassWatch:
    """An observer between passes.

    printing: the text of the IR, as the options of the command ask for it. dumps: print the IR after each pass.
    changes: only after passes that changed the text. times: print the seconds of each pass.
    """

    printing: IRTarget
    dumps: bool = False
    changes: bool = False
    times: bool = False
    _started: float = 0.0
    _text: str | None = None

    @property
    def is_on(self) -> bool:
        return self.dumps or self.changes or self.times

    def start(self, module: ModuleOp) -> None:
        """Begin to watch the next pass."""
        if self.changes and self._text is None:
            self._text = self._printed(module)
        self._started = time.perf_counter()

    def _printed(self, module: ModuleOp) -> str:
        text = StringIO()
        self.printing.emit(Context(), module, text)
        return text.getvalue().rstrip("\n")

    def between(self, before: ModulePass | None, module: ModuleOp) -> None:
        """Report on the pass before, if there was one."""
        if before is None:
            return
        if self.times:
            print(f"{time.perf_counter() - self._started:10.4f} s  {before.name}", file=sys.stderr)
        if not (self.dumps or self.changes):
            return
        text, last = self._printed(module), self._text
        self._text = text
        if self.dumps or text != last:
            print(f"// -----// IR Dump After {before.name} //----- //", file=sys.stderr)
            print(text, file=sys.stderr)


def single_passes(passes: Sequence[ModulePass]) -> Iterator[ModulePass]:
    """Yield passes with the steps of a named pipeline in its place, unless it sets the target of the module."""
    from tinyml.lowering.pipelines import Pipeline

    for each in passes:
        if isinstance(each, Pipeline) and each.sets_target is None:
            yield from each.steps()
        else:
            yield each

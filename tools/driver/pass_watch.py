"""Reports on passes, by default on standard error: the IR after each pass, the effect and the seconds of each pass,
statistics and remarks.
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass, PassPipeline

from tinyml.dialects.locations import source_location, source_names
from tinyml.dialects.remarks import RemarkKind, Statistic, heard_by
from tinyml.lowering.pipeline_steps import If
from tinyml.lowering.pipelines import Pipeline
from tinyml.tools.cli.ir_printer import IRTarget
from tinyml.transforms.ir.conditional_pass import ConditionalPass


def effect_line(effect: str, name: str, reason: str = "") -> str:
    """The line on the effect of a pass."""
    return f"{effect:9}  {name}" + (f": {reason}" if reason else "")


def _show(line: str) -> None:
    print(line, file=sys.stderr)


CHANGED = "changed"


@dataclass
class PassWatch:
    """An observer that is called between passes.

    printing: prints the IR with the options of the command.
    dumps: print the IR after each pass.
    changes: print the IR only after passes that changed the text.
    effects: print for each pass whether it changed the program and, if not, the remarks or the condition that say why.
    times: print the seconds of each pass.
    statistics: print the passes' statistics at the end.
    remarks: for each kind of remarks, a pattern for the names of passes.
    show: receives each line on the effect of a pass.
    """

    printing: IRTarget
    dumps: bool = False
    changes: bool = False
    effects: bool = False
    times: bool = False
    statistics: bool = False
    remarks: Mapping[RemarkKind, re.Pattern[str]] = field(default_factory=dict[RemarkKind, re.Pattern[str]])
    show: Callable[[str], None] = _show
    _counts: dict[str, Counter[Statistic]] = field(default_factory=dict[str, Counter[Statistic]])
    _running: str = ""
    _module: ModuleOp | None = None
    _started: float = 0.0
    _text: str | None = None
    _reasons: list[str] = field(default_factory=list[str])
    _skipped: list[If] = field(default_factory=list[If])

    @property
    def is_on(self) -> bool:
        return self.dumps or self._compares or self.times or self.statistics or bool(self.remarks)

    @property
    def _compares(self) -> bool:
        return self.changes or self.effects

    def start(self, module: ModuleOp, after: ModulePass | None) -> None:
        """Begin to observe the pass `after`, which runs next. If it is None, all passes have run; print the statistics
        if they are requested.
        """
        self._module, self._running = module, after.name if after is not None else ""
        if after is None and self.statistics:
            self._report_statistics()
        if self._compares and self._text is None:
            self._text = self._printed(module)
        self._reasons.clear()
        for step in self._skipped if self.effects else ():
            self._report_effect("left out", step.step, f"only if {step.condition}")
        self._skipped.clear()
        self._started = time.perf_counter()

    def resume(self) -> None:
        """Attribute the changes since the last pass to no pass: a pipeline records its target in the module."""
        self._text = None

    def hears(self, op: Operation) -> bool:
        return op.get_toplevel_object() is self._module

    def counted(self, statistic: Statistic, count: int) -> None:
        self._counts.setdefault(self._running, Counter())[statistic] += count

    def remarked(self, kind: RemarkKind, op: Operation, text: str) -> None:
        """Print a remark of the current pass: its location, its kind, the pass, the op and the text."""
        if kind is RemarkKind.MISSED:
            self._reasons.append(text)
        pattern = self.remarks.get(kind)
        if pattern is None or pattern.search(self._running) is None:
            return
        place = ":".join(map(str, source_location(op) or ("unknown",)))
        hint = next((result.name_hint for result in op.results if result.name_hint), None)
        name = next(iter(source_names(op)), hint)
        at = op.name if name is None else f"{op.name} '{name}'"
        print(f"{place}: remark: [{kind.value}] {self._running}: {at}: {text}", file=sys.stderr)

    def _report_statistics(self) -> None:
        line = f"===-{'-' * 73}-==="
        print(f"{line}\n{'... Pass statistics report ...':^{len(line)}}".rstrip() + f"\n{line}", file=sys.stderr)
        for name, counts in self._counts.items():
            print(name, file=sys.stderr)
            width = max(len(str(count)) for count in counts.values())
            for statistic, count in sorted(counts.items(), key=lambda item: item[0].name):
                print(f"  (S) {count:{width}} {statistic.name} - {statistic.text}", file=sys.stderr)
        self._counts = {}

    def _printed(self, module: ModuleOp) -> str:
        text = StringIO()
        self.printing.emit(Context(), module, text)
        return text.getvalue().rstrip("\n")

    def between(self, before: ModulePass | None, module: ModuleOp) -> None:
        """Report the time of the pass `before` and the IR after it, as requested. Print nothing before the first pass,
        for which `before` is None.
        """
        if before is None:
            return
        if self.times:
            print(f"{time.perf_counter() - self._started:10.4f} s  {before.name}", file=sys.stderr)
        if not (self.dumps or self._compares):
            return
        text, last = self._printed(module), self._text
        self._text = text
        if self.effects:
            if text != last:
                self._report_effect(CHANGED, before.name)
            else:
                self._report_effect("no change", before.name, self._reason(before, module))
        if self.dumps or (self.changes and text != last):
            print(f"// -----// IR Dump After {before.name} //----- //", file=sys.stderr)
            print(text, file=sys.stderr)

    def _reason(self, unchanged: ModulePass, module: ModuleOp) -> str:
        """Why a pass did not change a module: its remarks or, without remarks, the condition that the pass states."""
        if not self._reasons and isinstance(unchanged, ConditionalPass):
            return unchanged.obstacle(module) or ""
        return "; ".join(dict.fromkeys(self._reasons))

    def left_out(self, step: If) -> None:
        """Report a step whose condition is false, as requested, after the effect of the pass before it."""
        self._skipped.append(step)

    def _report_effect(self, effect: str, name: str, reason: str = "") -> None:
        self.show(effect_line(effect, name, reason))


@dataclass(frozen=True)
class SinglePasses(PassPipeline):
    """A pass pipeline that runs the steps of named pipelines one by one, so that the callback is called between them.

    The steps of a named pipeline depend on the module's target, which earlier passes may have recorded. They are
    therefore determined when the pipeline's turn comes.
    """

    watch: PassWatch = field(kw_only=True)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        assert self.callback is not None
        before: ModulePass | None = None
        for each in self.passes:
            steps: Sequence[ModulePass | If] = [each]
            if isinstance(each, Pipeline):
                # Errors in its options are those of the pipeline.
                self.callback(before, op, each)
                before, steps = None, each.resolved_steps(op)
                self.watch.resume()
            before = run_steps(steps, ctx, op, self.watch, self.callback, before)
        self.callback(before, op, None)


Callback = Callable[[ModulePass | None, ModuleOp, ModulePass | None], None]
"""A function that is called before each pass and after the last one, with the previous and the next pass."""


def run_steps(
    steps: Iterable[ModulePass | If],
    ctx: Context,
    op: ModuleOp,
    watch: PassWatch,
    callback: Callback,
    before: ModulePass | None = None,
) -> ModulePass | None:
    """Run steps one by one, and report steps that are left out to `watch`. Return the last pass.

    before: the previous pass; None if there is none.
    """
    for step in steps:
        if isinstance(step, If):
            watch.left_out(step)
            continue
        callback(before, op, step)
        step.apply(ctx, op)
        before = step
    return before


def effects_of(steps: Iterable[ModulePass | If], ctx: Context, op: ModuleOp) -> list[str]:
    """Run steps on a module, which they change. Return a line for each of them: whether the pass changed the module,
    why it did not, or the condition of a step that was left out.
    """
    lines: list[str] = []
    watch = PassWatch(IRTarget(), effects=True, show=lines.append)

    def callback(before: ModulePass | None, module: ModuleOp, after: ModulePass | None) -> None:
        watch.between(before, module)
        watch.start(module, after)

    with heard_by(watch):
        callback(run_steps(steps, ctx, op, watch, callback), op, None)
    return lines

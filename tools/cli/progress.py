"""Progress display for long tasks: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from contextvars import ContextVar
from types import TracebackType
from typing import Any

from tinyml.dialects.errors import visible

SILENT: ContextVar[bool] = ContextVar("SILENT", default=False)
"""True if no progress is shown, as for callers from Python."""


class Progress:
    """Progress through named steps, shown on standard error. Use an instance as a context manager.

    title: the text before the name of the step.
    """

    def __init__(self, title: str, steps: int):
        self.title = visible(title)
        self.steps = steps
        self.done = 0
        self._bar: Any = None
        self._task: Any = None
        self._detail = ""

    def __enter__(self) -> Progress:
        if sys.stderr.isatty() and not SILENT.get():
            # Only a terminal needs rich's bars.
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as RichProgress

            columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
            self._bar = RichProgress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(self.title, total=self.steps)
        return self

    def step(self, name: str) -> None:
        """Begin the next step."""
        if self._bar is not None:
            self._bar.update(self._task, description=f"{self.title}: {name}", completed=self.done)
        elif not SILENT.get():
            print(f"{self.title}: {name}", file=sys.stderr, flush=True)
        self.done += 1

    def detail(self, name: str, text: str) -> None:
        """Show progress within the step. Without a bar, only the name of the detail is printed, once."""
        if self._bar is not None:
            self._bar.update(self._task, description=f"{self.title}: {name}: {visible(text)}")
        elif name != self._detail and not SILENT.get():
            print(f"{self.title}: {name}", file=sys.stderr, flush=True)
        self._detail = name

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

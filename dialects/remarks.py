"""Optional reports of passes on their decisions: remarks at ops, and statistics.

As in MLIR, a remark is attached to an op and describes what a pass did there, or why it did nothing. A statistic counts
events of a pass. Passes create remarks and statistics by `passed`, `missed` and `Statistic.add`. The reports are
discarded unless a tool registers a listener (`heard_by`). The listener receives only reports about the module on which
it runs passes, and none about copies that a search evaluates.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from xdsl.ir import Operation


class RemarkKind(Enum):
    """The kind of a remark. The values are the words that the command-line options of MLIR and LLVM use."""

    PASSED = "passed"
    MISSED = "missed"


@dataclass(frozen=True)
class Statistic:
    """A counter of a pass.

    name: a name in the style of MLIR's statistics, such as `num-fused`.
    text: a description of the counted event.
    """

    name: str
    text: str

    def add(self, op: Operation, count: int = 1) -> None:
        """Add `count` events at an op of the module on which the pass runs. Without a listener for this op, nothing is
        counted.
        """
        if (listener := _listener_at(op)) is not None:
            listener.counted(self, count)


class Listener(Protocol):
    """A receiver of remarks and statistics."""

    def hears(self, op: Operation) -> bool:
        """True if the listener receives reports about an op, because the op belongs to the module on which the passes
        run.
        """
        ...

    def counted(self, statistic: Statistic, count: int) -> None: ...
    def remarked(self, kind: RemarkKind, op: Operation, text: str) -> None: ...


_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener) -> Generator[None]:
    """A context in which passes report their remarks and statistics to a listener."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def _listener_at(op: Operation) -> Listener | None:
    listener = _LISTENER.get()
    return listener if listener is not None and listener.hears(op) else None


def passed(op: Operation, text: str) -> None:
    """Report a remark at an op: what the current pass did there."""
    _remark(RemarkKind.PASSED, op, text)


def missed(op: Operation, text: str | Callable[[], str]) -> None:
    """Report a remark at an op: why the current pass did nothing there.

    text: the reason, or a function that returns the reason if it is expensive to determine.
    """
    _remark(RemarkKind.MISSED, op, text)


def _remark(kind: RemarkKind, op: Operation, text: str | Callable[[], str]) -> None:
    if (listener := _listener_at(op)) is not None:
        listener.remarked(kind, op, text if isinstance(text, str) else text())

"""What passes say of their decisions when somebody asks: remarks at ops, and statistics.

As in MLIR, a remark says at an op what a pass did there, or why it did not, and a statistic counts what it did. Passes
say both where they decide, by `passed`, `missed` and `Statistic.add`; nobody hears them unless a tool asks
(`heard_by`), and then only what is said of the module that it runs passes on, not of copies that a search tries.
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
    """Whether a transformation was applied. The words are those of MLIR's and LLVM's options."""

    PASSED = "passed"
    MISSED = "missed"


@dataclass(frozen=True)
class Statistic:
    """A count of a pass. name: as MLIR names statistics, such as `num-fused`. text: what is counted."""

    name: str
    text: str

    def add(self, op: Operation, count: int = 1) -> None:
        """Count what a pass did, once or several times, at an op of its module."""
        if (listener := _listener_at(op)) is not None:
            listener.counted(self, count)


class Listener(Protocol):
    """Who asked."""

    def hears(self, op: Operation) -> bool:
        """True for an op of the module that passes run on."""
        ...

    def counted(self, statistic: Statistic, count: int) -> None: ...
    def remarked(self, kind: RemarkKind, op: Operation, text: str) -> None: ...


_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener) -> Generator[None]:
    """Let a listener hear what passes say."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def _listener_at(op: Operation) -> Listener | None:
    listener = _LISTENER.get()
    return listener if listener is not None and listener.hears(op) else None


def passed(op: Operation, text: str) -> None:
    """Say at an op what was done there."""
    _remark(RemarkKind.PASSED, op, text)


def missed(op: Operation, text: str | Callable[[], str]) -> None:
    """Say at an op why something was not done there. text: a function where finding out takes time."""
    _remark(RemarkKind.MISSED, op, text)


def _remark(kind: RemarkKind, op: Operation, text: str | Callable[[], str]) -> None:
    if (listener := _listener_at(op)) is not None:
        listener.remarked(kind, op, text if isinstance(text, str) else text())

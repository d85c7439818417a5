"""Lines of assembly, and their text as a C statement."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TypeAlias

Lines: TypeAlias = "tuple[str, ...]"
"""Instructions, and labels that end in a colon."""


def statement(lines: Sequence[str]) -> str:
    """The body of a naked function."""
    rows = [f'"{line}\\n\\t"' for line in lines[:-1]] + [f'"{lines[-1]}"']
    return "    __asm__ volatile(" + "\n                     ".join(rows) + ");"


class Printed(Mapping[tuple[int, ...], str]):
    """The bodies of a function by instruction sets, each generated when it is first printed."""

    def __init__(self, bodies: Mapping[tuple[int, ...], Callable[[], str]]) -> None:
        self._bodies = {cores: cache(body) for cores, body in bodies.items()}

    def __getitem__(self, cores: tuple[int, ...]) -> str:
        return self._bodies[cores]()

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return iter(self._bodies)

    def __len__(self) -> int:
        return len(self._bodies)

"""Chips of the packages in `tests/plugins`, as if these were installed."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Generator
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from unittest.mock import patch

from programs.paths import ROOT
from tinyml.runtime.model import headers
from tinyml.targets import registry
from tinyml.targets.chip import Chip


def _forget() -> None:
    registry.chips.cache_clear()
    registry._targets.cache_clear()  # pyright: ignore[reportPrivateUsage]
    registry.known_kernel.cache_clear()
    headers.include_folders.cache_clear()
    headers.header_texts.cache_clear()


@contextmanager
def installed(*points: EntryPoint) -> Generator[None]:
    """Let the registry find chips by entry points of the group `tinyml.chips`, and no others of other packages."""

    def entry_points(group: str) -> list[EntryPoint]:
        return [point for point in points if point.group == group]

    with patch.object(registry, "entry_points", entry_points):
        _forget()
        try:
            yield
        finally:
            _forget()


@contextmanager
def package_of(name: str) -> Generator[Chip]:
    """The chip of a package of `tests/plugins`, found by the entry point that its `pyproject.toml` declares."""
    folder = ROOT / "tests" / "plugins" / name
    declared = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    points = [EntryPoint(key, value, registry.GROUP) for key, value in declared[registry.GROUP].items()]
    with patch.object(sys, "path", [str(folder), *sys.path]), installed(*points):
        yield registry.chips()[-1]

"""Test packages that are found by their metadata as if they were installed."""

from __future__ import annotations

import itertools
import sys
import tomllib
from collections.abc import Generator
from contextlib import contextmanager
from importlib import invalidate_caches
from importlib.metadata import EntryPoint
from pathlib import Path
from unittest.mock import patch

import pytest

from programs.paths import ROOT
from tinyml.dialects import context, modules, plugins
from tinyml.lowering import added_steps, pipelines
from tinyml.runtime.model import headers
from tinyml.targets import registry
from tinyml.targets.chip import Chip

PACKAGE, ENTRY = "evil-package", "evil"

_numbers = itertools.count()


def install(
    folder: Path,
    patch: pytest.MonkeyPatch,
    group: str,
    code: str,
    *,
    entry: str = "evil = {}:X",
    package: str = PACKAGE,
) -> str:
    """Install a package with one module that contains `code`, and return the name of the module.

    folder: the folder to which the package is written and which is added to `sys.path`.
    group: the group of its entry point.
    entry: the line of its entry point, with `{}` for the name of the module.
    package: the name of the package.

    The caller must call `forget` at the end.
    """
    module = f"evil_{next(_numbers)}"
    metadata = folder / f"{package.replace('-', '_')}-1.dist-info"
    metadata.mkdir(parents=True)
    (folder / f"{module}.py").write_text(code)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
    (metadata / "entry_points.txt").write_bytes(f"[{group}]\n{entry.format(module)}\n".encode("latin-1"))
    patch.setattr(sys, "path", [str(folder), *sys.path])
    invalidate_caches()
    forget()
    return module


@contextmanager
def installed(*points: EntryPoint) -> Generator[None]:
    """A context in which the registries contain tinyml's own entry points and `points`, whether installed or not, and
    no entry points of other packages.
    """
    groups = (*plugins.GROUPS, plugins.INTERFACE)
    own = {group: plugins.built_in(group) for group in groups}
    given = [plugins.Row(point.name, point.value, package="package", group=point.group) for point in points]
    declared = {group: [*own[group], *(one for one in given if one.group == group)] for group in groups}
    forget()
    with patch.object(plugins, "_declared", lambda: declared):
        try:
            yield
        finally:
            plugins._by_module.cache_clear()  # pyright: ignore[reportPrivateUsage]
    forget()


def entry_points_of(name: str) -> list[EntryPoint]:
    """The entry points that the `pyproject.toml` of a package of `tests/plugins` declares."""
    text = (ROOT / "tests" / "plugins" / name / "pyproject.toml").read_text("utf-8")
    groups = tomllib.loads(text)["project"]["entry-points"]
    return [EntryPoint(key, value, group) for group, declared in groups.items() for key, value in declared.items()]


@contextmanager
def package_of(name: str) -> Generator[Chip]:
    """A context in which a package of `tests/plugins` is found by its entry point; yields its chip."""
    folder = ROOT / "tests" / "plugins" / name
    points = [point for point in entry_points_of(name) if point.group == registry.GROUP]
    with patch.object(sys, "path", [str(folder), *sys.path]), installed(*points):
        yield registry.chips()[-1]


def forget() -> None:
    """Clear the caches of the registries, so that they search for packages again."""
    for cached in (
        plugins._declared,  # pyright: ignore[reportPrivateUsage]
        plugins._by_module,  # pyright: ignore[reportPrivateUsage]
        context.registry,
        registry._chip,  # pyright: ignore[reportPrivateUsage]
        registry._chip_of_board,  # pyright: ignore[reportPrivateUsage]
        modules.find_module,
        registry.known_kernel,
        registry._sum_offers,  # pyright: ignore[reportPrivateUsage]
        headers.header_texts,
        added_steps.steps_of,
        pipelines.pipeline,
    ):
        cached.cache_clear()
    plugins._problems.clear()  # pyright: ignore[reportPrivateUsage]
    registry._PROVIDERS.clear()  # pyright: ignore[reportPrivateUsage]
    registry._PACKAGE_CHIPS.clear()  # pyright: ignore[reportPrivateUsage]
    for module in [name for name in sys.modules if name.startswith("evil_")]:
        del sys.modules[module]

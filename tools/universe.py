"""The registry of dialects, passes and targets, which the entry point `xdsl.universe` makes available to xDSL tools.

The file of a pass declares the pass; the name of the pass follows from the name of the module. All imports happen on
first use, so that tools start quickly.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from functools import cache, partial
from importlib import import_module
from pkgutil import iter_modules
from typing import TypeVar

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.transforms import get_all_passes
from xdsl.universe import Universe
from xdsl.utils.target import Target

from tinyml.dialects.discardable_attributes import DiscardableAttribute, declared_attributes
from tinyml.dialects.modules import is_installed
from tinyml.dialects.plugins import Row
from tinyml.dialects.rows import modules_of, rows_of
from tinyml.dialects.tables import Table
from tinyml.lowering.pipeline_steps import PASS_FOLDERS, PIPELINES

Thing = TypeVar("Thing")


def _factories(table: Table[Thing]) -> dict[str, Callable[[], Thing]]:
    return {name: partial(table.get, name) for name in table.names()}


def _passes(package: str, prefix: str = "") -> dict[str, Callable[[], type[ModulePass]]]:
    """The passes of a package: for each name of a pass, a function that imports it. Empty if the package is not
    installed.

    Each file is one pass; `PackScratchPass` in pack_scratch.py is `pack-scratch`.

    prefix: the first word of the names of passes, if file names omit it.
    """
    if not is_installed(package):
        return {}
    found: dict[str, Callable[[], type[ModulePass]]] = {}
    for file in iter_modules(import_module(package).__path__):
        words = [*prefix.split(), *file.name.split("_")]
        class_name = "".join(map(str.capitalize, words)) + "Pass"
        if not file.ispkg:
            row = Row("-".join(words), f"{package}.{file.name}:{class_name}")
            found[row.name] = partial(row.load_class, ModulePass)
    return found


def _is_whole(name: str, passes: Container[str]) -> bool:
    """Whether all steps of a pipeline that depend neither on an option nor on a chip are installed.

    name: the name of the pipeline.
    passes: the names of the installed passes.
    """
    names = [step for step in PIPELINES[name].steps if isinstance(step, str)]
    return all(_is_whole(step, passes) if step in PIPELINES else step in passes for step in names)


def _pipeline(name: str) -> type[ModulePass]:
    from tinyml.lowering.pipelines import pipeline

    return pipeline(name)


DIALECT_ROWS = Table(
    None,
    "dialect",
    lambda row: row.load(Dialect),
    home="tinyml.dialects",
    built_in=rows_of("dialects"),
)
DIALECTS = _factories(DIALECT_ROWS)


_ALONE: dict[str, Callable[[], type[ModulePass]]] = {
    **_passes("tinyml.transforms"),
    **{name: made for folder in PASS_FOLDERS for name, made in _passes(f"tinyml.transforms.{folder}").items()},
    **{name: made for name, made in _passes("tinyml.lowering", "lower").items() if "-to-" in name},
}
_KNOWN = {*_ALONE, *get_all_passes()}
PASSES = _ALONE | {name: partial(_pipeline, name) for name in PIPELINES if _is_whole(name, _KNOWN)}

_TARGETS = Table(
    None,
    "target",
    lambda row: row.load_class(Target),
    home="tinyml.targets",
    built_in=rows_of("targets"),
)
TARGETS = _factories(_TARGETS)

TINYML = Universe(all_dialects=DIALECTS, all_passes=PASSES, all_targets=TARGETS)


@cache
def discardable_attributes() -> Mapping[str, DiscardableAttribute]:
    """Every attribute of tinyml for operations, functions and their arguments, by name.

    The section `attributes` of `rows.txt` names the modules that declare them.
    """
    for module in modules_of("attributes"):
        import_module(module)
    return declared_attributes()

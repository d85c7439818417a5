"""Packages as a starting point, and the names that they must not use."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from tinyml.dialects.context import registry
from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.importers import FRONTENDS, MLIR
from tinyml.lowering.frontends.model_ops import ONNX_OPS
from tinyml.targets.registry import chips, targets
from tinyml.tools.cli.atomic_output import atomic_folder, only_empty, write_file
from tinyml.tools.cli.filled_templates import filled_templates
from tinyml.tools.main import COMMANDS
from tinyml.transforms.buffers.packing.modes import PACKERS
from tinyml.transforms.schedules.table import schedule_names


def _dialects() -> Iterable[str]:
    return registry().all_dialects


def _passes() -> Iterable[str]:
    return (name.replace("-", "_") for name in registry().all_passes)


def _chips() -> Iterable[str]:
    return (name.replace("-", "_") for name in (*(chip.name for chip in chips()), *targets()))


def _suffixes() -> Iterable[str]:
    return *FRONTENDS.names(), MLIR


def _ops() -> Iterable[str]:
    return (name.partition(".")[0] for name in ONNX_OPS.names())


def _searches() -> Iterable[str]:
    return (name.removeprefix("search_") for name in _passes() if name.startswith("search_"))


def _packers() -> Iterable[str]:
    return (name.replace("-", "_") for name in PACKERS.names())


def _schedules() -> Iterable[str]:
    return (name.replace("-", "_") for name in schedule_names())


def _commands() -> Iterable[str]:
    return (name.replace("-", "_") for name in COMMANDS.names())


@dataclass(frozen=True)
class PackageKind:
    """A kind of package.

    what: the noun for what such packages add, for messages.
    taken: returns the names that are already in use.
    """

    what: str
    taken: Callable[[], Iterable[str]]


FORMAT = "format"

EVERY = "every"
"""The folder of the templates of every kind: what runs the FileCheck tests."""

PACKAGE_KINDS = {
    FORMAT: PackageKind("dialect", _dialects),
    "target": PackageKind("chip or target", _chips),
    "frontend": PackageKind("frontend", _suffixes),
    "op": PackageKind("domain of ops", _ops),
    "pass": PackageKind("pass", _passes),
    "search": PackageKind("search", _searches),
    "schedule": PackageKind("schedule", _schedules),
    "packer": PackageKind("packer", _packers),
    "command": PackageKind("command", _commands),
}
"""The kinds by the names of the folders of their templates."""


def write_package(kind: str, name: str, folder: Path, *, sums: bool = False, grouped: bool = False) -> None:
    """Write a package, and print the names of its files.

    Raises `InputError` for a name that is not a lower-case Python identifier, for the name of a frontend with an
    underscore, for a name that a module or another package of the kind already uses, and for an existing folder that is
    not empty.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise InputError(f"the name of {_one(kind)} is a Python identifier in lower case, got '{name}'")
    if kind == "frontend" and "_" in name:
        raise InputError(f"the name of a frontend is the suffix of a file, letters and digits, got '{name}'")
    if name in PACKAGE_KINDS[kind].taken():
        raise InputError(f"{_one(PACKAGE_KINDS[kind].what)} '{name}' already exists")
    if find_spec(name) is not None:
        raise InputError(f"a Python module '{name}' already exists")
    templates = _templates(kind, sums=sums, grouped=grouped)
    words = {"name": name, "dashed": name.replace("_", "-"), "title": name.title().replace("_", "")}
    written: list[Path] = []
    with atomic_folder(folder, only_empty) as pending:
        for source in (templates, EVERY):
            for file, text in filled_templates(files("tinyml.tools") / "templates" / source, words):
                (pending / file).parent.mkdir(parents=True, exist_ok=True)
                write_file(pending / file, text)
                written.append(folder / file)
    for file in written:
        print(f"Wrote {file}")
    print(f"Install it with: pip install -e {folder}")


def _templates(kind: str, *, sums: bool, grouped: bool) -> str:
    """The name of the folder of templates; raises `InputError` for options that the kind lacks, and if both options are
    set.
    """
    if (sums or grouped) and kind != FORMAT:
        raise InputError(f"--sums and --grouped write formats, and not {_one(kind)}")
    if sums and grouped:
        raise InputError("--sums and --grouped write different formats: choose one of them")
    return f"{kind}{'_sums' * sums}{'_grouped' * grouped}"


def _one(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeio' else 'a'} {noun}"

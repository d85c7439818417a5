"""The command `tinyml new KIND`, which writes a working package as a starting point.

The files of a kind are the templates in `templates/KIND/`, whose paths and texts contain placeholders for the name.
`tinyml new format` has separate folders for `--sums` and `--grouped`. A new kind requires such a folder and a row of
`KINDS`.
"""

from __future__ import annotations

import argparse
import keyword
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from tinyml.dialects.context import registry
from tinyml.dialects.errors import InputError
from tinyml.dialects.options import FOLDER, option, options_of
from tinyml.lowering.frontends.importers import FRONTENDS, MLIR
from tinyml.lowering.frontends.model_ops import ONNX_OPS
from tinyml.targets.registry import chips, targets
from tinyml.tools.cli.arguments import add_options, parsed
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

    what: the plural noun for the extensions that such packages add, for messages.
    taken: returns the names that are already in use.
    """

    what: str
    taken: Callable[[], Iterable[str]]


KINDS = {
    "format": PackageKind("dialect", _dialects),
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

FORMAT = "format"


@dataclass(frozen=True, kw_only=True)
class NewRequest:
    """The options of `tinyml new`."""

    kind: str = option("what the package adds", flags=(), choices=tuple(KINDS))
    name: str = option("name of the package and its module: a Python identifier in lower case", flags=())
    folder: Path = option("folder to write", flags=(), writes=FOLDER)
    sums: bool = option(
        "write a format with its own accumulator, which rounds, instead of a table of numbers", default=False
    )
    grouped: bool = option("write a format whose weights share scales in groups", default=False)

    @property
    def templates(self) -> str:
        """The name of the folder of templates; raises `InputError` for options that the kind lacks, and if both options
        are set.
        """
        if (self.sums or self.grouped) and self.kind != FORMAT:
            raise InputError(f"--sums and --grouped write formats, and not {_one(self.kind)}")
        if self.sums and self.grouped:
            raise InputError("--sums and --grouped write different formats: choose one of them")
        return f"{self.kind}{'_sums' * self.sums}{'_grouped' * self.grouped}"


def _one(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeio' else 'a'} {noun}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(NewRequest))


def run(arguments: argparse.Namespace) -> int:
    """Write a package, and print the names of its files.

    Raises `InputError` for a name that is not a lower-case Python identifier, for the name of a frontend with an
    underscore, for a name that a module or another package of the kind already uses, and for an existing folder that is
    not empty.
    """
    request = parsed(arguments, NewRequest)
    kind, name = request.kind, request.name
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise InputError(f"the name of {_one(kind)} is a Python identifier in lower case, got '{name}'")
    if kind == "frontend" and "_" in name:
        raise InputError(f"the name of a frontend is the suffix of a file, letters and digits, got '{name}'")
    if name in KINDS[kind].taken():
        raise InputError(f"{_one(KINDS[kind].what)} '{name}' already exists")
    if find_spec(name) is not None:
        raise InputError(f"a Python module '{name}' already exists")
    templates = request.templates
    words = {"name": name, "dashed": name.replace("_", "-"), "title": name.title().replace("_", "")}
    written: list[Path] = []
    with atomic_folder(request.folder, only_empty) as pending:
        for file, text in filled_templates(files("tinyml.tools") / "templates" / templates, words):
            (pending / file).parent.mkdir(parents=True, exist_ok=True)
            write_file(pending / file, text)
            written.append(request.folder / file)
    for file in written:
        print(f"Wrote {file}")
    print(f"Install it with: pip install -e {request.folder}")
    return 0

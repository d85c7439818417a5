"""Command-line arguments derived from declared options, the files that they name, and parts of help texts."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path, PosixPath
from typing import Any, Protocol, TypeVar, cast, get_args, get_origin

from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import needs
from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.dialects.options import FOLDER, Option, OptionGroup, options_of
from tinyml.lowering.frontends.importers import FRONTENDS, TRUST_PICKLE
from tinyml.runtime.readers.protected_files import FORCE, check_output, note_input, protect_inputs, protects
from tinyml.tools.cli.common_options import CommonOptions, ReadOptions
from tinyml.tools.cli.values import value_parser

Declaration = TypeVar("Declaration")

_WIDTH = 80

_READ = ("mlir", "npy", "npz", "csv")
"""Suffixes of files that commands read, in addition to those of frontends."""


class Container(Protocol):
    """An argument parser, or a group of its arguments."""

    def add_argument(self, *flags: str, **settings: Any) -> object: ...


class Section(Container, Protocol):
    """An argument parser, or a section of it, that can contain mutually exclusive arguments."""

    def add_mutually_exclusive_group(self) -> Container: ...


class Parser(Section, Protocol):
    """An argument parser that can list its arguments under headings."""

    def add_argument_group(self, title: str | None = None) -> Section: ...


def add_options(
    parser: Parser, options: Iterable[Option], *, others: OptionGroup | None = None, described: bool = True
) -> None:
    """Add an argument for each option, under the heading of its group if every option has a group.

    Omitted options do not appear in the parsed namespace.

    others: the group of options that declare no group.
    described: whether the help texts of the options are created.
    """
    groups = {declared: declared.group or others for declared in options}
    if None in groups.values():
        _add_section(parser, groups, described)
        return
    for group in OptionGroup:
        if members := [declared for declared in groups if groups[declared] is group]:
            _add_section(parser.add_argument_group(group.value), members, described)


def _add_section(section: Section, options: Iterable[Option], described: bool) -> None:
    exclusive: dict[str, Container] = {}
    for declared in options:
        container: Container = section
        if declared.exclusive is not None:
            if declared.exclusive not in exclusive:
                exclusive[declared.exclusive] = section.add_mutually_exclusive_group()
            container = exclusive[declared.exclusive]
        action = container.add_argument(*(declared.flags or (declared.name,)), **_settings(declared, described))
        action.absence = declared.absence  # pyright: ignore[reportAttributeAccessIssue]


def _settings(declared: Option, described: bool) -> dict[str, Any]:
    help = declared.help_with_default if described else ""
    settings: dict[str, Any] = {"help": help, "default": argparse.SUPPRESS}
    if declared.type is bool:
        settings["action"] = "help" if declared.name in ("help", "help_all") else "store_true"
    elif not declared.flags and get_origin(declared.type) is tuple:
        settings["type"], settings["nargs"] = value_parser(get_args(declared.type)[0]), "+"
    elif declared.writes:
        settings["type"] = partial(output_file, declared.writes)
    else:
        settings["type"] = value_parser(declared.type)
    if declared.bare is not None:
        settings["const"], settings["nargs"] = declared.bare, "?"
    if declared.metavar is not None:
        settings["metavar"] = declared.metavar
    if declared.choices:
        settings["choices"] = declared.choices
    if declared.flags:
        settings["dest"] = declared.name
    if declared.required and declared.flags:
        settings["required"] = True
    return settings


def refuse_option(parser: Container, flag: str, part: str) -> None:
    """Add an unlisted option of an extension that is not installed; it raises `InputError` if given.

    part: the name of the extension.
    flag: the option, such as `--with`.
    """

    def refuse(value: str) -> None:
        raise InputError(f"the option '{flag}' {needs(part)}")

    parser.add_argument(flag, type=refuse, help=argparse.SUPPRESS)


def show_examples(parser: argparse.ArgumentParser, usage: str, examples: Mapping[str, str]) -> None:
    """Begin the help of a command with a short usage and examples.

    usage: the required arguments.
    examples: the purpose of each example by its command line, which omits the name of the command.
    """
    parser.usage = f"{parser.prog} {usage} [options]"
    lines = (f"  # {purpose}\n  {parser.prog} {arguments}" for arguments, purpose in examples.items())
    parser.description = "\n".join(["examples:", *lines])
    parser.formatter_class = argparse.RawDescriptionHelpFormatter


def formats_epilogue() -> str:
    """The epilogue of help texts: a list of the number formats, each with its purpose. This function loads the
    dialects that define formats.
    """
    # Most commands and most calls of `--help` show no formats.
    from tinyml.dialects.formats.lookup import ALIASES, formats

    common = {dialect: alias for alias, dialect in ALIASES.items()}
    rows = [(common.get(name, name), format.GOOD_FOR) for name, format in formats().items() if format.GOOD_FOR]
    column = max(len(name) for name, _ in rows) + 2
    indent = " " * (column + 2)
    lines = [
        textwrap.fill(text, _WIDTH, initial_indent=f"  {name:{column}}", subsequent_indent=indent)
        for name, text in rows
    ]
    return "\n".join(["number formats (--format NAME):", *lines])


def given(arguments: argparse.Namespace, options: Iterable[Option]) -> dict[str, Any]:
    """The values of those options that are given on a command line, by name."""
    values = vars(arguments)
    return {option.name: values[option.name] for option in options if option.name in values}


def parsed(arguments: argparse.Namespace, declaration: type[Declaration]) -> Declaration:
    """An instance of the dataclass `declaration` with the values of the options given on a command line."""
    return declaration(**given(arguments, options_of(declaration)))


class OutputFile(PosixPath):
    """The path of a file or folder that a tool writes, as named on the command line.

    written: the suffixes of the files that the command writes.
    """

    written: tuple[str, ...] = ()
    """The suffixes of files that the command writes there, or `FOLDER`."""


def output_file(written: tuple[str, ...], text: str) -> OutputFile:
    """Parse the path of an output.

    written: the suffixes of the files that the command writes.
    """
    path = OutputFile(text)
    path.written = written
    return path


def check_paths(arguments: argparse.Namespace) -> None:
    """Protect the input files among the arguments from being overwritten, and check the output files with `check_file`.

    Raises `InputError` as `check_file` does, and if two outputs have the same path. Commands that write a folder check
    the folder themselves (`atomic_folder`).
    """
    paths = list(_paths(vars(arguments).values()))
    for path in paths:
        if not isinstance(path, OutputFile):
            note_input(path)
    seen: set[Path] = set()
    for path in paths:
        if isinstance(path, OutputFile) and path.written != FOLDER:
            final = check_file(path, path.written)
            if final in seen and not final.is_char_device():
                raise InputError("two outputs have this path", file=str(path))
            seen.add(final)


def check_file(path: Path, written: tuple[str, ...]) -> Path:
    """The target of a path after links are followed (`check_output`).

    written: the suffixes of files that the command writes.

    Raises `InputError` as `check_output` does, for a path whose links cannot be followed, and, if existing inputs are
    protected, for an existing file with the suffix of a model or of data that the command does not write.
    """

    try:
        final = check_output(path)
    except (OSError, RuntimeError) as error:
        raise InputError(str(getattr(error, "strerror", None) or error), file=str(path)) from error
    kind = final.suffix.removeprefix(".").lower()
    inputs = {*_READ, *FRONTENDS.built_in, *FRONTENDS.names()}
    if final.suffix not in written and kind in inputs and final.is_file() and protects():
        raise InputError(f"already exists; the output is {' or '.join(written)}{FORCE}", file=str(path))
    return final


def _paths(values: Iterable[object]) -> Iterator[Path]:
    for value in values:
        if isinstance(value, Path):
            yield value
        elif isinstance(value, list | tuple):
            yield from _paths(cast(Iterable[object], value))


def add_common_options(parser: Parser, declaration: type[CommonOptions] = CommonOptions) -> None:
    add_options(parser, options_of(declaration))


def apply_common_options(arguments: argparse.Namespace) -> None:
    """Apply limits and `--trust-pickle`, and protect input files from being overwritten.

    Raises `InputError` for a file that must not be written (`check_paths`).
    """
    common = parsed(arguments, CommonOptions)
    ELEMENT_LIMIT.set(common.max_elements)
    TRUST_PICKLE.set(parsed(arguments, ReadOptions).trust_pickle)
    protect_inputs(common.force)
    check_paths(arguments)

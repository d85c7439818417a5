"""The options that every tool and command has."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.dialects.options import OptionGroup, option, options_of
from tinyml.lowering.frontends.sklearn.pickled import TRUST_PICKLE
from tinyml.runtime.readers.protected_files import protect_inputs
from tinyml.tools.cli.arguments import Parser, add_options, check_paths, parsed


@dataclass(frozen=True, kw_only=True)
class CommonOptions:
    """The options of every tool."""

    max_elements: int = option(
        "refuse arrays and tensors with more than N elements",
        default=ELEMENT_LIMIT.get(),
        metavar="N",
        group=OptionGroup.COMMON,
    )
    force: bool = option(
        "overwrite files even if they are an input, of another kind, or reached through a link",
        default=False,
        group=OptionGroup.COMMON,
    )
    debug: bool = option("show the traceback of an error", default=False, group=OptionGroup.COMMON)


def trust_pickle() -> bool:
    """The declaration of `--trust-pickle`."""
    return option(
        "read estimators from .pkl and .joblib files, which may run any code", default=False, group=OptionGroup.MODEL
    )


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """The options of tools and commands that read models."""

    trust_pickle: bool = trust_pickle()


@dataclass(frozen=True, kw_only=True)
class CommandOptions(CommonOptions):
    """The options of every command of `tinyml`; `tinyml-opt` has a help of its own."""

    help: bool = option("show this help text", default=False, flags=("-h", "--help"), group=OptionGroup.COMMON)


@dataclass(frozen=True, kw_only=True)
class SelectiveOptions(CommandOptions):
    """The options of a command whose `--help` shows a selection of its options."""

    help_all: bool = option("show every option", default=False, group=OptionGroup.COMMON)


def add_common_options(parser: Parser, declaration: type[CommonOptions] = CommonOptions) -> None:
    add_options(parser, options_of(declaration))


def apply_common_options(arguments: argparse.Namespace) -> None:
    """Put limits and `--trust-pickle` into effect, and protect the files that are read from being overwritten.

    Raises `InputError` for a file that must not be written (`check_paths`).
    """
    common = parsed(arguments, CommonOptions)
    ELEMENT_LIMIT.set(common.max_elements)
    TRUST_PICKLE.set(parsed(arguments, ReadOptions).trust_pickle)
    protect_inputs(common.force)
    check_paths(arguments)

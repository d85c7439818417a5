"""Options that several tools and commands share. `CommonOptions` are the options of every tool."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.dialects.options import OptionGroup, option

EFFECTS_HELP = (
    "print to standard error for each pass whether it changed the program, and the condition of each step that was "
    "left out"
)
"""The help text of the option `--pass-effects`, which two tools have."""


@dataclass(frozen=True, kw_only=True)
class PrintOptions:
    """Options of commands that print a result."""

    json: bool = option("print the result as JSON", default=False)


@dataclass(frozen=True, kw_only=True)
class CommonOptions:
    """The options of every tool."""

    max_elements: int = option(
        "reject arrays and tensors with more than N elements",
        default=ELEMENT_LIMIT.get(),
        metavar="N",
        group=OptionGroup.COMMON,
    )
    force: bool = option(
        "overwrite a file even if it is an input, is of another kind, or is reached through a link",
        default=False,
        group=OptionGroup.COMMON,
    )
    debug: bool = option("show the traceback of an error", default=False, group=OptionGroup.COMMON)


def trust_pickle() -> bool:
    """The declaration of the option `--trust-pickle`."""
    return option(
        "read estimators from .pkl and .joblib files, which may run any code", default=False, group=OptionGroup.MODEL
    )


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """The options of tools and commands that import models."""

    trust_pickle: bool = trust_pickle()


@dataclass(frozen=True, kw_only=True)
class CommandOptions(CommonOptions):
    """The options of every command of `tinyml`; `tinyml-opt` has a separate help."""

    help: bool = option("show this help text", default=False, flags=("-h", "--help"), group=OptionGroup.COMMON)


@dataclass(frozen=True, kw_only=True)
class SelectiveOptions(CommandOptions):
    """The options of a command whose `--help` shows a selection of its options."""

    help_all: bool = option("show every option", default=False, group=OptionGroup.COMMON)

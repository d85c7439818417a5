"""The words that complete command lines."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tinyml.dialects.formats.lookup import ALIASES, formats
from tinyml.dialects.plugins import each
from tinyml.lowering.options import AUTO_FORMAT
from tinyml.targets.registry import targets
from tinyml.tools.cli.guard import Blame
from tinyml.tools.driver.optimizer import TinymlOptMain
from tinyml.tools.driver.packages.packaging_table import packaging_names
from tinyml.tools.main import COMMANDS


@dataclass(frozen=True)
class CommandWords:
    """The words that can complete a command line.

    flags: the options.
    takes: the options that require a value.
    values: the possible values of options, by flag.
    """

    flags: Sequence[str]
    takes: Sequence[str]
    values: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    @staticmethod
    def of(parser: argparse.ArgumentParser, known: Mapping[str, Sequence[str]]) -> CommandWords:
        """The completion words of a parser.

        known: values of options without declared choices, by flag.
        """
        actions = [action for action in parser._actions if action.option_strings and action.help != argparse.SUPPRESS]  # pyright: ignore[reportPrivateUsage]
        takes = [action for action in actions if action.nargs != 0]
        values: dict[str, Sequence[str]] = {}
        for action in takes:
            given = [*map(str, action.choices or ())]
            listed = given or next((known[flag] for flag in action.option_strings if flag in known), ())
            values |= dict.fromkeys(action.option_strings, listed) if listed else {}
        flags = [flag for action in actions for flag in action.option_strings]
        return CommandWords(flags, [flag for action in takes for flag in action.option_strings], values)


def command_words() -> dict[str, CommandWords]:
    """The completion words of each command line: `tinyml`, `tinyml COMMAND` and `tinyml-opt`."""
    known = {
        "--target": [*targets()],
        "--format": [AUTO_FORMAT, *formats(), *ALIASES],
        "--package": [*packaging_names()],
    }
    parsers = each(COMMANDS.rows().values(), lambda row: COMMANDS.load(row).parser())
    command_lines = {parser.prog: CommandWords.of(parser, known) for parser in parsers}
    optimizer, parser = TinymlOptMain([], Blame()), argparse.ArgumentParser()
    optimizer.register_all_arguments(parser)
    command_lines["tinyml-opt"] = CommandWords.of(parser, {"-p": [*optimizer.available_passes]})
    return command_lines

"""The parser of a command, whose errors suggest similar names and show the command's own usage."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from tinyml.dialects.errors import InputError, did_you_mean


def short_usage(parser: argparse.ArgumentParser) -> str:
    """One line for messages: the usage of a command, and the way to list its options."""
    return f"usage: {parser.usage}; {parser.prog} --help lists them"


MEANT = {"--board": "--target", "--output": "--out", "--validation": "--val", "--bits": "--width"}
"""Options by other names under which people look for them, whose spelling is not the nearest."""


class CommandParser(argparse.ArgumentParser):
    """A parser that reports a malformed command line like any other user error.

    epilogue: the end of the help text, which is made only when it is shown.
    """

    def __init__(self, *, epilogue: Callable[[], str] | None = None, **settings: Any) -> None:
        super().__init__(**settings)
        self._epilogue = epilogue

    def parsed(self, given: Sequence[str]) -> argparse.Namespace:
        """The values of arguments; raises `InputError` for a malformed command line."""
        self._check_options(given)
        return self.parse_args(given)

    def error(self, message: str) -> NoReturn:
        self.usage = self.usage or self._usage_in_short()
        raise InputError(f"{message} ({short_usage(self)})")

    def format_help(self) -> str:
        self.epilog = None if self._epilogue is None else self._epilogue()
        return super().format_help()

    def _check_options(self, given: Iterable[str]) -> None:
        """Raise `InputError` for an option that does not exist, before argparse complains about leftover arguments."""
        for argument in given:
            name = argument.partition("=")[0]
            if name == "--":
                break
            if name.startswith("--") and not any(flag.startswith(name) for flag in self._option_string_actions):
                flags = [flag for flag in self._option_string_actions if flag.startswith("--")]
                near = f", did you mean '{MEANT[name]}'?" if MEANT.get(name) in flags else did_you_mean(name, flags)
                self.error(f"unknown option {name}{near}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        choices = [*map(str, action.choices or ())]
        if choices and value not in choices:
            near = did_you_mean(value, choices) or f" (one of {', '.join(choices)})"
            raise argparse.ArgumentError(action, f"unknown value '{value}'{near}")

    def _usage_in_short(self) -> str:
        """The usage with the required arguments only."""
        required: list[str] = []
        for action in self._actions:
            if not action.required:
                continue
            metavar = action.metavar if isinstance(action.metavar, str) else action.dest
            required.append(f"{action.option_strings[0]} {metavar}" if action.option_strings else metavar)
        return " ".join([self.prog, *required, "[options]"])

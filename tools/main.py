"""The command `tinyml`: the selection and the call of a subcommand, the errors of command lines, and help texts."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any, NamedTuple, NoReturn, Protocol, cast

from tinyml.dialects.errors import InputError, did_you_mean, did_you_mean_option
from tinyml.dialects.package_metadata import DISTRIBUTION
from tinyml.dialects.plugins import COMMANDS as GROUP
from tinyml.dialects.plugins import PluginError, Row
from tinyml.dialects.rows import rows_of
from tinyml.dialects.tables import Table, check_hyphenated
from tinyml.tools.cli.guard import Blame, check_numbers, guarded, warn_of_namesake


def _loaded(row: Row) -> LoadedCommand:
    command = row.load(object)
    for name in ("add_arguments", "run"):
        if not callable(getattr(command, name, None)):
            raise PluginError(f"{row}: expected a command, which has a function '{name}'")
    return LoadedCommand(row, cast(Command, command))


COMMANDS = Table(
    GROUP,
    "command",
    lambda row: _loaded(row),
    home="tinyml.tools.commands",
    built_in=rows_of("commands"),
    check=check_hyphenated,
)
"""The commands. A command's file is imported only when it is called; the first sentence of a package's module is its
help.
"""


_WIDTH = 80
"""Columns of a help text that shows a selection of options."""

RENAMED = {"bottleneck": "plan MODEL --bottleneck", "explain": "open OUT --text", "levels": "open OUT --levels"}
"""Commands before 0.1, and the commands that replace them."""


class Command(Protocol):
    """A command: a module of `commands/` or of another package, or an object with these functions."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments of the command."""
        ...

    def run(self, arguments: argparse.Namespace) -> int:
        """Run the command and return its exit code. An error message without a location names the file in the argument
        `model`.
        """
        ...

    # A command may also have two functions, called only when their result is shown: `epilogue() -> str`, the end of its
    # help text, and `selection() -> Mapping[str, str]`, short help texts by the names of the options that most users
    # need. `--help` then shows only these, and `--help-all` every option.


class LoadedCommand(NamedTuple):
    """A command that is being called. Error messages name the plug-in that provides it, if there is one."""

    row: Row
    command: Command

    def parser(self, given: Sequence[str] | None = None) -> CommandParser:
        """The parser of the command's arguments.

        given: the command line that it will parse; None for a parser with every option.
        """
        # The overview, `tinyml --help`, needs no options, which load xDSL.
        from tinyml.tools.cli.arguments import add_common_options
        from tinyml.tools.cli.common_options import CommandOptions, SelectiveOptions

        epilogue, selection = (getattr(self.command, name, None) for name in ("epilogue", "selection"))
        prog = f"tinyml {self.row.name}"
        parser = CommandParser(prog=prog, add_help=False, epilogue=epilogue, selection=selection, given=given)
        parser.set_defaults(command=self.row.name)
        with self.row.blamed():
            self.command.add_arguments(parser)
            add_common_options(parser, CommandOptions if selection is None else SelectiveOptions)
        return parser

    def run(self, arguments: argparse.Namespace) -> int:
        """Run the command and return its exit code."""
        return self.row.expect(self.row.call(self.command.run, arguments), int)


def main(args: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code, which is 1 after a user error. The error is one line on standard
    error.
    """
    given = sys.argv[1:] if args is None else list(args)
    blame = Blame(debug="--debug" in given)

    def run() -> int:
        check_numbers(given)
        warn_of_namesake()
        if given and given[0] in COMMANDS:
            return _run(given[0], given[1:], blame)
        return _overview(given)

    return guarded(run, blame)


def _run(name: str, given: Sequence[str], blame: Blame) -> int:
    from tinyml.tools.cli.arguments import apply_common_options

    command = COMMANDS.get(name)
    arguments = command.parser(given).parsed(given)
    apply_common_options(arguments)
    blame.file = str(arguments.model) if "model" in arguments else None
    return command.run(arguments)


def _overview(given: Sequence[str]) -> int:
    """Print the version or the help of `tinyml`; raises `InputError` for any other command line without a command.

    given: the command line.
    """
    first = next(iter(given), "")
    if first == "--version":
        print(f"{DISTRIBUTION} {version(DISTRIBUTION)}")
        return 0
    parser = argparse.ArgumentParser(prog="tinyml", description="Compiles KB-sized models for microcontrollers.")
    parser.usage = "tinyml COMMAND [options]"
    parser.epilog = "tinyml COMMAND --help lists the options of a command; tinyml --version prints the version."
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, row in COMMANDS.rows().items():
        commands.add_parser(name, help=row.summary.replace("%", "%%"), add_help=False)
    if first in ("-h", "--help"):
        parser.print_help()
        return 0
    if not first:
        raise InputError(f"expected a command ({short_usage(parser)})")
    if first in RENAMED:
        raise InputError(f"unknown command '{first}': it is 'tinyml {RENAMED[first]}' now")
    if first.startswith("new-"):
        # Until 0.1, each kind of package had a command.
        raise InputError(f"unknown command '{first}': the commands new-KIND are 'tinyml new KIND' now")
    what = "option" if first.startswith("-") else "command"
    near = did_you_mean(first, ["--help", "--version"] if what == "option" else COMMANDS.names())
    raise InputError(f"unknown {what} '{first}'{near} ({short_usage(parser)})")


class CommandParser(argparse.ArgumentParser):
    """A parser that reports a malformed command line, also an abbreviated option, like any other user error.

    epilogue: a function that creates the end of the help text; it is called only when the text is shown.
    selection: a function that creates short help texts, by name, of the options that `--help` shows instead of all
        options; it is called only when the texts are shown.
    given: the command line that will be parsed; None if it may be any.
    """

    def __init__(
        self,
        *,
        epilogue: Callable[[], str] | None = None,
        selection: Callable[[], Mapping[str, str]] | None = None,
        given: Sequence[str] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(allow_abbrev=False, **settings)
        self._epilogue, self.selection, self._given = epilogue, selection, given
        self.register("action", "help", _ShowHelp)

    def needs_only(self, flags: Iterable[str]) -> bool:
        """Whether the command line has no other options than `flags`, and no `--help-all`.

        A command whose options take long to find adds the others only if this is false.
        """
        known = {*flags, "--help"}
        return self._given is not None and all(flag in known for flag in _flags_in(self._given))

    def parsed(self, given: Sequence[str]) -> argparse.Namespace:
        """Parse a command line; raises `InputError` if it is malformed.

        given: the command line without the name of the command.
        """
        self._check_options(given)
        return self.parse_args(given)

    def error(self, message: str) -> NoReturn:
        self.usage = self.usage or self._usage_in_short()
        raise InputError(f"{message} ({short_usage(self)})")

    def format_help(self) -> str:
        self.epilog = None if self._epilogue is None else self._epilogue()
        return super().format_help()

    def format_selection(self) -> str:
        """The help text with the selected options, one or two lines for each."""
        selection: Mapping[str, str] = {} if self.selection is None else self.selection()
        options = {action.dest: action for action in self._actions}
        rows = [(_invocation(options[name]), text) for name, text in selection.items()]
        column = max(len(row[0]) for row in rows) + 4
        lines = (
            textwrap.fill(text, _WIDTH, initial_indent=f"  {shown:{column - 2}}", subsequent_indent=" " * column)
            for shown, text in rows
        )
        usage = f"usage: {self.usage or self._usage_in_short()}"
        return "\n".join([usage, "", *filter(None, [self.description]), "", *lines, ""])

    def _check_options(self, given: Iterable[str]) -> None:
        """Raise `InputError` for an unknown option, before argparse complains about leftover arguments."""
        for name in _flags_in(given):
            if name not in self._option_string_actions:
                flags = [flag for flag in self._option_string_actions if flag.startswith("--")]
                self.error(f"unknown option {name}{did_you_mean_option(name, flags)}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        choices = [*map(str, action.choices or ())]
        if choices and value not in choices:
            absence: Callable[[str], str | None] | None = getattr(action, "absence", None)
            if absence is not None and (reason := absence(value)) is not None:
                raise InputError(reason)
            near = did_you_mean(value, choices) or f" (one of {', '.join(choices)})"
            raise argparse.ArgumentError(action, f"unknown value '{value}'{near}")

    def _usage_in_short(self) -> str:
        required: list[str] = []
        for action in self._actions:
            if not action.required:
                continue
            metavar = action.metavar if isinstance(action.metavar, str) else action.dest
            required.append(f"{action.option_strings[0]} {metavar}" if action.option_strings else metavar)
        return " ".join([self.prog, *required, "[options]"])


class _ShowHelp(argparse.Action):
    """An action that prints the help text and exits. `--help` shows the selected options if the command has a
    selection; otherwise it shows every option.
    """

    def __init__(self, option_strings: Sequence[str], dest: str, **settings: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, **settings)

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: object, option: str | None = None
    ) -> None:
        assert isinstance(parser, CommandParser)
        every = parser.selection is None or self.dest != "help"
        print(parser.format_help() if every else parser.format_selection(), end="")
        parser.exit()


def _flags_in(given: Iterable[str]) -> Iterator[str]:
    """Yield the options on a command line, those with two hyphens."""
    for argument in given:
        name = argument.partition("=")[0]
        if name == "--":
            return
        if name.startswith("--"):
            yield name


def _invocation(option: argparse.Action) -> str:
    if not option.option_strings:
        return option.dest
    if option.nargs == 0:
        return ", ".join(option.option_strings)
    value = option.metavar if isinstance(option.metavar, str) else "NAME"
    return f"{option.option_strings[0]} {value}"


def short_usage(parser: argparse.ArgumentParser) -> str:
    """The usage of a command in one line for error messages. The line also states how to list the options of the
    command.
    """
    every = "--help-all" if isinstance(parser, CommandParser) and parser.selection is not None else "--help"
    return f"usage: {parser.usage}; {parser.prog} {every} lists them"


if __name__ == "__main__":
    sys.exit(main())

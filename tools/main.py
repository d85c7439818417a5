"""The command `tinyml`, which compiles a model, runs it, explains its costs, compares many models and packs memory."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn, Protocol, cast

from tinyml.dialects.errors import InputError
from tinyml.tools.cli.guard import Blame, check_numbers, guarded

COMMANDS = {
    "compile": "compile a model for a board",
    "run": "run a compiled model on a device and compare it with the evaluator",
    "explain": "show where cycles, flash and RAM of a compiled model go",
    "bench": "compile and run many models, one table",
    "plan": "show how much memory a network needs in each execution schedule",
    "bottleneck": "show whose channels a network has alive where it needs the most memory",
    "prune": "remove the least important channels of a network until it fits in memory",
    "pack": "pack buffers, given as a CSV file, into the smallest arena",
    "new-format": "write a package with a number format of your own",
    "new-target": "write a package with a chip of your own and its simulator",
    "new-frontend": "write a package that reads models of a file format of your own",
    "new-pass": "write a package with a pass of your own",
    "demo": "compile the example models and check them on this computer",
}
"""Help texts by command. The file of a command in `commands/` is imported only when the command is called."""


class Command(Protocol):
    """A module of `commands/`."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments of the command."""
        ...

    def run(self, arguments: argparse.Namespace) -> int:
        """Run the command and return its exit code; errors without a location report its argument `model`."""
        ...


def main(args: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 1 after a user error, reported as one line on standard error."""
    given = sys.argv[1:] if args is None else list(args)
    blame = Blame(debug="--debug" in given)

    def run() -> int:
        check_numbers(given)
        name = given[0] if given and given[0] in COMMANDS else None
        command = None if name is None else _command(name)
        arguments = _parser(name, command).parse_args(given)
        assert command is not None
        from tinyml.tools.cli.common_options import apply_common_options

        apply_common_options(arguments)
        blame.file = str(arguments.model) if "model" in arguments else None
        return command.run(arguments)

    return guarded(run, blame)


def file_of(command: str) -> str:
    """The file of a command in `commands/`; all that write a package of a kind share one."""
    return "new_package" if command.startswith("new-") else command


def _command(name: str) -> Command:
    return cast(Command, import_module(f"tinyml.tools.commands.{file_of(name)}"))


class _Parser(argparse.ArgumentParser):
    """A parser that reports a malformed command line like any other user error."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message} (see {self.prog} --help)")


def _parser(name: str | None, command: Command | None) -> argparse.ArgumentParser:
    """The parser of all commands, with the arguments of the one that is called."""
    parser = _Parser(prog="tinyml", description="Compiles KB-sized models for microcontrollers.")
    commands = parser.add_subparsers(required=True, dest="command", metavar="COMMAND")
    for row, help in COMMANDS.items():
        parsed = commands.add_parser(row, help=help, add_help=False)
        if row == name and command is not None:
            from tinyml.tools.cli.common_options import CommandOptions, add_common_options

            command.add_arguments(parsed)
            add_common_options(parsed, CommandOptions)
    return parser


if __name__ == "__main__":
    sys.exit(main())

"""The command `tinyml completion`, which prints a completion script for a shell."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tinyml.dialects.formats.lookup import ALIASES, formats
from tinyml.dialects.options import option, options_of
from tinyml.dialects.plugins import each
from tinyml.lowering.options import AUTO_FORMAT
from tinyml.targets.registry import targets
from tinyml.tools.cli.arguments import add_options, parsed
from tinyml.tools.cli.guard import Blame
from tinyml.tools.driver.optimizer import TinymlOptMain
from tinyml.tools.driver.packages.packaging_table import packaging_names
from tinyml.tools.main import COMMANDS

BASH = """\
# Completion of tinyml and tinyml-opt: add  eval "$(tinyml completion bash)"  to ~/.bashrc.
_tinyml_words()
{
    case "$1" in
CASES
    esac
}
_tinyml_complete()
{
    local IFS=$' \\t\\n' tool=${COMP_WORDS[0]##*/} now=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    local line=$tool listed
    [ "$tool" = tinyml ] && [ "$COMP_CWORD" -gt 1 ] && line="tinyml ${COMP_WORDS[1]}"
    listed=$(_tinyml_words "$line $before")
    # After an option that takes a value without a list there are files.
    if [ -z "$listed" ] && ! _tinyml_words "$line takes" | grep -qxF -e "$before"; then
        listed=$(_tinyml_words "$line")
    fi
    if [[ $now == -* || $listed != -* ]]; then
        COMPREPLY=($(compgen -W "$listed" -- "$now"))
    fi
}
complete -o default -F _tinyml_complete tinyml tinyml-opt
"""

ZSH = """\
# Completion of tinyml and tinyml-opt: add  eval "$(tinyml completion zsh)"  to ~/.zshrc.
autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
"""

FISH = """\
# Completion of tinyml and tinyml-opt: add  tinyml completion fish | source  to ~/.config/fish/config.fish.
"""


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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(CompletionRequest))


def run(arguments: argparse.Namespace) -> int:
    """Print the completion script for a shell, and return the exit code 0."""
    sys.stdout.write(SHELLS[parsed(arguments, CompletionRequest).shell](command_words()))
    return 0


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


def _bash(command_lines: Mapping[str, CommandWords]) -> str:
    cases: dict[str, Sequence[str]] = {"tinyml": [*COMMANDS.names(), "--help", "--version"]}
    for name, words in command_lines.items():
        cases |= {name: words.flags, f"{name} takes": words.takes}
        cases |= {f"{name} {flag}": values for flag, values in words.values.items()}
    text = "\n".join(f"    {shlex.quote(name)}) {_printed(words)} ;;" for name, words in cases.items())
    return BASH.replace("CASES", text)


def _printed(words: Iterable[str]) -> str:
    return f"printf '%s\\n' {' '.join(map(shlex.quote, words))}"


def _zsh(command_lines: Mapping[str, CommandWords]) -> str:
    return ZSH + _bash(command_lines).partition("\n")[2]


def _fish(command_lines: Mapping[str, CommandWords]) -> str:
    lines = [
        f"complete -c tinyml -n __fish_use_subcommand -f -a {name} -d {shlex.quote(row.summary)}"
        for name, row in COMMANDS.rows().items()
    ]
    for name, words in command_lines.items():
        tool, _, command = name.partition(" ")
        when = f" -n '__fish_seen_subcommand_from {command}'" if command else ""
        for flag in words.flags:
            kind = f"-l {flag[2:]}" if flag.startswith("--") else f"-{'s' if len(flag) == 2 else 'o'} {flag[1:]}"
            values = words.values.get(flag, ())
            given = f" -x -a {shlex.quote(' '.join(values))}" if values else " -r" if flag in words.takes else ""
            lines.append(f"complete -c {tool}{when} {kind}{given}")
    return FISH + "\n".join(lines) + "\n"


SHELLS: Mapping[str, Callable[[Mapping[str, CommandWords]], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
"""The completion script for each shell, from the words of command lines."""


@dataclass(frozen=True, kw_only=True)
class CompletionRequest:
    """A request for a completion script.

    shell: the name of the shell.
    """

    shell: str = option(f"the shell: {', '.join(SHELLS)}", choices=tuple(SHELLS), flags=())

"""The command `tinyml completion`, which prints a completion script for a shell."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tinyml.dialects.options import option, options_of
from tinyml.tools.cli.arguments import add_options, parsed
from tinyml.tools.main import COMMANDS

if TYPE_CHECKING:
    from tinyml.tools.commands.actions.completion import CommandWords

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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(CompletionRequest))


def run(arguments: argparse.Namespace) -> int:
    """Print the completion script for a shell, and return the exit code 0."""
    from tinyml.tools.commands.actions.completion import command_words

    sys.stdout.write(SHELLS[parsed(arguments, CompletionRequest).shell](command_words()))
    return 0


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

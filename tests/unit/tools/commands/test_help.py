"""Help texts: commands with many options group them and begin with examples."""

from __future__ import annotations

import re
import shlex
from argparse import ArgumentParser
from importlib import import_module
from typing import NamedTuple

import pytest

from tinyml.dialects.formats.lookup import ALIASES, formats
from tinyml.dialects.options import OptionGroup
from tinyml.targets.registry import targets
from tinyml.tools.cli.arguments import add_common_options
from tinyml.tools.cli.common_options import CommandOptions
from tinyml.tools.main import COMMANDS, main

MANY = 15
"""Options from which on a flat list is hard to read."""

FORMATS = "number formats (--format NAME)"

SELECTIVE = ("compile",)
"""Commands whose `--help` shows a selection of their options, and `--help-all` every one."""

SCREEN = 40
"""Lines that a selection of options may take."""

TITLES = {group.value for group in OptionGroup}


class Help(NamedTuple):
    """The parsed help text of a command.

    options: the names of options and positional arguments by heading.
    """

    text: str
    options: dict[str, list[str]]


def help_of(command: str, capsys: pytest.CaptureFixture[str]) -> Help:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help-all" if command in SELECTIVE else "--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    options: dict[str, list[str]] = {}
    for heading, body in re.findall(r"^(\S.*):\n((?:  .*\n)+)", text, re.MULTILINE):
        options[heading] = re.findall(r"^  ([-\w][^\s,]*)", body, re.MULTILINE)
    return Help(text, options)


@pytest.mark.parametrize("command", COMMANDS.names())
def test_every_one_of_many_options_has_a_group(command: str, capsys: pytest.CaptureFixture[str]):
    shown = help_of(command, capsys)
    headings = shown.options.keys() - {"examples", FORMATS, OptionGroup.COMMON.value}
    grouped = headings <= TITLES
    assert grouped or sum(len(shown.options[heading]) for heading in headings) < MANY
    # argparse repeats a heading if options of a group are added twice.
    assert all(shown.text.count(f"\n{title}:\n") <= 1 for title in TITLES)


def test_compile_shows_its_groups_in_order(capsys: pytest.CaptureFixture[str]):
    shown = help_of("compile", capsys)
    *_, common = OptionGroup
    expected = [group.value for group in OptionGroup if group not in (OptionGroup.TRAINING, common)]
    assert list(shown.options) == ["examples", *expected, common.value, FORMATS]
    model = ["model", "--trust-pickle", "--classes", "--false-alarms", "--cache", "--name", "--val", "--test", "-o"]
    assert shown.options[OptionGroup.MODEL.value] == model
    assert "--ram" in shown.options[OptionGroup.MEMORY.value]


@pytest.mark.parametrize("command", ["compile", "bench"])
def test_help_ends_with_what_formats_are_good_for(command: str, capsys: pytest.CaptureFixture[str]):
    named = help_of(command, capsys).options[FORMATS]
    assert {"fixed", "affine", "posit", "f32"} <= {*named}
    assert {ALIASES.get(name, name) for name in named} == {*formats()}


@pytest.mark.parametrize("command", ["compile", "bench"])
def test_help_begins_with_three_examples_that_parse(command: str, capsys: pytest.CaptureFixture[str]):
    text = help_of(command, capsys).text
    usage, examples, *_ = text.split("\n\n")
    assert len(usage.splitlines()) == 1
    lines = [line.strip() for line in examples.splitlines()[1:]]
    purposes, commands = lines[::2], lines[1::2]
    assert len(commands) == 3
    assert all(purpose.startswith("# ") for purpose in purposes)
    for line in commands:
        program, named, *arguments = shlex.split(line)
        assert (program, named) == ("tinyml", command)
        parser = ArgumentParser(exit_on_error=False, add_help=False)
        import_module(f"tinyml.tools.commands.{command}").add_arguments(parser)
        add_common_options(parser, CommandOptions)
        parsed = parser.parse_args(arguments)
        assert vars(parsed).get("target") in (None, *targets())


@pytest.mark.parametrize("command", SELECTIVE)
def test_a_selection_fits_on_a_screen(command: str, capsys: pytest.CaptureFixture[str]):
    every = {name for names in help_of(command, capsys).options.values() for name in names}
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    usage, examples, selection = text.split("\n\n")
    shown = re.findall(r"^  ([-\w][^\s,]*)", selection, re.MULTILINE)
    assert usage.startswith(f"usage: tinyml {command} ")
    assert examples.startswith("examples:\n")
    assert len(text.splitlines()) <= SCREEN
    assert all(len(line) <= 80 for line in selection.splitlines())
    # The last lines lead to the rest.
    assert shown[-2:] == ["-h", "--help-all"]
    assert len({*shown}) == len(shown)
    assert {*shown} < every
    assert {"model", "-o", "--val", "--target", "--format", "--width"} <= {*shown}


def test_options_that_a_selection_leaves_out_are_taken_all_the_same(capsys: pytest.CaptureFixture[str]):
    """Options that the short help text omits are accepted."""
    with pytest.raises(SystemExit) as ended:
        main(["compile", "--votes", "hard", "--help-all"])
    assert ended.value.code == 0
    assert "--votes {soft,hard}" in capsys.readouterr().out

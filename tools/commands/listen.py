"""The command `tinyml listen`, which runs a compiled streaming program over a recording."""

from __future__ import annotations

import argparse
import json

from tinyml.dialects.options import options_of
from tinyml.tools.cli.arguments import add_options, parsed
from tinyml.tools.cli.common_options import PrintOptions
from tinyml.tools.driver.heard import Rule
from tinyml.tools.driver.listen_request import ListenRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    for declaration in (ListenRequest, Rule, PrintOptions):
        add_options(parser, options_of(declaration))


def run(arguments: argparse.Namespace) -> int:
    """Print the detected words, each with its time, or with `--json` the whole result, including the scores of all
    answers. Return the exit code.

    Raises `InputError` as `listen` does.
    """
    from tinyml.tools.driver.listen import listen

    result = listen(parsed(arguments, ListenRequest), parsed(arguments, Rule))
    if parsed(arguments, PrintOptions).json:
        print(json.dumps(result, indent=2))
        return 0
    for word in result["words"]:
        name = "" if word["name"] == str(word["label"]) else f"  {word['name']}"
        print(f"{word['time']:8.2f} s  {word['label']:3}{name}  score {word['score']:.3g}, {word['lead']:.3g} ahead")
    count, seconds = len(result["words"]), result["samples"] / result["rate"]
    print(f"{count} {'word' if count == 1 else 'words'} in {seconds:.1f} s, {len(result['answers'])} answers")
    return 0

"""The command `tinyml design`, which trains models of many families on a table and compiles the best for a board."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from tinyml.dialects.options import OptionGroup, options_of
from tinyml.tools.cli.arguments import add_options, parsed, show_examples
from tinyml.tools.driver.design_options import DesignRequest

EXAMPLES = {
    "iris.csv --target uno -o out": "two minutes; the last column has the classes",
    "falls.csv --at-least recall:fall=0.98 -o out": "a class that must not be missed",
    "table.npz --flash 8000 --milliseconds 2 --seconds 600 --journal trials.csv -o out": "limits, and ten minutes",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    show_examples(parser, "TABLE -o FOLDER", EXAMPLES)
    add_options(parser, options_of(DesignRequest), others=OptionGroup.RESULT)


def selection() -> Mapping[str, str]:
    """Short help texts of the options that most users need."""
    return {
        "table": "labelled samples: .csv with a heading, or .npz with x and y",
        "label": "column of a .csv file with classes or target values (default: the last one)",
        "target": "board to compile for (default: uno)",
        "out": "folder to write",
        "flash": "limit on the flash of the program",
        "ram": "limit on its RAM",
        "milliseconds": "limit on the time of a call",
        "seconds": "processor time of the design (default: 120)",
        "metric": "metric, such as f1 or rmse (default: accuracy, or rmse of target values)",
        "at_least": "least values of further metrics, such as recall:fall=0.98",
    }


def run(arguments: argparse.Namespace) -> int:
    from tinyml.tools.commands.actions.design import design_table

    design_table(parsed(arguments, DesignRequest))
    return 0

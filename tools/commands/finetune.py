"""The command `tinyml finetune`, which trains a model further in the arithmetic of its compiled program."""

from __future__ import annotations

import argparse

from tinyml.dialects.errors import InputError
from tinyml.dialects.options import OptionGroup, options_of
from tinyml.tools.cli.arguments import add_options, given, parsed
from tinyml.tools.driver.finetuning_options import SUFFIXES, FinetuneRequest, number_options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, [*options_of(FinetuneRequest), *number_options()], others=OptionGroup.RESULT)


def run(arguments: argparse.Namespace) -> int:
    """Raises `InputError` for an output file without the suffix .mlir, and as `finetune_model` does."""
    request = parsed(arguments, FinetuneRequest)
    if request.out.suffix not in SUFFIXES:
        raise InputError("expected an output file with the suffix .mlir", file=str(request.out))
    from tinyml.tools.commands.actions.finetune import finetune_model

    finetune_model(request, given(arguments, number_options()))
    return 0

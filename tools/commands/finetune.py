"""The command `tinyml finetune`, which trains a model further in the arithmetic of its compiled program."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.options import OptionGroup, option, options_of
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.readers.arrays import check_npz
from tinyml.tools.cli.arguments import add_options, given, parsed
from tinyml.tools.cli.atomic_output import write_file
from tinyml.tools.cli.common_options import PrintOptions
from tinyml.tools.driver.finetune import finetune, labelled
from tinyml.tools.driver.finetuning_options import FinetuneOptions, number_options
from tinyml.tools.driver.request import ModelArgument
from tinyml.tools.driver.stages import load_program, print_ir

SUFFIXES = (".mlir",)


@dataclass(frozen=True, kw_only=True)
class FinetuneRequest(PrintOptions, FinetuneOptions, ModelArgument):
    """A request to fine-tune a model; the fields are options of `tinyml finetune`."""

    train: Path = option("labelled samples x, y to train on", metavar="FILE.npz", group=OptionGroup.MODEL)
    val: Path = option(
        "labelled samples x, y by which formats, epochs and trainings are chosen",
        metavar="FILE.npz",
        group=OptionGroup.MODEL,
    )
    out: Path = option(
        "file to write: .mlir", flags=("-o", "--out"), metavar="FILE", writes=SUFFIXES, group=OptionGroup.MODEL
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, [*options_of(FinetuneRequest), *number_options()], others=OptionGroup.RESULT)


def run(arguments: argparse.Namespace) -> int:
    """Write the program in its number formats, print the loss and the accuracy before the training and after each part
    of it, and return the exit code.

    Raises `InputError` for an output file without the suffix .mlir, and as `finetune` does.
    """
    request = parsed(arguments, FinetuneRequest)
    if request.out.suffix not in SUFFIXES:
        raise InputError("expected an output file with the suffix .mlir", file=str(request.out))
    for file in (request.train, request.val):
        check_npz(file, "data")
    program = load_program(request.model, context())
    numbers = PipelineOptions(data=str(request.val), **given(arguments, number_options()))
    train, val = (labelled(program, file) for file in (request.train, request.val))
    tuned = finetune(program, train, val, request, numbers)
    write_file(request.out, print_ir(tuned.module))
    parts = {"before": tuned.before, "in floating point": tuned.floats, "compiled without training": tuned.untrained}
    parts |= {"fine-tuned": tuned.quantised}
    report = {name: {"loss": loss, "accuracy": accuracy} for name, (loss, accuracy) in parts.items()}
    if request.json:
        print(json.dumps({**report, "removed": tuned.removed, "seed": tuned.seed}, indent=2))
    else:
        for name, (loss, accuracy) in parts.items():
            print(f"{name}: {accuracy:.2f} % of {len(val.y)} samples, loss {loss:.4f}")
        print(f"{request.out}: {tuned.removed} channels removed")
    if tuned.warning is not None:
        print(f"warning: {tuned.warning}", file=sys.stderr)
    return 0

"""The options of fine-tuning, each declared once for the command line and the API."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.options import Option, OptionGroup, option, options_of
from tinyml.lowering.options import CompileOptions
from tinyml.tools.cli.common_options import PrintOptions
from tinyml.tools.driver.request import ModelArgument

REFIT, NORMS = PRUNING = ("refit", "norms")

SUFFIXES = (".mlir",)

NUMBERS = ("format", "width", "weights", "functions", "scale_by", "row_scales", "plan")
"""The compilation options that determine the arithmetic of the training."""


@dataclass(frozen=True, kw_only=True)
class FinetuneOptions:
    """The options of fine-tuning, in addition to the compilation options in `NUMBERS`."""

    epochs: int = option("epochs in floating point, after pruning", default=10, metavar="N", group=OptionGroup.TRAINING)
    quantized_epochs: int = option(
        "epochs in the program's own arithmetic", default=10, metavar="N", group=OptionGroup.TRAINING
    )
    rate: float = option(
        "learning rate of Adam in floating point; in number formats a quarter of it, doubled for each bit below 8",
        default=0.002,
        group=OptionGroup.TRAINING,
    )
    batch: int = option("samples in a step", default=32, metavar="N", group=OptionGroup.TRAINING)
    learn_ranges: bool = option(
        "choose the range of each tensor, in powers of two, by the training loss instead of the profile",
        default=False,
        group=OptionGroup.TRAINING,
    )
    trainings: int = option(
        "number of trainings with different random orders, of which that with the least loss on --val is chosen",
        default=1,
        metavar="N",
        group=OptionGroup.TRAINING,
    )
    seed: int = option("first seed of the random orders", default=1, metavar="N", group=OptionGroup.TRAINING)
    ram: int | None = option(
        "limit on the live bytes at the peak of the plan; channels are removed until the plan is within the limit",
        default=None,
        metavar="BYTES",
        group=OptionGroup.MEMORY,
    )
    flash: int | None = option(
        "limit on the bytes of the weights", default=None, metavar="BYTES", group=OptionGroup.MEMORY
    )
    macs: int | None = option(
        "limit on the multiply-accumulates of an inference", default=None, metavar="N", group=OptionGroup.MEMORY
    )
    pruning: str = option(
        "channels to remove: those whose removal increases the loss the least after the other weights are refitted, or "
        "those with the least L1 norms at the bottleneck (only with --ram)",
        default=REFIT,
        choices=PRUNING,
        group=OptionGroup.TRAINING,
    )


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


def number_options() -> list[Option]:
    return [option for option in options_of(CompileOptions) if option.name in NUMBERS]


def finetune_options() -> list[Option]:
    return [*options_of(FinetuneOptions), *number_options()]

"""The options of a compilation, each declared once.

The command line, the named pipelines, the driver and the report derive theirs from here. A pass takes an option by
having a field of the same name; a pass that runs only on request says so in `pipelines.PIPELINES`.
"""

from __future__ import annotations

from dataclasses import dataclass

from tinyml.dialects.formats.lookup import USUAL_FORMAT
from tinyml.dialects.options import option
from tinyml.targets.chip import FILE_ORDER, INPUT_ORDERS, INPUTS, MEMORY
from tinyml.targets.registry import HOST
from tinyml.transforms.schedules.table import AUTO, schedule_names

PACKED = ("auto", "always", "never")


@dataclass(frozen=True, kw_only=True)
class CompileOptions:
    """The options of users; None leaves a pass its own default."""

    format: str = option(
        "number format: a registered dialect's, such as a plug-in's, or f32", default=USUAL_FORMAT, metavar="NAME"
    )
    functions: str | None = option(
        "scheme for exp, tanh and sigmoid, for a format that has several", default=None, metavar="SCHEME"
    )
    width: int | None = option("bits of each number (default: the format's usual width)", default=None, metavar="BITS")
    weights: str | None = option("another format for constants", default=None, metavar="FORMAT:BITS")
    packed: str | None = option(
        "pack constants of few bits in flash (auto: where that pays)", default=None, choices=PACKED
    )
    row_scales: bool = option("scales per row of weights, where they help", default=False)
    reuse_input: bool = option(
        "the input lies in the arena, which the model overwrites (by itself where RAM has no room for both)",
        default=False,
    )
    pack_buffers: bool = option("pack working memory of few bits in RAM", default=False)
    input: str = option(
        "the image lies in memory, or arrives row by row: over the board's serial line, or from the function NAME_row",
        default=MEMORY,
        choices=INPUTS,
    )
    input_order: str = option(
        "the order of an image's axes: the file's, or channels last, as from cameras, which takes less memory",
        default=FILE_ORDER,
        choices=INPUT_ORDERS,
    )
    round_sums: bool = option(
        "no accumulators in RAM for sums that loops carry (searches with --ram find out whether)", default=False
    )
    plan: str = option(
        "the order of execution: op by op, in slices, or convolutions in place (auto: the fastest that fits in RAM)",
        default=AUTO,
        choices=schedule_names,
    )


@dataclass(frozen=True, kw_only=True)
class PipelineOptions(CompileOptions):
    """The options of pipelines: those of users, the validation set and the target."""

    data: str = option(".npz file with the validation set `x`, to profile with and to round weights on")
    ram: int | None = option("bytes for the fastest plan that fits; without them it is ordinary", default=None)
    flash: int | None = option(
        "bytes of flash for kernels and code that take more of it and less time; without them none", default=None
    )
    target: str = option("board, whose kernels are used", default=HOST, metavar="NAME")

"""The options of a compilation, each declared once.

The command line, the named pipelines, the driver and the report derive theirs from here. A pass takes an option by
having a field of the same name; passes that only run on request are marked in `pipelines.PIPELINES`.
"""

from __future__ import annotations

from dataclasses import dataclass

from tinyml.dialects.formats.lookup import USUAL_FORMAT
from tinyml.dialects.options import OptionGroup, option
from tinyml.targets.chip import FILE_ORDER, INPUT_ORDERS, INPUTS, MEMORY
from tinyml.targets.registry import HOST
from tinyml.transforms.schedules.table import AUTO, schedule_names

PACKED = ("auto", "always", "never")


@dataclass(frozen=True, kw_only=True)
class CompileOptions:
    """The options of users; None leaves a pass its own default."""

    format: str = option(
        "number format: a built-in one, one of an installed package, or f32",
        default=USUAL_FORMAT,
        metavar="NAME",
        group=OptionGroup.NUMBERS,
    )
    functions: str | None = option(
        "how exp, tanh and sigmoid are computed, for a format with several schemes",
        default=None,
        metavar="SCHEME",
        group=OptionGroup.NUMBERS,
    )
    width: int | None = option(
        "bits of each number (default: the format's usual width)",
        default=None,
        metavar="BITS",
        group=OptionGroup.NUMBERS,
    )
    weights: str | None = option(
        "format of constants, if it differs from --format and --width",
        default=None,
        metavar="FORMAT:BITS",
        group=OptionGroup.NUMBERS,
    )
    packed: str | None = option(
        "store constants of few bits packed in flash: auto packs where that pays",
        default=None,
        choices=PACKED,
        group=OptionGroup.MEMORY,
    )
    row_scales: bool = option(
        "give each row of a weight matrix a scale of its own where that reduces the error",
        default=False,
        group=OptionGroup.NUMBERS,
    )
    reuse_input: bool = option(
        "keep the input in the arena and let the model overwrite it (automatic where RAM cannot hold both)",
        default=False,
        group=OptionGroup.MEMORY,
    )
    pack_buffers: bool = option(
        "store working memory of few bits packed in RAM: less RAM, more time", default=False, group=OptionGroup.MEMORY
    )
    input: str = option(
        "source of the input: an array in memory, or an image that arrives row by row, over the board's serial line or "
        "from a callback NAME_row",
        default=MEMORY,
        choices=INPUTS,
        group=OptionGroup.BOARD,
    )
    input_order: str = option(
        "order of the axes of an input image: as in the model file, or channels last as cameras deliver it, which "
        "takes less memory",
        default=FILE_ORDER,
        choices=INPUT_ORDERS,
        group=OptionGroup.BOARD,
    )
    round_sums: bool = option(
        "round sums that loops carry, in place of wide accumulators in RAM (searches with --ram try both)",
        default=False,
        group=OptionGroup.MEMORY,
    )
    plan: str = option(
        "order of execution (docs/schedules.md); auto takes the fastest plan that fits in RAM",
        default=AUTO,
        choices=schedule_names,
        group=OptionGroup.MEMORY,
    )


@dataclass(frozen=True, kw_only=True)
class PipelineOptions(CompileOptions):
    """The options of pipelines: those of users, the validation set and the target."""

    data: str = option(".npz file with the validation set `x`, to profile with and to round weights on")
    ram: int | None = option(
        "bytes of RAM: the fastest plan that fits is taken (default: the ordinary plan)", default=None
    )
    flash: int | None = option(
        "bytes of flash that the program may fill with larger, faster kernels and code (default: none are used)",
        default=None,
    )
    target: str = option("board whose kernels are used", default=HOST, metavar="NAME")

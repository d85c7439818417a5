"""The request for plans."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.options import option
from tinyml.tools.cli.common_options import PrintOptions
from tinyml.tools.driver.request import ModelArgument, TargetOptions
from tinyml.tools.reports.plots import FORMATS


@dataclass(frozen=True, kw_only=True)
class PlanRequest(PrintOptions, ModelArgument, TargetOptions):
    """A request for plans; the fields are the options of `tinyml plan`."""

    mode: str | None = option("show the segments of this plan", default=None, metavar="MODE", exclusive="shown")
    bottleneck: bool = option(
        "show the tensors that are live where the plan of --mode (default: auto) needs the most memory, and the "
        "importance of their channels",
        default=False,
    )
    importance: Path | None = option(
        "importance of each channel for --bottleneck: an array for each filter, under the name of its weights "
        "(default: the L1 norm of the weights)",
        default=None,
        metavar="FILE.npz",
    )
    front: bool = option(
        "compile the model with every plan, and show RAM and time of each program", default=False, exclusive="shown"
    )
    picture: Path | None = option(
        "draw the result of --front, or of --mode compared with ordinary execution, to an .svg or .png file",
        default=None,
        metavar="FILE",
        writes=FORMATS,
    )
    val: Path | None = option(
        "inputs x from which --front chooses the number formats of a model on reals", default=None, metavar="FILE.npz"
    )
    bits: int | None = option("bits of each element (default: those of the model's formats)", default=None, metavar="N")
    extra: int = option(
        "multiply-accumulates that a plan may add, in percent of the network's", default=30, metavar="PERCENT"
    )

"""The options of the commands on channels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.options import option
from tinyml.tools.cli.common_options import PrintOptions
from tinyml.tools.driver.request import ModelArgument


@dataclass(frozen=True, kw_only=True)
class ChannelRequest(PrintOptions, ModelArgument):
    """A request about the channels of a network."""

    mode: str = option("plan whose peak memory counts (tinyml plan lists them)", default="auto", metavar="MODE")
    bits: int | None = option("bits of each element (default: those of the model's formats)", default=None, metavar="N")
    importance: Path | None = option(
        "importance of each channel: an array for each filter, under the name of its weights "
        "(default: the L1 norm of the weights)",
        default=None,
        metavar="FILE.npz",
    )

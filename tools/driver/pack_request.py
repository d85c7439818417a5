"""A packing problem and its options."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.options import Seconds, option
from tinyml.transforms.buffers.packing.packing_options import PackingOptions


@dataclass(frozen=True, kw_only=True)
class PackRequest(PackingOptions):
    """A packing problem and its options; the fields are the options of `tinyml pack`.

    The default limit of `nodes` corresponds to about half a minute in C; the default limit of `seconds` is two minutes.
    """

    problem: Path = option(
        "CSV file with the columns id, lower, upper, size and, optionally, alignment, gaps, offset", flags=()
    )
    seconds: Seconds | None = option("longest duration of the search", default=None, metavar="S")
    capacity: int | None = option("stop at a packing of at most N bytes", default=None, metavar="N", exclusive="goal")
    minimize: bool = option("search for the lowest packing (the default)", default=False, exclusive="goal")
    python: bool = option("search in Python even if there is a C compiler", default=False)
    out: Path | None = option(
        "CSV file to write (default: standard output)",
        default=None,
        flags=("-o", "--out"),
        metavar="FILE",
        writes=(".csv",),
    )
    picture: Path | None = option(
        "draw the arena over time to an .svg file", default=None, metavar="FILE", writes=(".svg",)
    )

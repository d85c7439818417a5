"""The request to run a compiled model on a recording."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.options import option
from tinyml.targets.registry import HOST
from tinyml.tools.driver.request import listed_targets, optimize


@dataclass(frozen=True, kw_only=True)
class ListenRequest:
    """A request to run a compiled model on a recording; the fields are options of `tinyml listen`."""

    folder: Path = option("folder that tinyml compile wrote", flags=())
    wav: Path = option("recording of 8 or 16 bits, at the rate of the program's front end", metavar="FILE.wav")
    device: str = option(f"simulated board to run on: {listed_targets()}", default=HOST, metavar="BOARD")
    picture: Path | None = option(
        "draw the spectrogram, the scores and the words to this file",
        default=None,
        metavar="FILE.svg",
        writes=(".svg",),
    )
    optimize: str = optimize()

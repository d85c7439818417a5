"""The request to run a compiled model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.options import option
from tinyml.runtime.devices.registry import DEVICES
from tinyml.targets.registry import HOST
from tinyml.tools.driver.request import listed_targets, optimize


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """A request to run a compiled model; the fields are the options of `tinyml run`."""

    folder: Path = option("folder that tinyml compile wrote", flags=())
    data: Path = option("inputs x: real numbers, or integers, which are raws of the model's input", metavar="FILE.npz")
    device: str = option(
        f"simulated board to run on: {listed_targets()}; or {DEVICES.listed()}",
        default=HOST,
        metavar="BOARD",
        exclusive="where",
    )
    port: str | None = option(
        "run on the board at this serial port, which runs the sketch Stream of the model's library",
        default=None,
        metavar="PORT",
        exclusive="where",
    )
    timeout: float = option("seconds to wait for each answer of the board at --port", default=10.0, metavar="SECONDS")
    limit: int | None = option("run only the first N samples", default=None, metavar="N")
    save: Path | None = option(
        "write the labels, and scores and other outputs as raws, to this file",
        default=None,
        metavar="FILE.npz",
        writes=(".npz",),
    )
    optimize: str = optimize()

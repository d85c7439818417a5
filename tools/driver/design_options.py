"""The options of `tinyml design`, each declared once for the command line and the API."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.options import FOLDER, OptionGroup, option
from tinyml.tools.cli.common_options import PrintOptions
from tinyml.tools.driver.request import TargetOptions

USUAL_SECONDS = 120.0
"""The seconds of a design without a limit on seconds or candidates."""


@dataclass(frozen=True, kw_only=True)
class DesignOptions:
    """The options of a design, on the command line and in Python."""

    flash: int | None = option(
        "limit on the flash of the program (default: that of the board)",
        default=None,
        metavar="BYTES",
        group=OptionGroup.MEMORY,
    )
    ram: int | None = option(
        "limit on the RAM of the program: arena, input and stack (default: that of the board)",
        default=None,
        metavar="BYTES",
        group=OptionGroup.MEMORY,
    )
    milliseconds: float | None = option(
        "limit on the time of a call with floats, at the clock of the board",
        default=None,
        metavar="MS",
        group=OptionGroup.BOARD,
    )
    seconds: float | None = option(
        "processor time of the design in seconds, of all processes together "
        f"(default: {USUAL_SECONDS:g} without --candidates)",
        default=None,
        metavar="S",
        group=OptionGroup.TRAINING,
    )
    candidates: int | None = option(
        "greatest number of candidates that are trained, with which the result is the same on every computer",
        default=None,
        metavar="N",
        group=OptionGroup.TRAINING,
    )
    families: tuple[str, ...] | None = option(
        "families of models (default: all that are installed)",
        default=None,
        metavar="NAME,...",
        group=OptionGroup.TRAINING,
    )
    metric: str | None = option(
        "metric that is maximised, such as f1, recall:CLASS or balanced-accuracy, or minimised: rmse, mae (default: "
        "accuracy of classes, rmse of target values)",
        default=None,
        metavar="NAME",
        group=OptionGroup.TRAINING,
    )
    at_least: tuple[str, ...] | None = option(
        "least values of further metrics, such as recall:fall=0.98 for a class that must not be missed",
        default=None,
        metavar="NAME=VALUE,...",
        group=OptionGroup.TRAINING,
    )
    folds: int = option("parts of the cross-validation", default=5, metavar="N", group=OptionGroup.TRAINING)
    seed: int = option(
        "seed of the splits, the models and the search", default=1, metavar="N", group=OptionGroup.TRAINING
    )
    journal: Path | None = option(
        "table to which each result is added, and from which an interrupted design resumes",
        default=None,
        metavar="FILE.csv",
        group=OptionGroup.RESULT,
        writes=(".csv",),
    )
    replay: Path | None = option(
        "design.json of an earlier design of the same table, whose options and trials are repeated",
        default=None,
        metavar="FILE",
        group=OptionGroup.RESULT,
    )
    jobs: int | None = option(
        "number of processes (default: one per processor)", default=None, metavar="N", group=OptionGroup.TRAINING
    )
    backend: str = option(
        "where candidates are trained",
        default="local",
        choices=("local", "dask", "ray"),
        group=OptionGroup.TRAINING,
    )
    cluster: str | None = option(
        "address of a Dask or Ray cluster (default: one on this computer)",
        default=None,
        metavar="ADDRESS",
        group=OptionGroup.TRAINING,
    )


@dataclass(frozen=True, kw_only=True)
class DesignRequest(PrintOptions, DesignOptions, TargetOptions):
    """A request to design a program; the fields are the options of `tinyml design`."""

    table: Path = option(
        "labelled samples: .csv with a heading, or .npz with x, y and optionally groups",
        flags=(),
        group=OptionGroup.MODEL,
    )
    label: str | None = option(
        "column of a .csv file with classes or target values (default: the last one)",
        default=None,
        metavar="COLUMN",
        group=OptionGroup.MODEL,
    )
    groups: str | None = option(
        "column of a .csv file whose equal values, such as persons, stay in one part of the samples",
        default=None,
        metavar="COLUMN",
        group=OptionGroup.MODEL,
    )
    test: Path | None = option(
        "table of the final figure (default: a fifth of the samples)",
        default=None,
        metavar="FILE",
        group=OptionGroup.MODEL,
    )
    out: Path = option(
        "folder to write", flags=("-o", "--out"), metavar="FOLDER", group=OptionGroup.MODEL, writes=FOLDER
    )

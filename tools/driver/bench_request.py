"""The request to compare models, searches or formats."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tinyml.dialects.options import OptionGroup, option
from tinyml.tools.cli.common_options import trust_pickle
from tinyml.tools.driver.request import BuildOptions
from tinyml.tools.reports.plots import FORMATS


@dataclass(frozen=True, kw_only=True)
class BenchRequest(BuildOptions):
    """A request to compare models, searches or formats; the fields are the options of `tinyml bench`."""

    folders: tuple[Path, ...] = option(
        "folders with a program, val.npz and test.npz, or files of quantised models",
        flags=(),
        group=OptionGroup.MODEL,
    )
    trust_pickle: bool = trust_pickle()
    searches: tuple[str, ...] | None = option(
        "compare the searches of the papers instead, in these formats (all other options but --json are ignored)",
        default=None,
        metavar="FORMAT[:SCHEME],...",
        group=OptionGroup.RESULT,
    )
    formats: tuple[str, ...] | None = option(
        "compare number formats instead, of one width or with widths that a search finds (without a value: MinUn's "
        "formats and ours)",
        default=None,
        metavar="FORMAT[:BITS][+SEARCH],...",
        bare=(),
        group=OptionGroup.RESULT,
    )
    picture: Path | None = option(
        "draw the mean loss and cost of each of the --formats to an .svg or .png file",
        default=None,
        metavar="FILE",
        group=OptionGroup.RESULT,
        writes=FORMATS,
    )
    json: Path | None = option(
        "also write the reports to this file", default=None, metavar="FILE", group=OptionGroup.RESULT, writes=(".json",)
    )

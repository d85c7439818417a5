"""The alternatives of `--format auto`: a table with one row for each combination of options.

An alternative contains options of the command line, so that a command line can reproduce the choice. A new option that
changes formats requires one more row in `BUILT_IN`. A package adds a row by an entry point of the group
`tinyml.alternatives`, whose name is that of the alternative.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tinyml.dialects.formats.lookup import formats
from tinyml.dialects.options import options_of
from tinyml.dialects.plugins import ALTERNATIVES as GROUP
from tinyml.dialects.plugins import PluginError, Row
from tinyml.dialects.tables import Table
from tinyml.lowering.options import CompileOptions


@dataclass(frozen=True)
class Alternative:
    """Options of `CompileOptions` that determine the formats of a program.

    name: shown to the user.
    options: the options that differ from their defaults.
    beside: the name of the base, an alternative of equal speed; this alternative is considered only if the base is
        refused.
    weighed: true if this alternative is slower than its base and qualifies only if it changes fewer answers; it is
        tried before other alternatives with the same base.
    mixed: true if each product has one factor of 16 bits. Such an alternative counts as slower only on chips on which
        16-bit factors are expensive (`WIDE_COST`).
    by_windows: true if this alternative is faster than its base only in convolutions.
    last_resort: true for slow programs, which are considered only if no other alternative qualifies.
    compact: true for slower and less exact programs in less flash, which are considered only if no other alternative
        fits.
    """

    name: str
    options: Mapping[str, Any] = field(hash=False)
    beside: str | None = None
    weighed: bool = False
    mixed: bool = False
    by_windows: bool = False
    last_resort: bool = False
    compact: bool = False


USUAL_WIDTH = "fixed 16"
"""The alternative that the chosen one is compared with."""

NARROW_WIDTH = "fixed 8"
"""The alternative that sets the time limit for all others if it qualifies."""

WIDE_COST = 2.0
"""The ratio of the times of 16 and 8 bits above which programs of mixed widths are slower than programs of 8 bits.

On an AVR, 16 bits take 2 to 9 times as long, and mixed widths at least 1.7 times as long. On a Cortex-M4 16 bits take
1.4 times as long; values of 16 bits with weights of 8 bits are sometimes faster than 8 bits.
"""


def with_feature_scales(alternative: Alternative) -> Alternative:
    """Add a scale for each feature to an alternative.

    The base of the result is the alternative without these scales or, for a weighed alternative, its base with
    these scales.
    """
    weighed, base = alternative.weighed, alternative.beside
    beside = _scaled(base) if weighed and base is not None else alternative.name
    return Alternative(
        _scaled(alternative.name), {**alternative.options, "feature_scales": True}, beside, weighed=weighed
    )


def _scaled(name: str) -> str:
    return f"{name}, feature scales"


_8_BITS = {"format": "fixed", "width": 8}
_16_BITS = {"format": "fixed", "width": 16}

_QUICK = (
    Alternative(USUAL_WIDTH, _16_BITS),
    Alternative("fixed 16, weights fixed:8", {**_16_BITS, "weights": "fixed:8"}, NARROW_WIDTH, mixed=True),
    Alternative("fixed 8, weights fixed:16", {**_8_BITS, "weights": "fixed:16"}, NARROW_WIDTH, mixed=True),
    # Convolutions take 0.35 to 0.93 times as long as in fixed 8 on Cortex-M and RISC-V. All other ops take longer, up
    # to ten times (FastGRNN), as each result is multiplied by a scale.
    Alternative("zeroskew 8", {"format": "zeroskew", "width": 8}, NARROW_WIDTH, by_windows=True),
    Alternative(NARROW_WIDTH, _8_BITS),
    Alternative("fixed 8, row scales", {**_8_BITS, "row_scales": True}, NARROW_WIDTH, weighed=True),
)

BUILT_IN = (
    *_QUICK,
    # Decision trees that compare the float inputs directly, and add votes of 8 bits.
    Alternative("fixed 8, float features", {**_8_BITS, "float_features": True}),
    *map(with_feature_scales, _QUICK),
    Alternative("zeroskew 16", {"format": "zeroskew", "width": 16}, last_resort=True),
    Alternative("fixed 32", {"format": "fixed", "width": 32}, last_resort=True),
    Alternative("f32", {"format": "f32"}, last_resort=True),
    Alternative("fixed 8, weights codebook:4", {**_8_BITS, "weights": "codebook:4"}, compact=True),
    Alternative("fixed 8, weights mxint:4", {**_8_BITS, "weights": "mxint:4"}, compact=True),
    Alternative("fixed 8, weights mxfp:4", {**_8_BITS, "weights": "mxfp:4"}, compact=True),
)
"""The alternatives of tinyml; on a target of unknown costs they are tried in this order.

The core and all extensions stand in one table, because its rows name formats and import none. `considered` drops the
rows whose format is not installed.
"""


def _check(row: Row) -> None:
    if row.name in (alternative.name for alternative in BUILT_IN):
        raise PluginError(f"{row}: the alternative '{row.name}' already exists")


def _loaded(row: Row) -> Alternative:
    """The alternative of a table row. Raises `PluginError` for one of another name, with an unknown option, or with an
    unknown base.
    """
    alternative = row.load(Alternative)
    row.expect_fields(alternative)
    if alternative.name != row.name:
        raise PluginError(f"{row}: expected an Alternative of the same name, got {alternative.name!r}")
    if unknown := alternative.options.keys() - {option.name for option in options_of(CompileOptions)}:
        raise PluginError(f"{row}: there is no option '{min(unknown)}'")
    if alternative.beside not in (None, *(built_in.name for built_in in BUILT_IN), *ALTERNATIVES.names()):
        raise PluginError(f"{row}: there is no alternative '{alternative.beside}' that can be its base")
    return alternative


ALTERNATIVES = Table(GROUP, "alternative", _loaded, check=_check)
"""The alternatives of other packages, by name."""


def considered() -> Sequence[Alternative]:
    """All alternatives whose formats are installed: `BUILT_IN`, those of other packages, and formats of packages with
    widths `FOR_AUTO`.
    """
    installed = formats()
    built_in = [alternative for alternative in BUILT_IN if _named_formats(alternative) <= installed.keys()]
    offered = ((name, width) for name, format in installed.items() for width in format.FOR_AUTO)
    by_format = (Alternative(f"{name} {width}", {"format": name, "width": width}) for name, width in offered)
    return *built_in, *ALTERNATIVES.each(), *by_format


def _named_formats(alternative: Alternative) -> set[str]:
    options = alternative.options
    return {options["format"], options.get("weights", options["format"]).partition(":")[0]}


ORDINARY_EXECUTION: Mapping[str, Any] = {}

STREAMED_SCHEDULES = ({"plan": "pixels"}, {"plan": "rows"}, {"plan": "pixels", "reuse_input": True})
"""Options with which image networks need less memory and sometimes less time."""

SMALLEST_SCHEDULES = ({"reuse_input": True}, {"plan": "patches", "reuse_input": True})
"""Options that save memory if nothing else fits."""

"""The alternatives of `--format auto`, one row for each combination of options.

A row contains options of the command line, so that a command line can reproduce the choice. A new option that changes
formats requires one more row here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.formats.lookup import formats
from tinyml.dialects.plugins import ALTERNATIVES as GROUP
from tinyml.dialects.plugins import PluginError, Row, each, plugins


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

_NARROW = {"format": "fixed", "width": 8}

UNSCALED_ALTERNATIVES = (
    Alternative(USUAL_WIDTH, {"format": "fixed", "width": 16}),
    *(
        Alternative(
            f"fixed {width}, weights fixed:{weights}",
            {"format": "fixed", "width": width, "weights": f"fixed:{weights}"},
            NARROW_WIDTH,
            mixed=True,
        )
        for width, weights in ((16, 8), (8, 16))
    ),
    # Convolutions take 0.35 to 0.93 times as long as in fixed 8 on Cortex-M and RISC-V. All other ops take longer, up
    # to ten times (FastGRNN), as each result is multiplied by a scale.
    Alternative("zeroskew 8", {"format": "zeroskew", "width": 8}, NARROW_WIDTH, by_windows=True),
    Alternative(NARROW_WIDTH, _NARROW),
    Alternative("fixed 8, row scales", {"format": "fixed", "width": 8, "row_scales": True}, NARROW_WIDTH, weighed=True),
)
"""The alternatives with one scale for all features."""


def _with_feature_scales(row: Alternative) -> Alternative:
    """Add a scale for each feature to an alternative.

    The base of the result is the alternative without these scales or, for a weighed alternative, its base with
    these scales.
    """
    beside = _scaled(row.beside) if row.weighed and row.beside is not None else row.name
    return Alternative(_scaled(row.name), {**row.options, "feature_scales": True}, beside, weighed=row.weighed)


def _scaled(name: str) -> str:
    return f"{name}, feature scales"


FLOAT_FEATURES = Alternative(f"{NARROW_WIDTH}, float features", {**_NARROW, "float_features": True})
"""Decision trees that compare the float inputs directly, and add votes of 8 bits."""

ALTERNATIVES = (
    *UNSCALED_ALTERNATIVES,
    FLOAT_FEATURES,
    *map(_with_feature_scales, UNSCALED_ALTERNATIVES),
    Alternative("zeroskew 16", {"format": "zeroskew", "width": 16}, last_resort=True),
    Alternative("fixed 32", {"format": "fixed", "width": 32}, last_resort=True),
    Alternative("f32", {"format": str(F32_FORMAT.type)}, last_resort=True),
    *(
        Alternative(f"fixed 8, weights {weights}", {**_NARROW, "weights": weights}, compact=True)
        for weights in ("codebook:4", "mxint:4", "mxfp:4")
    ),
)
"""The built-in alternatives; on a target of unknown costs they are tried in this order."""


def considered() -> Sequence[Alternative]:
    """All alternatives: built-in ones with installed formats, alternatives of other packages, and formats of packages
    with widths `FOR_AUTO`.
    """
    known = formats()
    ours = [row for row in ALTERNATIVES if _formats_of(row) <= {*known}]
    offered = [(name, width) for name, format in known.items() for width in format.FOR_AUTO]
    by_format = (Alternative(f"{name} {width}", {"format": name, "width": width}) for name, width in offered)
    return *ours, *_of_packages(), *by_format


def _formats_of(row: Alternative) -> set[str]:
    """The name of an alternative's main format, and the name of the format of its weights."""
    return {row.options[name].partition(":")[0] for name in ("format", "weights") if name in row.options}


def _of_packages() -> Iterator[Alternative]:
    """Yield the valid alternatives of other packages, from entry points of the group `tinyml.alternatives`."""
    taken = {row.name for row in ALTERNATIVES}

    def checked(plugin: Row) -> Alternative:
        row = plugin.load(Alternative)
        plugin.expect_fields(row)
        if row.name in taken:
            raise PluginError(f"{plugin}: an alternative '{row.name}' already exists")
        if row.beside is not None and row.beside not in taken:
            raise PluginError(f"{plugin}: there is no alternative '{row.beside}' that can be its base")
        taken.add(row.name)
        return row

    return each(plugins(GROUP), checked)


ORDINARY_EXECUTION: Mapping[str, Any] = {}

STREAMED_SCHEDULES = ({"plan": "pixels"}, {"plan": "rows"}, {"plan": "pixels", "reuse_input": True})
"""Options with which image networks need less memory and sometimes less time."""

SMALLEST_SCHEDULES = ({"reuse_input": True}, {"plan": "patches", "reuse_input": True})
"""Options that save memory if nothing else fits."""

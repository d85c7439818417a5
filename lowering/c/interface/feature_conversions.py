"""Conversion of features that have scales and zeros of their own: tables and a function of the header."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from tinyml.dialects import c, tdsl
from tinyml.targets.c.text import spell_float
from tinyml.targets.chip import Chip

_TABLE = """\
static const float {table}[{length}]{attribute} = {{
{numbers}
}};
"""

_TABLES = """\
/* The units of the input: feature i is {name}_feature_scales[{i}] * number + {name}_feature_zeros[{j}]. */
"""

_SCALED = "(real - {read}({name}_feature_zeros + {j})) / {read}({name}_feature_scales + {i})"

_NUMBER = """\
/* The number that element i of the input holds in its format for a real number, the feature. */
static inline float {name}_feature_number(int i, float real)
{{
    return {scaled};
}}
"""

_UNUSED = "((void)i, {scaled})"
"""An element of an input all of whose features have one unit."""

_READ = "tm_flash_f32"
"""The helper by which chips read floats from tables that ordinary loads do not reach."""


def feature_conversion(name: str, features: tdsl.FeatureMap, chip: Chip) -> c.InlineOp:
    """The tables `NAME_feature_scales` and `NAME_feature_zeros`, and the function `NAME_feature_number`.

    It gives the number that the input holds for a feature, before that is rounded to a format.
    """
    tables = {"scales": features.scales, "zeros": features.zeros}
    tables = {kind: tdsl.shortest_period(reals) for kind, reals in tables.items()}
    attribute, read, parts = "", "*", list[str]()
    if chip.flash_attribute is not None:
        attribute, read = f" {chip.flash_attribute}", f"{name}_read"
        parts.append(chip.helpers[_READ].replace(_READ, read))
    i, j = (_index(len(reals), len(features.scales)) for reals in tables.values())
    table = _TABLES.format(name=name, i=i, j=j)
    for kind, reals in tables.items():
        names = {"table": f"{name}_feature_{kind}", "length": len(reals), "attribute": attribute}
        table += _TABLE.format(**names, numbers=_rows(reals.tolist()))
    parts.append(table)
    scaled = _SCALED.format(name=name, read=read, i=i, j=j)
    if (i, j) == ("0", "0"):
        scaled = _UNUSED.format(scaled=scaled)
    parts.append(_NUMBER.format(name=name, scaled=scaled))
    return c.InlineOp(f"{name}_feature_number", "\n".join(part.rstrip("\n") + "\n" for part in parts))


def _index(length: int, elements: int) -> str:
    """The index of a table whose numbers repeat over the elements."""
    if length == elements:
        return "i"
    return "0" if length == 1 else f"i % {length}"


def _rows(numbers: Sequence[float]) -> str:
    text = ", ".join(map(spell_float, numbers))
    return textwrap.fill(text, 100, initial_indent="    ", subsequent_indent="    ")

"""Choices of formats, which the profile turns into formats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tinyml.dialects.formats.number_format import NumberFormat


@dataclass(frozen=True)
class FormatChoice:
    """The choice for a class of tensors.

    prototype: any format of the required family and width. zoom: the scale suits a range 2^zoom times narrower than the
    profiled one, outside of which values saturate; a negative zoom widens the range.
    """

    prototype: NumberFormat
    zoom: int = 0

    def format_for(self, low: float, high: float) -> NumberFormat:
        """The format for values whose profiled range is [low, high]."""
        return self.prototype.for_range(math.ldexp(low, -self.zoom), math.ldexp(high, -self.zoom))


def with_choice(choices: Sequence[FormatChoice], index: int, choice: FormatChoice) -> list[FormatChoice]:
    """The given choices with that of one class of tensors replaced."""
    return [*choices[:index], choice, *choices[index + 1 :]]

"""Choices of formats, from which the profile makes formats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tinyml.dialects.formats.number_format import NumberFormat


@dataclass(frozen=True)
class FormatChoice:
    """The choice for a class of tensors.

    prototype: any format of the wanted family and width. zoom: the scale is that of a range 2^zoom times narrower than
    the profiled one, beyond which values saturate; a negative zoom widens the range.
    """

    prototype: NumberFormat
    zoom: int = 0

    def format_for(self, low: float, high: float) -> NumberFormat:
        """The format for values that lie between low and high by the profile."""
        return self.prototype.for_range(math.ldexp(low, -self.zoom), math.ldexp(high, -self.zoom))


def with_choice(choices: Sequence[FormatChoice], index: int, choice: FormatChoice) -> list[FormatChoice]:
    """The same choices but for one class of tensors."""
    return [*choices[:index], choice, *choices[index + 1 :]]

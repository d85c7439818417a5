"""Inputs outside the range of a program's input format, which saturate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.evaluator.evaluator import argument_reals, by_input, feature_map

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

MAX_INPUT = 3.4028234663852886e38
"""The greatest input of a device, which are numbers of single precision."""

MARGIN = 0.1
"""The share of a format's range by which a number must lie outside: single outliers up to there cost little."""

NOTABLE_SHARE = 0.01
"""The share of numbers outside a format above which a warning is due."""


@dataclass(frozen=True)
class BeyondRange:
    """The numbers of the inputs that lie outside the range of a program's input format.

    share: their fraction of all numbers of the inputs.
    feature: the index, from 0, of the feature with the greatest fraction of such numbers.
    value: the farthest number of this feature, in its units.
    end: the end of the format to which this number saturates, in the same units.
    """

    share: float
    feature: int
    value: float
    end: float

    @property
    def notable(self) -> bool:
        """Whether the share of numbers outside the format is too great to be explained by chance."""
        return self.share > NOTABLE_SHARE

    def __str__(self) -> str:
        return (
            f"{self.share:.1%} of the numbers lie outside the range of the program's input format, such as "
            f"{self.value:.4g} in feature {self.feature}, which counts as {self.end:.4g}"
        )


def beyond_range(module: ModuleOp, x: NDArray[Any]) -> BeyondRange | None:
    """Determine which numbers of real inputs (samples, elements) lie outside the input format of a program at L1, by
    more than `MARGIN` times the extent of its range.

    Returns None if there are no such numbers.
    """
    features = feature_map(module)
    reals = argument_reals(module, x).reshape(len(x), -1).astype(np.float64)
    ends = np.tile([[-MAX_INPUT], [MAX_INPUT]], reals.shape[1])
    low, high = by_input(module, ends, lambda format, part: format.decode(format.encode_clipped(part)))
    reach = MARGIN * (high - low)
    outside = (reals < low - reach) | (reals > high + reach)
    if not outside.any():
        return None
    feature = int(outside.mean(0).argmax())
    column = reals[:, feature]
    middle = (low[feature] + high[feature]) / 2
    sample = int(np.where(outside[:, feature], np.abs(column - middle), -1).argmax())
    end = high if column[sample] > high[feature] else low
    end = (end if features is None else features.features(end))[feature]
    return BeyondRange(float(outside.mean()), feature, float(x.reshape(len(x), -1)[sample, feature]), float(end))

"""Rounding the numbers of a constant so that the sums of their products are right, on real data.

Rounded to nearest, the errors of a row of weights w do not cancel where the inputs x have a mean or depend on each
other. Here each weight becomes one of its two neighbours w', so that E[(w' y - w x)^2] is small, where y is what x is
rounded to: "Up or Down? Adaptive Rounding for Post-Training Quantization" (Nagel et al., 2020, section 3), by
coordinate descent. With the mean alone it would be their bias correction (2019, section 4.2); it costs nothing on the
device.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinyml.transforms.input_moments import snapped

if TYPE_CHECKING:
    from tinyml.dialects.number_format import NumberFormat, Raws, Reals
    from tinyml.transforms.input_moments import Moments

LEAST_GAIN = 1e-9
"""Of what the rounding of one weight costs by itself: less is no gain."""


def round_weights(weights: Reals, format: NumberFormat, inputs: Moments) -> Raws:
    """A constant in a format, each weight rounded to one of its two neighbours.

    For each row, the weight that helps most is moved to its other neighbour, until none helps. No row's sum of
    magnitudes exceeds the greatest one after rounding to nearest, so that proofs about sums of products stay as they
    were.

    weights: of any shape, `inputs.axes` of which are those of the products.
    """
    import numpy as np

    last = tuple(range(-len(inputs.axes), 0))
    by_rows = np.moveaxis(weights, inputs.axes, last)
    rows = _round_rows(by_rows.reshape(-1, len(inputs.rounded)), format, inputs)
    return np.moveaxis(rows.reshape(by_rows.shape), last, inputs.axes)


def _round_rows(weights: Reals, format: NumberFormat, inputs: Moments) -> Raws:
    import numpy as np

    raws, other = format.encode(weights), format.encode_away(weights)
    near, far = format.decode(raws), format.decode(other)
    slopes = snapped(near @ inputs.rounded - weights @ inputs.crossed)
    steps, growths, sizes = far - near, np.abs(far) - np.abs(near), np.abs(near).sum(1)
    alone = steps**2 * np.diag(inputs.rounded)
    least, most = LEAST_GAIN * alone.max(1), sizes.max() * (1 + 1e-12)
    moved = np.zeros(weights.shape, bool)
    rows = np.arange(len(weights))
    while len(rows):
        gains = -2 * steps[rows] * slopes[rows] - alone[rows]
        gains[sizes[rows, None] + growths[rows] > most] = 0.0
        best = gains.argmax(1)
        helps = gains[np.arange(len(rows)), best] > least[rows]
        rows, best = rows[helps], best[helps]
        slopes[rows] += steps[rows, best, None] * inputs.rounded[best]
        sizes[rows] += growths[rows, best]
        moved[rows, best] ^= True
        steps[rows, best] *= -1
        growths[rows, best] *= -1
    return np.where(moved, other, raws)

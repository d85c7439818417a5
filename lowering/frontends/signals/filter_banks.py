"""Mel filter banks and cepstral coefficients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.layers.parameter import reals

if TYPE_CHECKING:
    from numpy.typing import NDArray


def mel_matrix(bands: int, bins: int, rate: float, low: float, high: float) -> NDArray[Any]:
    """Triangles (bands, bins) of height 1 whose corners are equally spaced in mel, 1127 ln(1 + f / 700), in f32.

    As TensorFlow's linear_to_mel_weight_matrix: weights are linear in mel, and bin 0 has none. low, high: limits of the
    bank in Hz. Bin k is at `k * rate / (2 * bins)`.
    """

    def mel(frequency: NDArray[Any]) -> NDArray[Any]:
        return 1127.0 * np.log1p(frequency / 700.0)

    first, last = mel(np.array([low, high])).tolist()
    corners = (first + (last - first) * np.arange(bands + 2) / (bands + 1))[:, None]
    at = mel(np.arange(bins) * rate / (2 * bins))[None]
    rising = (at - corners[:-2]) / (corners[1:-1] - corners[:-2])
    falling = (corners[2:] - at) / (corners[2:] - corners[1:-1])
    weights = np.maximum(0.0, np.minimum(rising, falling))
    weights[:, 0] = 0.0
    return weights.astype(np.float32)


def dct_matrix(coefficients: int, bands: int) -> NDArray[Any]:
    """The first rows of the orthonormal DCT of type II, (coefficients, bands)."""
    k, n = np.arange(coefficients)[:, None], np.arange(bands)[None]
    rows = np.cos(np.pi * k * (2 * n + 1) / (2 * bands)) * np.sqrt(2 / bands)
    rows[0] /= np.sqrt(2)
    return rows


def filter_bank(to: ModelBuilder, bins: SSAValue, matrix: NDArray[Any]) -> SSAValue:
    """The sums 1 x bands of 1 x bins numbers, weighted by the rows of a matrix that is stored without its zeros."""
    column = to.reshape(bins, (shape_of(bins)[1], 1))
    weights = to.emit(tdsl.ConstOp, matrix.astype(np.float32), F32_FORMAT, tdsl.Csr()).result
    return to.reshape(to.op(tdsl.SpmvOp, weights, column), (1, len(matrix)))


def cosine_transform(to: ModelBuilder, bands: SSAValue, coefficients: int) -> SSAValue:
    """The first coefficients of 1 x bands numbers."""
    count = shape_of(bands)[1]
    rows = to.parameter(reals(dct_matrix(coefficients, count)))
    return to.reshape(to.op(tdsl.MatmulOp, rows, to.reshape(bands, (count, 1))), (1, coefficients))

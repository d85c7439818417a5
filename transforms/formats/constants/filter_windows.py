"""A sample of the image windows by which a program's filters are multiplied, on real data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects import func
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.indexed_arrays import MatrixFactors
from tinyml.transforms.formats.constants.moments import Moments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import NumberFormat, Reals

KEPT = 1 << 21
"""The most elements of windows that are kept for each chunk of samples."""


class FilterWindows:
    """The windows by which one filter is multiplied, for each of its groups.

    vectors: of shape (windows, groups, elements of a window), for each chunk. samples: the sample of each window.
    """

    def __init__(self, op: tdsl.Conv2dOp):
        self.op = op
        self.image: SSAValue = op.rhs
        self.factors = MatrixFactors(op.terms[0], tdsl.shape_of(op.out))
        self.vectors: list[Reals] = []
        self.samples: list[NDArray[np.int64]] = []
        self.count = 0

    @staticmethod
    def of(constant: tdsl.ConstOp) -> FilterWindows | None:
        """The windows of a constant used only as the filter of one convolution outside loops; else None."""
        users = [use.operation for use in constant.result.uses]
        if len(users) != 1 or not isinstance(op := users[0], tdsl.Conv2dOp) or op.lhs is not constant.result:
            return None
        return FilterWindows(op) if op.rhs is not op.lhs and isinstance(op.parent_op(), func.FuncOp) else None

    @property
    def size(self) -> int:
        """The number of elements in a window, over all groups."""
        return int(np.prod(tdsl.shape_of(self.op.lhs)[1:])) * self.op.group_count

    def kept(self, chunk: int) -> int:
        """The approximate number of elements kept of each sample in a chunk of the given size."""
        _, height, width, _ = tdsl.shape_of(self.op.out)
        return min(height * width * self.size, max(KEPT // chunk, 1))

    def add(self, images: Reals) -> None:
        """Keep windows, evenly spread over the samples of a chunk and over the image."""
        _, height, width, _ = tdsl.shape_of(self.op.out)
        size = self.size
        step = max(-(-len(images) * size // KEPT), 1)
        taken = np.arange(0, len(images), step)
        spread = max(-(-len(taken) * height * width * size // KEPT), 1)
        vectors = self.factors.right_vectors(images[taken], spread)
        self.vectors.append(vectors.reshape(-1, *vectors.shape[2:]))
        self.samples.append(np.repeat(self.count + taken, vectors.shape[1]))
        self.count += len(images)

    @property
    def mean_squares(self) -> Reals:
        """The mean square of each element of a window, in the shape of the filter."""
        means = np.mean([(vectors * vectors).mean(0) for vectors in self.vectors], 0)
        rows, *shape = tdsl.shape_of(self.op.lhs)
        return means.repeat(rows // len(means), 0).reshape(rows, *shape)

    def moments(self, format: NumberFormat, weights: Reals) -> Moments:
        """The moments of windows rounded into a format. weights: of all samples."""
        reals, each = np.concatenate(self.vectors), weights[np.concatenate(self.samples) % len(weights)]
        rounded = format.decode(format.encode(reals))
        groups = [Moments.of(reals[:, i], rounded[:, i], each, (1, 2, 3)) for i in range(reals.shape[1])]
        first, *further = groups
        return Moments(first.rounded, first.crossed, first.axes, further)

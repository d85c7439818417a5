"""Counts of elements: histograms, and the longest run of elements above or below a threshold."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, TensorType, UnitAttr, f64, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import Interval
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, format_of, shape_of, shaped, spell
from tinyml.dialects.tdsl.forest import greatest_raw, greatest_raws
from tinyml.dialects.tdsl.values import Array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Raws
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

__all__ = ["CountOp", "HistogramOp", "LongestRunOp"]

MAX_COUNT = (1 << 15) - 1
"""The maximum number of elements that are counted, for which counts fit in 16 bits."""


class CountOp(TensorOp):
    """The base class of ops that count elements. Elements are compared as reals, so that every comparison is exact.

    In a number format, the result is the number nearest to the count, which is the count itself if it is representable.
    """

    ONE_FAMILY: ClassVar[bool] = False

    LEAST: ClassVar[int] = 0
    """The least possible result."""

    @property
    @abstractmethod
    def most(self) -> int:
        """The greatest possible count."""

    @property
    def interval(self) -> Interval:
        return float(self.LEAST), float(self.most)

    @property
    def raws(self) -> Raws:
        """The raws, in the result's format, of all possible results from `LEAST` to `most`."""
        format = format_of(self.out)
        return format.encode(np.arange(self.LEAST, self.most + 1, dtype=np.float64)).astype(format.dtype)

    def verify_more(self) -> None:
        if self.most > MAX_COUNT:
            raise VerifyException(f"counts at most {MAX_COUNT} elements, got {self.most}")


@irdl_op_definition
class HistogramOp(CountOp):
    """Histograms of the columns of an n x A matrix. Entry (a, b) of the A x B result is the number of elements of
    column a in bin b.

    `edges` is an A x (B - 1) array of reals, ascending along its rows. Bin b contains the elements from edge b - 1 up
    to but excluding edge b. The first and the last bin are unbounded. The edges are reals, whatever the format of the
    matrix is.
    """

    name = "tdsl.histogram"
    input = operand_def(SHAPED)
    edges = prop_def(DenseIntOrFPElementsAttr)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, edges: NDArray[Any], element: Attribute | None = None):
        columns, bins = edges.shape
        result = TensorType(element or shaped(input).get_element_type(), (columns, bins + 1))
        reals = edges.astype(np.float64).reshape(-1).tolist()
        build(self, [input], result, {"edges": DenseIntOrFPElementsAttr.from_list(TensorType(f64, edges.shape), reals)})

    @property
    def bounds(self) -> NDArray[np.float64]:
        return np.array(self.edges.get_values(), np.float64).reshape(self.edges.get_shape())

    @property
    def most(self) -> int:
        return shape_of(self.input)[0]

    def infer_shape(self) -> Shape:
        shape, edges = shape_of(self.input), self.edges.get_shape()
        if len(shape) != 2 or not shape[0] or len(edges) != 2 or edges[0] != shape[1] or not edges[1]:
            raise VerifyException(f"takes n x A elements and edges A x (B - 1), got {spell(shape)} and {spell(edges)}")
        return (edges[0], edges[1] + 1)

    def verify_more(self) -> None:
        super().verify_more()
        bounds = self.bounds
        if not np.isfinite(bounds).all() or (np.diff(bounds) < 0).any():
            raise VerifyException("edges are finite and ascend")

    @property
    def raw_edges(self) -> tuple[Array, NDArray[np.int64]]:
        """The edges as raws of the input's format: for each edge, the greatest raw below it, of shape (A, B - 1), and
        for each column the number of edges below all numbers.

        Edges below all numbers are omitted from the row of a column. The row is padded at its end with the greatest
        raw.
        """
        format, edges = format_of(self.input), self.bounds
        raws, exist = greatest_raws(format, np.nextafter(edges, -np.inf))
        missing: Array = (~exist).sum(1)
        padded = np.concatenate([raws, np.broadcast_to(greatest_raw(format), raws.shape)], 1)
        rows = [row[skipped : skipped + edges.shape[1]] for row, skipped in zip(padded, missing, strict=True)]
        return np.stack(rows), missing

    def real(self, x: Sequence[Any]) -> Array:
        return self._in_bins((x[0][..., None] >= self.bounds).sum(-1)).astype(np.float64)

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Array:
        edges, missing = self.raw_edges
        return self.raws[self._in_bins((x[0][..., None] > edges).sum(-1) + missing)]

    def _in_bins(self, bins: Array) -> NDArray[np.int64]:
        """The number of elements in each bin, of shape (samples, A, B).

        bins: the index of each element's bin, of shape (samples, n, A).
        """
        return np.stack([(bins == number).sum(1) for number in range(shape_of(self.out)[1])], -1)


@irdl_op_definition
class LongestRunOp(CountOp):
    """The start and the length of the longest run of consecutive elements, in row-major order, that are at least
    `threshold`.

    With `below`, the elements of a run are less than the threshold instead. `least` is the minimum length of runs.
    Of several equally long runs, the first is selected. If there is no run, the start is -1 and the length is 0.
    The result has the shape 1 x 2.
    """

    name = "tdsl.longest_run"
    LEAST: ClassVar[int] = -1
    input = operand_def(SHAPED)
    threshold = prop_def(FloatAttr)
    least = prop_def(IntegerAttr)
    below = opt_prop_def(UnitAttr)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(
        self,
        input: SSAValue,
        threshold: float,
        least: int = 1,
        *,
        below: bool = False,
        element: Attribute | None = None,
    ):
        properties: dict[str, Attribute] = {"threshold": FloatAttr(threshold, f64), "least": IntegerAttr(least, i64)}
        if below:
            properties["below"] = UnitAttr()
        result = TensorType(element or shaped(input).get_element_type(), (1, 2))
        build(self, [input], result, properties)

    @property
    def most(self) -> int:
        return prod(shape_of(self.input))

    def infer_shape(self) -> Shape:
        if not self.most:
            raise VerifyException("needs at least one element")
        return (1, 2)

    def verify_more(self) -> None:
        super().verify_more()
        if not np.isfinite(self.threshold.value.data):
            raise VerifyException("the threshold is finite")
        if not 1 <= (least := self.least.value.data) <= self.most:
            raise VerifyException(f"runs of at least {least} of {self.most} elements")

    def real(self, x: Sequence[Any]) -> Array:
        return self._longest(x[0] >= self.threshold.value.data).astype(np.float64)

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Array:
        reached = format_of(self.input).at_least(m, x[0], self.threshold.value.data)
        return self.raws[self._longest(reached) - self.LEAST]

    def _longest(self, reached: Array) -> NDArray[np.int64]:
        """The start and the length of the longest run, of shape (samples, 1, 2).

        reached: for each element, whether it is at least the threshold.
        """
        counts = reached.reshape(len(reached), -1) ^ (self.below is not None)
        now = np.zeros(len(counts), np.int64)
        start, length = now - 1, now
        for i in range(self.most):
            now = np.where(counts[:, i], now + 1, 0)
            longer = now > np.maximum(length, self.least.value.data - 1)
            start, length = np.where(longer, i + 1 - now, start), np.where(longer, now, length)
        return np.stack([start, length], -1)[:, None]

"""The op `tdsl.forest` for decision trees whose leaves vote: random forests, boosted trees and single trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import UNBOUNDED_INTERVAL, Interval, NumberFormat
from tinyml.dialects.layouts.trees import Trees, ordered
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, format_of, shape_of, shaped, spell
from tinyml.dialects.tdsl.contraction import constant_root
from tinyml.dialects.tdsl.movement import ReshapeOp
from tinyml.dialects.tdsl.values import Arithmetic, Array

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws
    from tinyml.dialects.layouts.dense import Numbers
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

__all__ = [
    "SMALLER_FORESTS",
    "ForestOp",
    "greatest_raw",
    "greatest_raws",
    "is_only_compared",
    "votes_between",
]

SMALLER_FORESTS = "fewer trees (n_estimators) or smaller ones (max_depth, max_leaf_nodes)"
"""Advice for a smaller forest, for messages, in scikit-learn's terms."""


def greatest_raws(format: NumberFormat, thresholds: Array) -> tuple[Raws, Array]:
    """For each threshold, the greatest raw below all raws of greater numbers of the format, and whether a number of the
    format does not exceed the threshold.

    For every number x of the format, `x <= threshold` is then a comparison of raws. The raws must be in the order of
    their numbers. In a format that wraps around, a threshold outside the range is greater or less than all numbers.
    """
    reals = thresholds.astype(np.float64)
    finite = np.clip(reals, *np.array([-1, 1]) * np.finfo(np.float32).max)
    nearest = format.encode_clipped(finite).astype(format.dtype)
    if format.dtype.kind == "f":
        # The raw below the least number is minus infinity.
        with np.errstate(over="ignore"):
            next = np.nextafter(nearest, format.dtype.type(-np.inf))
    else:
        next = np.maximum(nearest, np.iinfo(format.dtype).min + 1) - format.dtype.type(1)
    is_below = format.decode(nearest) <= reals
    # The greater of the two zeros of floats.
    raws = np.where(is_below, nearest, next) + format.dtype.type(0)
    # The raw before `nearest` may be no number of the format, and then exceeds the number below `nearest`.
    return raws, is_below | (nearest > format.ends()[0])


def greatest_raw(format: NumberFormat) -> Array:
    """The raw of the greatest number of a format that does not exceed the greatest float of single precision."""
    raws, _ = greatest_raws(format, np.array(np.finfo(np.float32).max))
    return raws


def votes_between(trees: Trees, votes: Array) -> tuple[Array, Array]:
    """For each result, the least and the greatest possible sum of the votes of `trees`.

    votes: the number that each leaf adds to each result, of shape (leaves, results).
    """
    leaves, starts = trees.leaves_by_tree
    ends = votes[leaves]
    return np.minimum.reduceat(ends, starts).sum(0), np.maximum.reduceat(ends, starts).sum(0)


@irdl_op_definition
class ForestOp(TensorOp):
    """`result[0, k]` is the sum over all trees of `votes[leaf, k]`, where `leaf` is the leaf that the input reaches.

    An inner node selects its first child if `input[feature] <= threshold`, otherwise its second child. The properties
    are the arrays of `Trees` (`tinyml.dialects.layouts.trees`). Thresholds are reals, whatever the format of the input
    is.

    In real arithmetic, the input is first rounded to single precision, as in scikit-learn. In number formats, an input
    is compared without rounding, so that every comparison is exact. NaN represents a missing value. A node with
    `missing` 1 selects its first child for NaN. Without `missing`, a floating-point NaN is compared as a number beyond
    the infinity of its sign.

    The votes are added in the format of the result, tree by tree. They are added without rounding if the format
    represents all sums (`NumberFormat.format_of_sums`). `shares` is the fraction of samples that reaches each child, as
    recorded by the pass `profile`; it affects only estimates of time.

    limit: a bound on the magnitude of sums that replaces the one that the votes imply, for a program whose forest may
        change.
    """

    name = "tdsl.forest"
    input = operand_def(SHAPED)
    votes = operand_def(SHAPED)
    features = prop_def(DenseIntOrFPElementsAttr)
    thresholds = prop_def(DenseIntOrFPElementsAttr)
    children = prop_def(DenseIntOrFPElementsAttr)
    roots = prop_def(DenseIntOrFPElementsAttr)
    shares = opt_prop_def(DenseIntOrFPElementsAttr)
    missing = opt_prop_def(DenseIntOrFPElementsAttr)
    limit = opt_prop_def(FloatAttr)
    assembly_format = (
        "$input `,` $votes attr-dict `:` type($input) `,` type($votes)"
        " (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, input: SSAValue, votes: SSAValue, trees: Trees, element: Attribute | None = None):
        element = element or shaped(votes).get_element_type()
        result = TensorType(element, (1, shape_of(votes)[1]))
        build(self, [input, votes], result, dict(trees.attributes))

    @property
    def trees(self) -> Trees:
        return Trees.of(self.properties)

    def infer_shape(self) -> Shape:
        votes = shape_of(self.votes)
        if len(votes) != 2:
            raise VerifyException(f"votes have a row for each leaf, got shape {spell(votes)}")
        return (1, votes[1])

    def verify_formats(self) -> None:
        """Raise `VerifyException` unless votes and results have formats of one family. The input may have any
        format.
        """
        formats = [format_of(value) for value in (self.input, self.votes, self.out)]
        if formats[1].FAMILY != formats[2].FAMILY:
            names = ", ".join(sorted({format.FAMILY for format in formats[1:]}))
            raise VerifyException(f"formats of different families ({names}) need a tdsl.cast")

    def verify_more(self) -> None:
        if self.limit is not None and not 0 <= self.limit.value.data < np.inf:
            raise VerifyException(f"the limit of sums is a finite number from 0, got {self.limit.value.data:g}")
        Trees.of(self.properties).verify(prod(shape_of(self.input)), shape_of(self.votes)[0])

    @property
    def interval(self) -> Interval:
        if (constant := constant_root(self.votes)) is None:
            return UNBOUNDED_INTERVAL
        votes = format_of(self.votes).decode(constant.raws)
        low, high = self.votes_between(votes.reshape(shape_of(self.votes)))
        return float(low.min()), float(high.max())

    def votes_between(self, votes: Array) -> tuple[Array, Array]:
        """For each result, the least and the greatest possible sum: -`limit` and `limit` or, without a `limit`, the
        sums that the votes imply.

        votes: the number that each leaf adds to each result, of shape (leaves, results).
        """
        if self.limit is None:
            return votes_between(self.trees, votes)
        most = np.full(votes.shape[1], self.limit.value.data)
        return -most, most

    def added_raws(self, m: NumpyMachine, votes: Raws) -> Raws | None:
        """The votes as raws of the result's format, if the sum of these raws is always the raw of the sum of
        votes; None if sums must be rounded.

        votes: the raw that each leaf adds to each result, of shape (leaves, results).
        """
        format, source = format_of(self.out), format_of(self.votes)
        low, high = self.votes_between(source.decode(votes))
        sums = source.format_of_sums(float(low.min()), float(high.max()))
        return format.recode(m, votes, source) if sums is not None and format.adds_raws_of(sums) else None

    def passed(self, inputs: Array) -> Numbers:
        """The number of samples that reach each child of each inner node, of shape (inner nodes, 2).

        inputs: the samples as reals, shape (samples, features).
        """
        trees = self.trees
        passed = np.zeros((trees.inner, 2), np.int64)
        _reached(trees, inputs.reshape(len(inputs), -1), passed)
        return passed

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        inputs = x[0].reshape(len(x[0]), -1)
        votes = x[1].reshape(-1, shape_of(self.votes)[1])
        trees = arithmetic.once(self, lambda: self.trees)
        if (m := arithmetic.machine) is None:
            return _real_sums(trees, inputs, votes)
        raws, below = greatest_raws(format_of(self.input), trees.thresholds)
        raws, absent, rows = ordered(raws), _absent(trees, inputs), np.arange(len(inputs))[:, None]
        inputs = ordered(inputs)
        leaves = trees.walk(
            lambda n, features: absent(n, rows, features, below[n] & (inputs[rows, features] <= raws[n])), len(inputs)
        )
        format, source = format_of(self.out), format_of(self.votes)
        if (added := self.added_raws(m, votes)) is not None:
            return added.astype(np.int64)[leaves].sum(1)[:, None].astype(format.dtype)
        total = np.broadcast_to(format.encode(np.array(0.0)), (len(inputs), votes.shape[1]))
        for tree in range(len(trees.roots)):
            total = format.add(m, total, format, votes[leaves[:, tree]], source)
        return total[:, None]


def _real_sums(trees: Trees, inputs: Array, votes: Array) -> Array:
    """The sums of votes for samples of reals, in double precision, of shape (samples, 1, results). The inputs are
    rounded to single precision before they are compared.
    """
    return votes[_reached(trees, inputs)].sum(1)[:, None]


def _reached(trees: Trees, inputs: Array, passed: Numbers | None = None) -> Numbers:
    """The leaf of each tree for each sample, of shape (samples, trees).

    inputs: the features of each sample, of shape (samples, features).
    passed: an array to which the number of samples that reach each child is added (see `Trees.walk`); None if they need
        not be counted.
    """
    rounded, rows = inputs.astype(np.float32), np.arange(len(inputs))[:, None]
    thresholds, absent = trees.thresholds.astype(np.float64), _absent(trees, inputs)
    return trees.walk(
        lambda n, features: absent(n, rows, features, rounded[rows, features] <= thresholds[n]), len(inputs), passed
    )


def _absent(trees: Trees, inputs: Array) -> Callable[[Array, Array, Array, Array], Array]:
    """A function that replaces the decisions of nodes about missing features (NaN) and returns all decisions.

    Its arguments are arrays of nodes, samples, features and decisions.
    """
    if (missing := trees.missing) is None or inputs.dtype.kind != "f" or not (unknown := np.isnan(inputs)).any():
        return lambda nodes, rows, features, decided: decided
    return lambda nodes, rows, features, decided: np.where(unknown[rows, features], missing[nodes], decided)


def is_only_compared(value: SSAValue) -> bool:
    """True for a tensor whose elements are only compared with thresholds of forests.

    All its users are forests, or reshapes whose results have only such users.
    """
    uses = tuple(value.uses)
    return bool(uses) and all(
        (isinstance(use.operation, ForestOp) and use.index == 0)
        or (isinstance(use.operation, ReshapeOp) and is_only_compared(use.operation.out))
        for use in uses
    )

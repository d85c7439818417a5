"""Encoders of categorical features, imported as one tree per feature. The leaves contain the encoder's output for each
category.

The fitted encoder computes these outputs during import, so that all its parameters are supported. Categories are
numbers. A value matches a category if their distance is at most a quarter of the least distance between categories, and
at most 1/4. Every number format resolves this width. All other values are unknown. If an encoder rejects unknown
values, each value is assigned to the nearest category, which needs half as many comparisons.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import squeeze
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, reals
from tinyml.lowering.frontends.layers.tree_ensembles import LEAF, Tree, forest
from tinyml.lowering.frontends.sklearn.composites import together
from tinyml.lowering.frontends.sklearn.fitted import as_fitted, fitted_attribute

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAX_SHOWN = 3
"""Maximum categories in a message."""


def encoded(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the encoded columns of all features, concatenated."""
    listed = fitted_attribute(to, estimator, "categories_")
    categories = [_numbers(to, estimator, feature, values) for feature, values in enumerate(listed)]
    known = estimator.handle_unknown == "error"
    rows: list[SSAValue] = []
    for at, (values, columns) in enumerate(zip(categories, _columns(to, estimator, categories), strict=True)):
        if not columns.shape[1]:
            continue
        feature = to.picked(x, [at])
        if columns.shape[1] == 1 and known and np.array_equal(columns[:-1, 0], values):
            rows.append(feature)
        elif (columns == columns[0]).all():
            rows.append(to.op(tdsl.ReshapeOp, to.parameter(reals(columns[:1])), columns[:1].shape))
        else:
            tree = _tree(values, columns, known=known)
            stored = tdsl.StoredExamples(len(values), "categories", "max_categories=5 in the encoder")
            rows.append(forest(to, feature, [tree], stored=stored))
    return together(to, rows)


def _numbers(to: ModelBuilder, estimator: Any, feature: int, listed: Any) -> NDArray[np.float64]:
    names = getattr(estimator, "feature_names_in_", None)
    column = f"column {feature}" if names is None else f"column '{squeeze(str(names[feature]))}'"
    categories = np.asarray(listed)
    texts = [category for category in categories.tolist() if isinstance(category, str)]
    if texts:
        codes = ", ".join(f"{squeeze(category)!r}: {code}" for code, category in enumerate(texts[:_MAX_SHOWN]))
        more = ", ..." if len(texts) > _MAX_SHOWN else ""
        raise to.error(
            f"{column} has texts as categories: number them before training, by .map({{{codes}{more}}}) of the column, "
            "as the board gets numbers, too"
        )
    try:
        numbers = categories.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise to.error(f"{column} has categories that are no numbers: number them before training") from error
    if not np.isfinite(numbers).all():
        raise to.error(f"{column} has missing values as a category: put SimpleImputer() in front of the encoder")
    return np.sort(numbers)


def _columns(to: ModelBuilder, estimator: Any, categories: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    """The encoder's output for each feature: a row for each category, followed by a row for an unknown value.

    If the encoder rejects unknown values, the last row repeats the row of the first category.
    """
    base = np.array([values[0] for values in categories])
    # The probe rows have each category of one feature, then an unknown value, and the first category of the other
    # features.
    rows, ends = [base], list[int]()
    for at, values in enumerate(categories):
        unknown = values[0] if estimator.handle_unknown == "error" else values[-1] + 1.0
        for value in (*values, unknown):
            row = base.copy()
            row[at] = value
            rows.append(row)
        ends.append(len(rows))
    # The encoder warns of unknown values.
    with warnings.catch_warnings(action="ignore"):
        encoded_rows: Any = estimator.transform(as_fitted(estimator, np.array(rows)))
    table = np.asarray(encoded_rows.toarray() if hasattr(encoded_rows, "toarray") else encoded_rows, np.float64)
    if not np.isfinite(table).all():
        raise to.error("it makes NaN of unknown values: give it a number as unknown_value, such as -1")
    starts = [1, *ends[:-1]]
    if type(estimator).__name__ == "OrdinalEncoder":
        return [table[start:end, at : at + 1] for at, (start, end) in enumerate(zip(starts, ends, strict=True))]
    widths = [int(width) for width in estimator._n_features_outs]
    lasts = np.cumsum(widths).tolist()
    return [
        table[start:end, last - width : last]
        for start, end, width, last in zip(starts, ends, widths, lasts, strict=True)
    ]


def _tree(values: NDArray[np.float64], columns: NDArray[np.float64], *, known: bool) -> Tree:
    """The tree that encodes one feature.

    values: the categories in ascending order.
    columns: a row per category, followed by a row for an unknown value.
    known: true to omit the leaves of unknown values.
    """
    if known:
        limits, leaves = (values[1:] + values[:-1]) / 2, [*range(len(values))]
    else:
        near = min(1.0, float(np.diff(values).min(initial=1.0))) / 4
        limits = np.stack([values - near, values + near], 1).ravel()
        leaves = [number // 2 if number % 2 else len(values) for number in range(len(limits) + 1)]
    thresholds, first, second, votes = list[float](), list[int](), list[int](), list[Any]()

    def grow(start: int, end: int) -> int:
        """Append the subtree for the intervals in [start, end), and return the index of its root."""
        node, middle = len(thresholds), (start + end) // 2
        thresholds.append(0.0 if end - start == 1 else float(limits[middle - 1]))
        first.append(LEAF)
        second.append(LEAF)
        votes.append(columns[leaves[start]])
        if end - start > 1:
            first[node], second[node] = grow(start, middle), grow(middle, end)
        return node

    grow(0, len(leaves))
    nodes = np.array(first), np.array(second)
    return Tree(np.zeros(len(thresholds), np.int64), np.array(thresholds), *nodes, np.array(votes))

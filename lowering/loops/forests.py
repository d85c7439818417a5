"""Lowering of forests (L2 to L3): a call that walks through all trees and, for votes that are rounded, the sums of the
votes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, f32, i16
from xdsl.ir import SSAValue

from tinyml.dialects import num, scratch, tdsl
from tinyml.dialects.layouts.trees import ForestCode, Trees
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.locations import error_at
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.tdsl.forest import greatest_raw, greatest_raws
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import element_of, flash_array
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder, function_around, local_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_LEAVES = 1 << 15
"""The maximum number of leaves, for which leaf indices fit in 16 bits."""


@lowers(tdsl.ForestOp)
def lower_forest(op: tdsl.ForestOp, nest: LoopBuilder) -> None:
    constant = op.votes.owner
    if not isinstance(constant, scratch.ConstantOp):
        raise error_at(op, "the votes of a forest must be constants")
    votes = constant.raws.reshape(tdsl.shape_of(op.votes))
    input, outputs = _plain_run(op, nest), _run(op.out, nest)
    trees = _over_raws(op)
    if trees.missing is not None:
        trees, input = _without_missing(op, trees, input, nest)
    added = op.added_raws(NumpyMachine(), votes)
    if added is not None:
        dtype = tdsl.format_of(op.out).dtype
        nest.put(num.ForestOp(outputs, input, _with_distinct_leaves(trees, added.astype(dtype))))
        return
    _add_by_tree(op, trees, votes, input, nest)


def _without_missing(op: tdsl.ForestOp, trees: Trees, input: SSAValue, nest: LoopBuilder) -> tuple[Trees, SSAValue]:
    """Rewrite a forest as a forest without missing values. Return the trees, and the input in which infinities
    replace missing values.

    Minus infinity is at most every threshold; plus infinity exceeds all thresholds. If a feature's nodes send a
    missing value in different directions, the input contains one copy of the feature per direction. If the format
    has no NaN, no values are missing.
    """
    missing, trees = trees.missing, replace(trees, missing=None)
    if (element := element_of(op.input)) != f32 or missing is None or not trees.inner:
        return trees, input
    sides = [np.unique(trees.features[missing == first]) for first in (True, False)]
    numbers = np.empty(trees.inner, np.int64)
    copies = local_array(function_around(op), element, sum(map(len, sides)), "features")
    start = 0
    for first, side, infinity in zip((True, False), sides, (-math.inf, math.inf), strict=True):
        here = missing == first
        numbers[here] = start + np.searchsorted(side, trees.features[here])
        if len(side):
            _copy_present(nest, input, side, copies, start, infinity)
        start += len(side)
    return replace(trees, features=numbers), copies


def _copy_present(
    nest: LoopBuilder, input: SSAValue, features: NDArray[Any], copies: SSAValue, start: int, infinity: float
) -> None:
    """Emit a copy of the given features of the float array `input` to `copies`, from index `start` on, with NaN
    replaced by `infinity`.
    """
    is_run = len(features) == int(features[-1]) + 1
    table = None if is_run else flash_array(nest, features.astype(np.int16), i16, "read_features")

    def copy(indices: Indices) -> None:
        [index] = indices
        read = index if table is None else nest.unsigned(nest.load(table, [index]))
        value = nest.load(input, [read])
        known = nest.insert(arith.CmpfOp(value, value, "oge"))
        other = nest.insert(arith.ConstantOp(FloatAttr(infinity, f32)))
        nest.store(nest.insert(arith.SelectOp(known, value, other)), copies, [nest.add(index, nest.index(start))])

    nest.over((len(features),), copy)


def _over_raws(op: tdsl.ForestOp) -> Trees:
    """Convert the thresholds of trees to raws. Remove comparisons that have the same result for all raws of the
    format.
    """
    format, trees = tdsl.format_of(op.input), op.trees
    raws, below = greatest_raws(format, trees.thresholds)
    # Infinities and NaN of floats lie outside all thresholds.
    decided = np.where(below, np.where(raws >= greatest_raw(format), 0, -1), 1) if format.dtype.kind != "f" else None
    return trees.with_thresholds(raws).rebuilt(None if decided is None else decided.tolist())


def _with_distinct_leaves(trees: Trees, votes: NDArray[Any]) -> ForestCode:
    distinct, numbers = np.unique(votes, axis=0, return_inverse=True)
    merged = trees.rebuilt(leaves=numbers.reshape(-1).tolist())
    used, _ = merged.leaves_by_tree
    kept = np.unique(used)
    order = np.zeros(len(distinct), np.int64)
    order[kept] = np.arange(len(kept))
    return ForestCode(merged.with_leaves(order), distinct[kept])


def _add_by_tree(op: tdsl.ForestOp, trees: Trees, votes: NDArray[Any], input: SSAValue, nest: LoopBuilder) -> None:
    """Emit a walk that stores the reached leaf of each tree, followed by the sums of the leaves' votes, rounded to the
    format of the results. Raises `InputError` for more leaves than 16 bits can number.
    """
    count, results = len(trees.roots), votes.shape[1]
    leaves, starts = trees.leaves_by_tree
    if len(leaves) > MAX_LEAVES:
        raise error_at(op, f"{len(leaves)} leaves are too many where their votes are rounded, which takes 16 bits each")
    # Leaves that trees share are duplicated, since each tree stores the index of its own leaf.
    numbers, tables = np.zeros((len(leaves), count), np.int16), votes[leaves]
    for tree, start in enumerate(starts):
        end = starts[tree + 1] if tree + 1 < count else len(leaves)
        numbers[start:end, tree] = np.arange(start, end)
    following = iter(range(len(leaves)))
    walk = ForestCode(_in_order(trees, following), numbers)
    reached = local_array(function_around(op), i16, count, "leaves")
    nest.put(num.ForestOp(reached, input, walk))
    table = nest.insert(scratch.ConstantOp.of(tables, element_of(op.votes)))
    table.name_hint = "votes"
    format = element_of(op.out)

    def result(indices: Indices) -> None:
        zero = nest.insert(num.ConstantOp(0.0, format))

        def add(tree: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            leaf = nest.unsigned(nest.load(reached, [tree]))
            vote = nest.load(table, [leaf, indices[1]])
            return [nest.insert(num.AddOp(carried[0], vote, format))]

        [total] = nest.fold(nest.index(count), [zero], add)
        nest.store(total, op.out, indices)

    nest.over((1, results), result)


def _in_order(trees: Trees, numbers: Any) -> Trees:
    """Renumber the nodes of each tree from left to right. Each reference to a leaf gets a separate leaf.

    numbers: the number of each leaf's votes.
    """
    children, roots = trees.children.copy(), trees.roots.copy()
    for tree, root in enumerate(trees.roots.tolist()):
        if root < 0:
            roots[tree] = -1 - next(numbers)
            continue
        pending = [(root, 1), (root, 0)]
        while pending:
            node, side = pending.pop()
            if (child := int(children[node, side])) < 0:
                children[node, side] = -1 - next(numbers)
            else:
                pending += [(child, 1), (child, 0)]
    return replace(trees, children=children, roots=roots)


def _run(value: SSAValue, nest: LoopBuilder) -> SSAValue:
    return nest.insert(scratch.SliceOp(value, nest.index(0), (prod(tdsl.shape_of(value)),)))


def _plain_run(op: tdsl.ForestOp, nest: LoopBuilder) -> SSAValue:
    """The input as a rank-1 view. Packed elements are first copied to an array of unpacked elements."""
    run = _run(op.input, nest)
    if scratch.packed_bits(scratch.memref_type(run)) is None:
        return run
    length = prod(tdsl.shape_of(op.input))
    copy = local_array(function_around(op), element_of(op.input), length, "features")
    nest.over((length,), lambda indices: nest.store(nest.load(run, indices), copy, indices))
    return copy

"""Forests as loops over the tables of their trees. The loop adds the votes of the leaf that each tree reaches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import Float32Type, IndexType, i32
from xdsl.ir import Block, SSAValue

from tinyml.dialects import scratch
from tinyml.dialects.layouts.dense import element_type
from tinyml.dialects.layouts.trees import ForestCode, ordered
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.memref.flat_arrays import FlatArrays

if TYPE_CHECKING:
    from numpy.typing import NDArray


def add_votes(arrays: FlatArrays, forest: ForestCode, input: SSAValue, outputs: SSAValue) -> None:
    """Emit code that writes the sums of votes of a forest.

    input: the array of features.
    outputs: the array of results.
    """
    nest, trees = arrays.nest, forest.trees

    def table(name: str, numbers: NDArray[Any]) -> SSAValue:
        # A tree with a single leaf has no inner nodes, but arrays are not empty.
        padded = np.ascontiguousarray(numbers if numbers.size else np.zeros(1, numbers.dtype)).reshape(-1)
        constant = scratch.ConstantOp.of(padded, element_type(padded))
        constant.result.name_hint = name
        constant.location = nest.location
        return arrays.constant(constant)

    features = table("features", trees.features.astype(np.int32))
    thresholds = table("thresholds", ordered(trees.thresholds))
    children = table("children", trees.children.astype(np.int32))
    roots = table("roots", trees.roots.astype(np.int32))
    votes = table("votes", forest.votes)
    results = nest.index(forest.results)

    def at(index: SSAValue) -> SSAValue:
        return nest.insert(arith.IndexCastOp(index, IndexType()))

    def child(node: SSAValue) -> SSAValue:
        number = at(node)
        feature = _ordered(arrays, arrays.load(input, at(nest.load(features, [number]))))
        above = nest.insert(arith.CmpiOp(feature, nest.load(thresholds, [number]), "sgt"))
        side = nest.insert(arith.IndexCastOp(nest.insert(arith.ExtUIOp(above, i32)), IndexType()))
        return nest.load(children, [nest.add(nest.times(number, 2), side)])

    def leaf_below(root: SSAValue) -> SSAValue:
        """Emit a loop that follows the path from a root to a leaf. Return the index of the leaf.

        Nodes from 0 on are inner nodes; the node -1 - n is leaf n.
        """
        before, after = Block(arg_types=[i32]), Block(arg_types=[i32])
        with nest.inside(before):
            is_inner = nest.insert(arith.CmpiOp(before.args[0], nest.constant(0, i32), "sge"))
            nest.put(scf.ConditionOp(is_inner, before.args[0]))
        with nest.inside(after):
            nest.put(scf.YieldOp(child(after.args[0])))
        end = nest.insert(scf.WhileOp([root], [i32], [before], [after]))
        return at(nest.insert(arith.SubiOp(nest.constant(-1, i32), end)))

    zero = nest.constant(0, element_type(forest.votes))
    nest.each(results, lambda k: arrays.store(zero, outputs, k))

    def walk(tree: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
        row = nest.times(leaf_below(nest.load(roots, [tree])), forest.results)

        def add(k: SSAValue) -> None:
            vote = nest.load(votes, [nest.add(row, k)])
            arrays.store(nest.add(arrays.load(outputs, k), vote), outputs, k)

        nest.each(results, add)
        return []

    nest.fold(nest.index(len(trees.roots)), [], walk)


def _ordered(arrays: FlatArrays, value: SSAValue) -> SSAValue:
    """Load a feature as an integer. These integers have the same order as the numbers that they represent
    (`ordered`).
    """
    nest = arrays.nest
    if not isinstance(value.type, Float32Type):
        return value
    bits = nest.insert(arith.BitcastOp(value, i32))
    sign = nest.insert(arith.ShRSIOp(bits, nest.constant(31, i32)))
    return nest.insert(arith.XOrIOp(bits, nest.insert(arith.AndIOp(sign, nest.constant(0x7FFFFFFF, i32)))))

"""`read-forests`: reads the nodes and votes of a forest from arrays that the user can replace (L4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import DenseArrayBase, IntegerType, ModuleOp, UnitAttr, i16, i64
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects import scratch
from tinyml.dialects.functions import AFTER_PARENTS, DATA, LIMITS, defined_functions
from tinyml.dialects.layouts.dense import element_type
from tinyml.dialects.layouts.trees import CHILDREN, FOREST, ForestCode
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.operations import INDEX
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.scratch import memref_type
from tinyml.transforms.ir.forest_room import FAR_FOREST, known_room, limits_of, tables_of
from tinyml.transforms.ir.loop_nest import LoopBuilder

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEAF = -1
"""The child that is leaf 0."""


@dataclass(frozen=True)
class ReadForestsPass(ModulePass):
    """Replace the call of a forest's function by a loop over its trees, if the function of the model has the attribute
    `tinyml.forest_room`.

    The arrays of the loop have the attribute `tinyml.data`. They contain the number of trees, their roots, the
    features, thresholds and children of the inner nodes, and the votes of the leaves. Their lengths are those that
    `tinyml.forest_room` states; unused elements are not read: they are -1 for children and zero in other arrays. Their
    element types depend only on `tinyml.forest_room` and the number formats. If the function has the attribute
    `tinyml.far_forest`, the arrays are far constants.

    `tinyml.limits` and `tinyml.after_parents` state for which contents of the arrays the loop ends and reads no element
    outside of the arrays.
    """

    name = "read-forests"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        declared = {each.sym_name.data: each for each in op.ops if isinstance(each, func.FuncOp)}
        for function in defined_functions(op):
            if (room := known_room(function)) is None:
                continue
            for call in [each for each in function.walk() if isinstance(each, func.CallOp)]:
                declaration = declared[call.callee.string_value()]
                if (content := declaration.attributes.get(FOREST)) is not None:
                    arguments = map(_uncast, call.arguments)
                    far = FAR_FOREST in function.attributes
                    _Reading(LoopBuilder(call), ForestCode.of(content), room, far=far).add_votes(*arguments)
                    Rewriter.erase_op(call)
                    Rewriter.erase_op(declaration)


def _uncast(run: SSAValue) -> SSAValue:
    return run.owner.source if isinstance(run.owner, memref.CastOp) else run


class _Reading:
    """The loop that reads a forest.

    room: the greatest numbers of trees, inner nodes and leaves, and the bits of a vote.
    far: whether the arrays are far constants.
    """

    def __init__(self, nest: LoopBuilder, forest: ForestCode, room: Sequence[int], *, far: bool):
        self.nest, self.forest, self.room, self.far = nest, forest, room, far

    def table(self, name: str, numbers: NDArray[Any], length: int, limits: Sequence[int] | None) -> SSAValue:
        padded = np.full(length, _LEAF if name == CHILDREN else 0, numbers.dtype)
        padded[: numbers.size] = numbers.reshape(-1)
        constant = scratch.ConstantOp.of(padded, element_type(padded))
        constant.result.name_hint = name
        constant.attributes[DATA] = UnitAttr()
        if limits is not None:
            constant.attributes[LIMITS] = DenseArrayBase.from_list(i64, limits)
        if name == CHILDREN:
            constant.attributes[AFTER_PARENTS] = UnitAttr()
        constant.far = UnitAttr() if self.far else None
        return self.nest.insert(constant)

    def add_votes(self, input: SSAValue, outputs: SSAValue) -> None:
        nest, trees, votes = self.nest, self.forest.trees, self.forest.votes
        results = self.forest.results
        inputs = memref_type(input).get_shape()[0]
        types, limits = tables_of(self.room, self.forest, inputs), limits_of(self.room, inputs)
        feature = types["features"][0]
        numbers = {
            "features": trees.features.astype(f"u{feature.itemsize}").view(feature),
            "thresholds": trees.thresholds,
            "children": trees.children,
            "roots": trees.roots,
            "votes": votes,
            "trees": np.array([len(trees.roots)]),
        }
        at = {
            name: self.table(name, numbers[name].astype(type), length, limits.get(name))
            for name, (type, length) in types.items()
        }
        zero = nest.constant(0, element_type(votes))
        nest.over((results,), lambda k: nest.store(zero, outputs, k))
        count = nest.unsigned(nest.load(at["trees"], [nest.index(0)]))

        def walk(tree: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
            leaf = self.leaf(nest.load(at["roots"], [tree]), input, at)
            row = nest.times(leaf, results)

            def add(k: list[SSAValue]) -> None:
                added = nest.load(at["votes"], [nest.add(row, k[0]) if k else row])
                if added.type != zero.type:
                    added = nest.insert(arith.ExtSIOp(added, cast("IntegerType[int, Any]", zero.type)))
                nest.store(nest.add(nest.load(outputs, k), added), outputs, k)

            nest.over((results,), add)
            return []

        nest.fold(count, [], walk)

    def leaf(self, root: SSAValue, input: SSAValue, at: dict[str, SSAValue]) -> SSAValue:
        nest, type = self.nest, root.type
        zero, last = nest.constant(0, type), nest.constant(-1, type)
        test, body = Block(arg_types=[type]), Block(arg_types=[type])
        body.args[0].name_hint = "node"
        with nest.inside(test):
            is_inner = nest.insert(arith.CmpiOp(test.args[0], zero, "sge"))
            nest.put(scf.ConditionOp(is_inner, test.args[0]))
        with nest.inside(body):
            node = nest.insert(arith.IndexCastOp(body.args[0], INDEX))
            feature = nest.load(input, [nest.unsigned(nest.load(at["features"], [node]))])
            above = nest.insert(arith.CmpiOp(feature, nest.load(at["thresholds"], [node]), "sgt"))
            side = nest.insert(arith.IndexCastOp(nest.insert(arith.ExtUIOp(above, i16)), INDEX))
            nest.put(scf.YieldOp(nest.load(at["children"], [nest.add(nest.times(node, 2), side)])))
        end = nest.insert(scf.WhileOp([root], [type], [test], [body]))
        return nest.insert(arith.IndexCastOp(nest.insert(arith.SubiOp(last, end)), INDEX))

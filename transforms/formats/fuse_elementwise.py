"""`fuse-elementwise`: chains of elementwise ops become one `tdsl.map`, one loop over the elements.

Nothing is computed differently: each op of the body rounds into the format that its tensor had. This saves the
intermediate tensors in RAM, a load, a store and a loop for each of them, and the limits that the intervals of values
that are no longer stored prove unnecessary.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tinyml.dialects import tdsl


@dataclass(frozen=True)
class FuseElementwisePass(ModulePass):
    """Fuses every elementwise op at L1 into its consumers, if all of these are elementwise and of the same shape."""

    name = "fuse-elementwise"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for block in [block for outer in op.walk() for region in outer.regions for block in region.blocks]:
            for sink in list(block.ops)[::-1]:
                if sink.parent is block and _fuses(sink):
                    group = _group(sink)
                    if len(group) > 1:
                        _fuse(group, sink)


def _fuses(op: Operation) -> TypeGuard[tdsl.ElementwiseOp]:
    return isinstance(op, tdsl.ElementwiseOp) and op.FUSES and bool(op.results)


def _group(sink: tdsl.ElementwiseOp) -> list[tdsl.ElementwiseOp]:
    """The ops that can be computed element by element together with the sink, in program order."""
    assert sink.parent is not None
    shape = tdsl.shape_of(sink.out)
    order = {op: position for position, op in enumerate(sink.parent.ops)}
    group: set[tdsl.ElementwiseOp] = {sink}
    grown = True
    while grown:
        grown = False
        for member in list(group):
            for operand in member.operands:
                producer = operand.owner
                if (
                    isinstance(producer, Operation)
                    and _fuses(producer)
                    and producer not in group
                    and producer.parent is sink.parent
                    and tdsl.shape_of(producer.out) == shape
                    and all(use.operation in group for use in producer.out.uses)
                    and not _holds_memory(producer, sink, order)
                ):
                    group.add(producer)
                    grown = True
    return [op for op in sink.parent.ops if _fuses(op) and op in group]


def _holds_memory(producer: tdsl.TensorOp, sink: Operation, order: dict[Operation, int]) -> bool:
    """Would computing a producer only with the sink keep more tensors alive past the contractions in between?

    Its operands stay alive instead of its result, which costs memory where several are no constants.
    """
    shape = tdsl.shape_of(producer.out)
    waiting = {
        value for value in producer.inputs if tdsl.shape_of(value) == shape and tdsl.constant_root(value) is None
    }
    return len(waiting) > 1 and any(
        isinstance(op, tdsl.ContractionOp) and order[producer] < position < order[sink]
        for op, position in order.items()
    )


def _fuse(group: list[tdsl.ElementwiseOp], sink: tdsl.ElementwiseOp) -> None:
    inside = {result for op in group for result in op.results}
    inputs = list(dict.fromkeys(operand for op in group for operand in op.operands if operand not in inside))
    body = Block(arg_types=[_element(value) for value in inputs])
    scalars: dict[SSAValue, SSAValue] = dict(zip(inputs, body.args, strict=True))
    for value, argument in zip(inputs, body.args, strict=True):
        argument.name_hint = value.name_hint

    def insert(op: Operation) -> SSAValue:
        body.add_op(op)
        return op.results[0]

    for op in group:
        [result] = op.results
        scalars[result] = op.scalar([scalars[operand] for operand in op.operands], _element(result), insert)
        scalars[result].name_hint = result.name_hint
    [result] = sink.results
    body.add_op(tdsl.YieldOp(scalars[result]))
    fused = tdsl.MapOp(inputs, body, tdsl.shape_of(result), _element(result))
    fused.attributes |= sink.attributes
    fused.out.name_hint = result.name_hint
    Rewriter.insert_op(fused, InsertPoint.before(sink))
    result.replace_all_uses_with(fused.out)
    for op in reversed(group):
        Rewriter.erase_op(op)


def _element(value: SSAValue) -> Attribute:
    return cast("TensorType[Attribute]", value.type).element_type

"""`fuse-elementwise`: fuses chains of elementwise ops into one `tdsl.map`, a single loop over the elements (L1).

No result changes, because each op of the body rounds to the format of the tensor that it previously computed. The
fusion removes intermediate tensors from RAM. For each of these tensors, it also removes a load, a store and a loop. A
saturation is also removed if the interval of a value that is no longer stored proves it unnecessary.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple, TypeGuard, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue, Use
from xdsl.rewriter import InsertPoint

from tinyml.dialects import locations, tdsl
from tinyml.dialects.rewriting import Rewriter, inherit_location
from tinyml.transforms.ir.conditional_pass import ConditionalPass


@dataclass(frozen=True)
class FuseElementwisePass(ConditionalPass):
    """Fuse an elementwise op at L1 into its consumers if all consumers are elementwise and have the same shape.

    An op is not fused if more tensors would then stay live across a contraction.
    """

    name = "fuse-elementwise"

    def obstacle(self, module: ModuleOp) -> str | None:
        fusable = [inner for inner in module.walk() if _fuses(inner)]
        chained = any(
            isinstance(value.owner, Operation) and _fuses(value.owner) for op in fusable for value in op.inputs
        )
        return None if chained else "no chain of elementwise ops to fuse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for block in [block for outer in op.walk() for region in outer.regions for block in region.blocks]:
            order = _Order.of(block)
            for sink in list(block.ops)[::-1]:
                if sink.parent is block and _fuses(sink):
                    group = _group(sink, order)
                    if len(group) > 1:
                        _fuse(group, sink)


class _Order(NamedTuple):
    """The positions of a block's ops before any fusion.

    position: the position of each op.
    contractions: the number of contractions before each op.
    """

    position: dict[Operation, int]
    contractions: dict[Operation, int]

    @classmethod
    def of(cls, block: Block) -> _Order:
        ops = list(block.ops)
        counts = accumulate((isinstance(op, tdsl.ContractionOp) for op in ops), initial=0)
        return cls({op: position for position, op in enumerate(ops)}, dict(zip(ops, counts, strict=False)))


def _fuses(op: Operation) -> TypeGuard[tdsl.ElementwiseOp]:
    return isinstance(op, tdsl.ElementwiseOp) and op.FUSES


def _group(sink: tdsl.ElementwiseOp, order: _Order) -> list[tdsl.ElementwiseOp]:
    """The ops that can be computed element by element together with `sink`, in program order.

    Each use is visited once: an op joins the group after the last of its users has joined.
    """
    shape = tdsl.shape_of(sink.out)
    group, members = [sink], {sink}
    unseen: dict[Operation, Iterator[Use]] = {}
    awaited: dict[Operation, Operation | None] = {}
    for member in group:
        for operand in member.operands:
            producer = operand.owner
            if not (isinstance(producer, Operation) and _fuses(producer) and producer.parent is sink.parent):
                continue
            if awaited.get(producer, member) is not member:
                continue
            uses = unseen.setdefault(producer, iter(producer.out.uses))
            awaited[producer] = user = next((use.operation for use in uses if use.operation not in members), None)
            if user is None and tdsl.shape_of(producer.out) == shape and not _holds_memory(producer, sink, order):
                group.append(producer)
                members.add(producer)
    return sorted(group, key=order.position.__getitem__)


def _holds_memory(producer: tdsl.TensorOp, sink: Operation, order: _Order) -> bool:
    """Whether fusing a producer into `sink` keeps more tensors live across the contractions between the two ops.

    After fusion, the operands of the producer stay live instead of its result. This costs memory if several operands
    have the shape of the result and are not constant.
    """
    shape = tdsl.shape_of(producer.out)
    waiting = {
        value for value in producer.inputs if tdsl.shape_of(value) == shape and tdsl.constant_root(value) is None
    }
    return len(waiting) > 1 and order.contractions[producer] < order.contractions[sink]


def _fuse(group: list[tdsl.ElementwiseOp], sink: tdsl.ElementwiseOp) -> None:
    inside = {result for op in group for result in op.results}
    inputs = list(dict.fromkeys(operand for op in group for operand in op.operands if operand not in inside))
    body = Block(arg_types=[_element(value) for value in inputs])
    scalars: dict[SSAValue, SSAValue] = dict(zip(inputs, body.args, strict=True))
    for value, argument in zip(inputs, body.args, strict=True):
        argument.name_hint = value.name_hint

    def insert(op: Operation) -> SSAValue:
        inherit_location(location, op)
        body.add_op(op)
        return op.results[0]

    for op in group:
        location = op.location
        [result] = op.results
        scalars[result] = op.scalar([scalars[operand] for operand in op.operands], _element(result), insert)
        scalars[result].name_hint = result.name_hint
    [result] = sink.results
    body.add_op(tdsl.YieldOp(scalars[result]))
    fused = tdsl.MapOp(inputs, body, tdsl.shape_of(result), _element(result))
    fused.attributes |= sink.attributes
    fused.location = locations.fused(op.location for op in group)
    fused.out.name_hint = result.name_hint
    Rewriter.insert_op(fused, InsertPoint.before(sink))
    result.replace_all_uses_with(fused.out)
    for op in reversed(group):
        Rewriter.erase_op(op)


def _element(value: SSAValue) -> Attribute:
    return cast("TensorType[Attribute]", value.type).element_type

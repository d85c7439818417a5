"""The ops of a loop over channels and their roles (PEX, table 2)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import prod

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.transforms.schedules.plans.channel_rules import obstacle
from tinyml.transforms.schedules.plans.graph import Kind
from tinyml.transforms.schedules.plans.network import Network
from tinyml.transforms.schedules.protocol import NotTiled
from tinyml.transforms.schedules.slices.stages import elementwise_behind


class Role(Enum):
    """The role of an op in a chain of channels, in the words of PEX's table 2."""

    GENERATE = "generates a channel of its result from all of its operand"
    CONTINUE = "computes a channel of its result from one of its operand"
    ACCUMULATE = "adds what a channel of its operand contributes to all sums"


@dataclass
class ChannelOp:
    """An op and the elementwise ops that follow it, on one channel.

    operand: the tensor that is read channel by channel; the first op of a chain may read all of it.
    """

    role: Role
    op: tdsl.TensorOp
    chain: list[tdsl.ElementwiseOp]
    operand: SSAValue

    @property
    def result(self) -> SSAValue:
        return self.chain[-1].out if self.chain else self.op.out


def channel_axis(shape: tdsl.Shape) -> int:
    """The axis of channels: the last of an image, the first of a column vector."""
    return 3 if len(shape) == 4 else 0


def channel_ops(network: Network, first: int, last: int) -> list[ChannelOp]:
    """Nodes first to last of a network, both inclusive, as a chain; raises `NotTiled` if they form none."""
    graph = network.graph
    if (reason := obstacle(graph, first, last)) is not None:
        raise NotTiled(reason)
    found: list[ChannelOp] = []
    for k in range(first, last + 1):
        node, (op, *more) = graph.nodes[k], network.ops[k]
        role = Role.CONTINUE
        if node.kind is Kind.CONTRACTION:
            role = Role.GENERATE if k == first else Role.ACCUMULATE
        chain, rest = elementwise_behind(op, more)
        if k < last and any(not isinstance(step, tdsl.ReshapeOp) for step in rest):
            raise NotTiled(f"{rest[0].name} after {node.result} needs all channels")
        previous = found[-1] if found else None
        if previous and isinstance(op, tdsl.ElementwiseOp) and previous.result in op.inputs and _alone(previous.result):
            previous.chain += [op, *chain]
            continue
        channel_op = ChannelOp(role, op, list(chain), _operand(op, previous))
        _check(channel_op, node.result)
        found.append(channel_op)
    for channel_op in found:
        for step in channel_op.chain:
            _check_elementwise(step, channel_op.op.out)
    if len(found) < 2 and found[0].role is not Role.CONTINUE:
        raise NotTiled("a single op needs all channels, of its operand or of its result")
    return found


def _alone(value: SSAValue) -> bool:
    """True if a single op reads a value."""
    return len({use.operation for use in value.uses}) == 1


def _operand(op: tdsl.TensorOp, previous: ChannelOp | None) -> SSAValue:
    """The operand that is read channel by channel, or perhaps whole by the first op; includes padding."""
    if isinstance(op, tdsl.ContractionOp):
        return op.pairs[0][1]
    if isinstance(op, tdsl.ElementwiseOp):
        if previous is not None and previous.result in op.inputs:
            return previous.result
        return next(value for value in op.inputs if tdsl.shape_of(value) == tdsl.shape_of(op.out))
    return op.inputs[0]


def _check(channel_op: ChannelOp, name: str) -> None:
    op = channel_op.op
    shape = tdsl.shape_of(op.out)
    if isinstance(op, tdsl.ContractionOp) and op.initial and not isinstance(op.initial.owner, tdsl.ConstOp):
        raise NotTiled(f"the sums of {name} start from results")
    if len(shape) not in (2, 4) or (len(shape) == 2 and shape[1] != 1) or (len(shape) == 4 and shape[0] != 1):
        raise NotTiled(f"{name} is neither a single image nor a column vector")
    match op:
        case tdsl.Conv2dOp():
            constant = isinstance(op.lhs.owner, tdsl.ConstOp)
            groups = shape[channel_axis(shape)] if channel_op.role is Role.CONTINUE else 1
            if not constant or op.group_count != groups or op.turns is not None:
                raise NotTiled(f"{name} is no convolution of one image by constants in one group")
        case tdsl.MatmulOp() | tdsl.MatmulSumOp():
            [(lhs, rhs), *others] = op.pairs
            if others or not isinstance(lhs.owner, tdsl.ConstOp) or tdsl.shape_of(rhs)[1] != 1:
                raise NotTiled(f"{name} is no product of a constant matrix and a column vector")
        case tdsl.PoolOp() | tdsl.MeanOp():
            if isinstance(op, tdsl.MeanOp) and op.reduced != (1, 2):
                raise NotTiled(f"{name} takes averages over channels")
        case tdsl.ElementwiseOp():
            _check_elementwise(op, op.out)
        case _:
            raise NotTiled(f"{op.name} is not computed channel by channel")


def _check_elementwise(op: tdsl.ElementwiseOp, like: SSAValue) -> None:
    """Raise `NotTiled` for operands that are broadcast along rows or columns only."""
    shape = tdsl.shape_of(like)
    axis = channel_axis(shape)
    for value in op.inputs:
        own = tdsl.shape_of(value)
        padded = (1,) * (len(shape) - len(own)) + own
        if own != shape and prod(own) != padded[axis]:
            raise NotTiled(f"{op.name} repeats an operand along rows or columns")

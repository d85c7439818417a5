"""The ops of a loop over channels and their roles (PEX, table 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.transforms.schedules.plans.channel_rules import Role, consecutive
from tinyml.transforms.schedules.plans.network import Network
from tinyml.transforms.schedules.segments import NotTiled
from tinyml.transforms.schedules.slices.stages import elementwise_behind
from tinyml.transforms.schedules.tiling.padding import padding


@dataclass
class ChannelOp:
    """An op and the elementwise ops that follow it, on the channels of an iteration.

    name: the name of the tensor that contains the result.
    role: the role of the op in the loop.
    chain: the elementwise ops, in order.
    operand: the tensor that is read channel by channel or, if the op generates slices, the tensor that is read whole.
    kept: whether the result is whole after the loop.
    read: whether ops of the loop read the result.
    """

    name: str
    role: Role
    op: tdsl.TensorOp
    chain: list[tdsl.ElementwiseOp]
    operand: SSAValue
    kept: bool
    read: bool

    @property
    def result(self) -> SSAValue:
        """The result that the loop computes. For an accumulating op, it is the sums before its elementwise ops."""
        return self.op.out if self.role is Role.ACCUMULATE or not self.chain else self.chain[-1].out

    @property
    def contraction(self) -> tdsl.ContractionOp:
        """The op, which must accumulate: only contractions have this role."""
        assert isinstance(self.op, tdsl.ContractionOp)
        return self.op

    @property
    def ops(self) -> Sequence[tdsl.TensorOp]:
        return (self.op,) if self.role is Role.ACCUMULATE else (self.op, *self.chain)


def channel_axis(shape: tdsl.Shape) -> int:
    return 3 if len(shape) == 4 else 0


def channel_ops(network: Network, first: int, last: int) -> list[ChannelOp]:
    """The nodes `first` to `last` of a network, both inclusive, as ops of a loop. Raises `NotTiled` if they do not
    form a loop over channels.
    """
    loop = consecutive(network.graph, first, last)
    if (obstacle := loop.obstacle()) is not None:
        raise NotTiled(obstacle.reason)
    found: dict[str, ChannelOp] = {}
    for i in loop.nodes:
        name, (op, *more) = network.graph.nodes[i].result, network.ops[i]
        kept, read = name in loop.kept, bool(loop.readers.get(name))
        chain, rest = elementwise_behind(op, more)
        if read and any(not isinstance(step, tdsl.ReshapeOp) for step in rest):
            raise NotTiled(f"{rest[0].name} after {name} needs all channels")
        joined = found.get(loop.joined(i) or "")
        if joined is not None and isinstance(op, tdsl.ElementwiseOp) and _alone(joined.result, op):
            del found[joined.name]
            joined.name, joined.kept, joined.read = name, kept, read
            joined.chain += [op, *chain]
            found[name] = joined
            continue
        operand = _operand(op, network, found)
        channel_op = ChannelOp(name, loop.roles[name], op, list(chain), operand, kept, read)
        _check(channel_op)
        found[name] = channel_op
    for channel_op in found.values():
        for step in channel_op.chain:
            _check_elementwise(step, channel_op.op.out)
    return list(found.values())


def _alone(value: SSAValue, op: tdsl.ElementwiseOp) -> bool:
    return {use.operation for use in value.uses} == {op}


def unpadded(value: SSAValue) -> SSAValue:
    """The image before padding. It is the value itself if the value is not padded."""
    pad = padding(value)
    return value if pad is None else pad.input


def _operand(op: tdsl.TensorOp, network: Network, found: dict[str, ChannelOp]) -> SSAValue:
    if isinstance(op, tdsl.ContractionOp):
        return op.pairs[0][1]
    if isinstance(op, tdsl.ElementwiseOp):
        alike = [value for value in op.inputs if tdsl.shape_of(value) == tdsl.shape_of(op.out)]
        inside = [value for value in alike if network.names.get(value) in found]
        return (inside or alike)[-1 if inside else 0]
    return op.inputs[0]


def _check(channel_op: ChannelOp) -> None:
    op, name = channel_op.op, channel_op.name
    shape = tdsl.shape_of(op.out)
    if isinstance(op, tdsl.ContractionOp) and op.initial and not isinstance(op.initial.owner, tdsl.ConstOp):
        raise NotTiled(f"the sums of {name} start from results")
    if len(shape) not in (2, 4) or (len(shape) == 2 and shape[1] != 1) or (len(shape) == 4 and shape[0] != 1):
        raise NotTiled(f"{name} is neither a single image nor a column vector")
    if isinstance(op, tdsl.ContractionOp) and any(term.groups is not None for term in op.terms):
        raise NotTiled(f"the weights of {name} share scales in groups, which channels by themselves do not know")
    match op:
        case tdsl.Conv2dOp():
            constant = isinstance(op.lhs.owner, tdsl.ConstOp)
            groups = shape[channel_axis(shape)] if channel_op.role is Role.CONTINUE else 1
            if not constant or op.group_count != groups or op.turns is not None:
                raise NotTiled(f"{name} is not a convolution of one image by constants in one group")
        case tdsl.MatmulOp() | tdsl.MatmulSumOp():
            [(lhs, rhs), *others] = op.pairs
            if others or not isinstance(lhs.owner, tdsl.ConstOp) or tdsl.shape_of(rhs)[1] != 1:
                raise NotTiled(f"{name} is not a product of a constant matrix and a column vector")
        case tdsl.PoolOp() | tdsl.MeanOp():
            if isinstance(op, tdsl.MeanOp) and op.reduced != (1, 2):
                raise NotTiled(f"{name} takes averages over channels")
        case tdsl.ElementwiseOp():
            _check_elementwise(op, op.out)
        case _:
            raise NotTiled(f"{op.name} is not computed channel by channel")


def _check_elementwise(op: tdsl.ElementwiseOp, like: SSAValue) -> None:
    """Raise `NotTiled` unless each operand has the shape of `like` or contains a single pixel.

    An operand that is broadcast only along rows or only along columns is rejected.
    """
    shape = tdsl.shape_of(like)
    axis = channel_axis(shape)
    for value in op.inputs:
        own = tdsl.shape_of(value)
        padded = (1,) * (len(shape) - len(own)) + own
        if own != shape and prod(own) != padded[axis]:
            raise NotTiled(f"{op.name} repeats an operand along rows or columns")

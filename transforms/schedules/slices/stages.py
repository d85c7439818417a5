"""The stages of a segment. A stage is a group of ops that computes a row or pixel of a result without a ring buffer
between the ops.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.transforms.schedules.plans.graph import Graph, Image, Node
from tinyml.transforms.schedules.plans.network import Network
from tinyml.transforms.schedules.rings.pooled_blocks import pools_blocks, under_window
from tinyml.transforms.schedules.segments import NotTiled
from tinyml.transforms.schedules.tiling.stored_image import StoredImage


@dataclass(frozen=True)
class Stage:
    """An op and the elementwise ops that follow it, computed row by row or pixel by pixel.

    chain: the elementwise ops, in order.
    node: the stage as a node of a graph, with the windows that all its ops read.
    kept: whether the result is used after the segment.
    pooled: the convolution before the op, if the op is a pool that is computed block by block; None otherwise.
    """

    op: tdsl.TensorOp
    chain: tuple[tdsl.ElementwiseOp, ...]
    node: Node
    kept: bool
    pooled: Stage | None = None

    @property
    def ops(self) -> tuple[tdsl.TensorOp, ...]:
        """All ops of the stage, the convolution before a pool included, in order of dependence."""
        return (*(() if self.pooled is None else self.pooled.ops), self.op, *self.chain)

    @property
    def result(self) -> SSAValue:
        return self.chain[-1].out if self.chain else self.op.out

    @property
    def sums(self) -> bool:
        """Whether the result is available only after a whole operand has been read."""
        return any(read.sums for read in self.node.reads)


@dataclass(frozen=True)
class StagedSegment:
    """The stages of a segment, in order of dependence.

    tensors: the images of the segment, by name.
    joins: for each node that may run in the stage of one of several operands, these operands, starting with the one
        computed last.
    """

    stages: tuple[Stage, ...]
    tensors: dict[str, Image]
    joins: dict[str, list[str]]

    @property
    def graph(self) -> Graph:
        """The segment as a separate graph. Its inputs are the tensors that the segment reads from outside."""
        made = [stage.node.result for stage in self.stages]
        read = dict.fromkeys(read.tensor for stage in self.stages for read in stage.node.reads)
        inputs = tuple(name for name in read if name not in made)
        kept = tuple(stage.node.result for stage in self.stages if stage.kept)
        tensors = {name: self.tensors[name] for name in (*inputs, *made)}
        return Graph(tensors, inputs, tuple(stage.node for stage in self.stages), kept)


def segment_of(
    network: Network, first: int, last: int, carriers: Mapping[str, str] | None = None, blocks: bool = False
) -> StagedSegment:
    """Convert nodes `first` to `last` of a network, both inclusive, to stages. Raises `NotTiled` if they cannot be
    streamed.

    carriers: for some elementwise nodes, the operand whose stage they join; all other elementwise nodes join the
        operand that is computed last.
    blocks: whether pools of disjoint windows join the stage of the convolution before them.
    """
    graph = network.graph
    stages: dict[str, Stage] = {}
    joins: dict[str, list[str]] = {}
    for k in range(first, last + 1):
        node = graph.nodes[k]
        op, *more = network.ops[k]
        kept = graph.last_use[node.result] > last
        chain, rest = elementwise_behind(op, more)
        if rest and not kept:
            raise NotTiled(f"{rest[0].name} after {node.result} is not computed slice by slice")
        if blocks and k > first and pools_blocks(graph, k):
            [pool] = node.reads
            pooled = stages.pop(pool.tensor)
            reads = tuple(under_window(pool, read) for read in pooled.node.reads)
            stages[node.result] = Stage(op, chain, node._replace(reads=reads), kept, pooled)
            continue
        operands = _absorbing(graph, stages, op, node)
        if not operands:
            stages[node.result] = Stage(op, chain, node, kept)
            continue
        if len(operands) > 1:
            joins[node.result] = operands
        operand = (carriers or {}).get(node.result, operands[0])
        before = stages.pop(operand)
        reads = tuple(read for read in node.reads if read.tensor != operand)
        merged = before.node._replace(result=node.result, reads=before.node.reads + reads)
        assert isinstance(op, tdsl.ElementwiseOp)
        stages[node.result] = replace(before, chain=(*before.chain, op, *chain), node=merged, kept=kept)
    return StagedSegment(tuple(stages.values()), graph.tensors, joins)


def elementwise_behind(
    op: tdsl.TensorOp, more: Sequence[tdsl.TensorOp]
) -> tuple[tuple[tdsl.ElementwiseOp, ...], Sequence[tdsl.TensorOp]]:
    """Return the elementwise ops that directly follow an op, and the remaining ops of `more`."""
    chain: list[tdsl.ElementwiseOp] = []
    last: tdsl.TensorOp = op
    for step in more:
        alone = len({use.operation for use in last.out.uses}) == 1
        if not isinstance(step, tdsl.ElementwiseOp) or last.out not in step.inputs or not alone:
            break
        if tdsl.shape_of(step.out) != tdsl.shape_of(op.out):
            break
        chain.append(step)
        last = step
    return tuple(chain), more[len(chain) :]


def _absorbing(graph: Graph, stages: dict[str, Stage], op: tdsl.TensorOp, node: Node) -> list[str]:
    """The operands whose stages an elementwise op may join, because the operands have no other readers."""
    if not isinstance(op, tdsl.ElementwiseOp):
        return []

    def absorbs(name: str) -> bool:
        stage = stages[name]
        alone = len({use.operation for use in stage.result.uses}) == 1
        only = graph.users[name] == [graph.producer[node.result]]
        return alone and only and not stage.kept and not stage.sums and stage.result in op.inputs

    order = list(stages)
    inside = [name for name in dict.fromkeys(node.operands) if name in stages]
    return [name for name in sorted(inside, key=order.index, reverse=True) if absorbs(name)]


class SegmentLoops:
    """Loops that compute the results of a segment slice by slice, during construction.

    images: the tensors that store the results, by name, at the current insertion point.
    """

    def __init__(self, network: Network):
        self.network = network
        self.images: dict[str, StoredImage] = {}

    def stored(self, value: SSAValue) -> StoredImage:
        """The tensor that stores an image; the whole image if the loops do not compute it."""
        name = self.network.names.get(value)
        return self.images[name] if name in self.images else StoredImage.whole(value)

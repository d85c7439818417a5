"""The stages of a segment: ops that compute a slice of their result together, without a ring between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.transforms.formats.plans.graph import Graph, Image, Node
from tinyml.transforms.formats.plans.network import Network


class NotStreamed(Exception):
    """A segment cannot run slice by slice; the message says why."""


@dataclass(frozen=True)
class Stage:
    """An op and the elementwise ops that follow it, slice by slice.

    node: the stage as a node of a graph, with what all of its ops read. kept: is its result used after the segment?
    """

    op: tdsl.TensorOp
    chain: tuple[tdsl.ElementwiseOp, ...]
    node: Node
    kept: bool

    @property
    def result(self) -> SSAValue:
        return self.chain[-1].out if self.chain else self.op.out


@dataclass(frozen=True)
class Segment:
    """The stages of a segment in the order of the program, each after those that it reads, and its images by name."""

    stages: tuple[Stage, ...]
    tensors: dict[str, Image]

    @property
    def graph(self) -> Graph:
        """The segment as a graph of its own, whose inputs are what it reads from outside."""
        made = [stage.node.result for stage in self.stages]
        read = dict.fromkeys(read.tensor for stage in self.stages for read in stage.node.reads)
        inputs = tuple(name for name in read if name not in made)
        kept = tuple(stage.node.result for stage in self.stages if stage.kept)
        tensors = {name: self.tensors[name] for name in (*inputs, *made)}
        return Graph(tensors, inputs, tuple(stage.node for stage in self.stages), kept)


def segment_of(network: Network, first: int, last: int) -> Segment:
    """The nodes of a network from first to last, both inclusive, as stages; raises `NotStreamed`."""
    graph = network.graph
    stages: dict[str, Stage] = {}
    for k in range(first, last + 1):
        node = graph.nodes[k]
        op, *more = network.ops[k]
        kept = graph.last_use[node.result] > last
        chain, rest = _elementwise(op, more)
        if rest and not kept:
            raise NotStreamed(f"{rest[0].name} after {node.result} is not computed slice by slice")
        operand = _absorbing(graph, stages, op, node) if isinstance(op, tdsl.ElementwiseOp) else None
        if operand is None:
            stages[node.result] = Stage(op, chain, node, kept)
        else:
            before = stages.pop(operand)
            reads = tuple(read for read in node.reads if read.tensor != operand)
            merged = before.node._replace(result=node.result, reads=before.node.reads + reads)
            assert isinstance(op, tdsl.ElementwiseOp)
            stages[node.result] = replace(before, chain=(*before.chain, op, *chain), node=merged, kept=kept)
    return Segment(tuple(stages.values()), graph.tensors)


def _elementwise(
    op: tdsl.TensorOp, more: Sequence[tdsl.TensorOp]
) -> tuple[tuple[tdsl.ElementwiseOp, ...], Sequence[tdsl.TensorOp]]:
    """The ops that follow an op element by element, and those behind them."""
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


def _absorbing(graph: Graph, stages: dict[str, Stage], op: tdsl.ElementwiseOp, node: Node) -> str | None:
    """The operand of an elementwise op with whose stage it runs: the one computed last, if nothing else reads it."""
    order = list(stages)
    inside = [name for name in node.operands if name in stages]
    if not inside:
        return None
    operand = max(inside, key=order.index)
    alone = len({use.operation for use in stages[operand].result.uses}) == 1
    sums = any(read.sums for read in stages[operand].node.reads)
    if stages[operand].kept or sums or not alone or graph.users[operand] != [graph.producer[node.result]]:
        return None
    return operand if stages[operand].result in op.inputs else None

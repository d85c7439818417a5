"""Replacement of nodes of a graph by quantiser nodes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tinyml.lowering.frontends.onnx.formats import constants_of
from tinyml.lowering.frontends.onnx.graph import OnnxGraph, OnnxNode
from tinyml.lowering.frontends.onnx.reader import needed_nodes

if TYPE_CHECKING:
    from numpy.typing import NDArray


class NodeRewriter(ABC):
    """A rewriter that replaces the last node of each chain that it matches.

    constants: the constants of the graph by name, including those of Constant nodes.
    producers: the nodes of ONNX's domain, by the name of their first output.
    domain: the domain of new nodes.
    """

    def __init__(self, graph: OnnxGraph, domain: str) -> None:
        self.graph = graph
        self.constants: Mapping[str, NDArray[Any]] = constants_of(graph)
        self.producers = {node.outputs[0]: node for node in graph.nodes if node.outputs and not node.domain}
        self.domain = domain

    @abstractmethod
    def rewrite(self, node: OnnxNode) -> Sequence[OnnxNode]:
        """The nodes that replace a node; the node itself if it does not match."""

    def rewritten(self) -> OnnxGraph:
        """The graph after replacement, without the nodes that are no longer needed."""
        nodes = [new for node in self.graph.nodes for new in self.rewrite(node)]
        return replace(self.graph, nodes=list(needed_nodes(nodes, self.graph.outputs)))

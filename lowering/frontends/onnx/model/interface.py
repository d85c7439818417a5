"""The outputs of a classifier: its label and its scores, without the conversions that converters add for other users.

Converters of scikit-learn write the label of the class, cast and looked up, and probabilities or decision functions,
normalised, assembled from single numbers and made a map. The classifying node itself has both outputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tinyml.lowering.frontends.onnx.model.graph import Declared, OnnxGraph, OnnxNode
from tinyml.lowering.frontends.onnx.model.reader import needed_nodes

CLASSIFIERS = ("LinearClassifier", "SVMClassifier", "TreeEnsembleClassifier")
"""Ops of `ai.onnx.ml` with the outputs label and scores."""

PLUMBING = ("Cast", "Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze")
"""Ops that a label may pass through on its way to an output, besides its lookup."""


def classifier_interface(graph: OnnxGraph) -> OnnxGraph:
    """A graph whose output is the label of a classifier, with the classifier's own scores as its other output.

    If the label is the index of the least distance (k-means), outputs that are square roots of the distances are left
    out.
    """
    makers = {output: node for node in graph.nodes for output in node.outputs if output}
    sources = [(declared, _source(declared.name, makers)) for declared in graph.outputs]
    for declared, source in sources:
        if source is None:
            continue
        if (
            _is_classifier(source)
            and len(graph.outputs) == 2
            and all(_reads(graph, output, source) for output in graph.outputs)
        ):
            scores = source.outputs[1] or f"{source.name} scores"
            return _with_outputs(graph, source, [declared, Declared(scores, "float32", None)], scores)
        roots = [makers[other.name].op for other, _ in sources if other is not declared and other.name in makers]
        if source.op == "ArgMin" and set(roots) == {"Sqrt"}:
            return _with_outputs(graph, source, [declared], "")
    nodes = [_softmax(node, makers) for node in graph.nodes]
    return replace(graph, nodes=list(needed_nodes(nodes, graph.outputs)))


def _is_classifier(source: OnnxNode) -> bool:
    return source.op in CLASSIFIERS and source.domain == "ai.onnx.ml" and len(source.outputs) == 2


def _reads(graph: OnnxGraph, output: Declared, source: OnnxNode) -> bool:
    """True if an output depends on a node."""
    return any(node.name == source.name for node in needed_nodes(graph.nodes, [output]))


def _source(name: str, makers: Mapping[str, OnnxNode]) -> OnnxNode | None:
    """The node whose first output reaches a name through plumbing alone; None if there is none."""
    while (node := makers.get(name)) is not None and node.inputs:
        if node.op == "ArrayFeatureExtractor" and len(node.inputs) == 2:
            name = node.inputs[1]
        elif node.op in PLUMBING:
            name = node.inputs[0]
        else:
            return node if node.outputs[0] == name else None
    return None


def _with_outputs(graph: OnnxGraph, source: OnnxNode, outputs: Sequence[Declared], scores: str) -> OnnxGraph:
    """A graph with other outputs; scores: the name of the second output of `source`, if it is wanted."""
    named = replace(source, outputs=(source.outputs[0], scores)) if scores else source
    nodes = [named if node is source else node for node in graph.nodes]
    return replace(graph, nodes=list(needed_nodes(nodes, outputs)), outputs=outputs)


def _softmax(node: OnnxNode, makers: Mapping[str, OnnxNode]) -> OnnxNode:
    """A softmax for exp(x - logsumexp(x)), by which Gaussian naive Bayes normalises; any other node itself."""
    difference = makers.get(node.inputs[0]) if node.op == "Exp" and node.inputs else None
    if difference is None or difference.op != "Sub" or len(difference.inputs) != 2:
        return node
    x, total = difference.inputs
    while (made := makers.get(total)) is not None and made.op in PLUMBING and made.inputs:
        total = made.inputs[0]
    if made is None or made.op != "ReduceLogSumExp" or made.inputs[:1] != (x,):
        return node
    return replace(node, op="Softmax", inputs=(x,), attributes={"axis": -1})

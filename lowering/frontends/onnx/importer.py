"""Import of an ONNX model as a function of `tdsl` ops on reals (L0).

An exported classifier is reduced to the outputs of the node that classifies: the label and the scores. The nodes that
converters of scikit-learn append are dropped. They cast the label, look up its class, normalise the scores, concatenate
them from single numbers, or convert them to a map.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported, missing_part, needs
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.rows import rows_of
from tinyml.lowering.frontends.layers.model_builder import DeclaredPart, OrderedTensor, hint, identifier
from tinyml.lowering.frontends.layers.rewrites import simplify
from tinyml.lowering.frontends.onnx.batches import with_one_sample, written_batch
from tinyml.lowering.frontends.onnx.builder import (
    HANDLERS,
    LOOPS,
    SPECIAL_CASES,
    Builder,
    Constant,
    Deferred,
    Followed,
    Handler,
    Inputs,
    Label,
    Value,
)
from tinyml.lowering.frontends.onnx.folding import FOLDED, fold
from tinyml.lowering.frontends.onnx.formats import KEEPING, ON_RAWS, input_format, result_formats, sums_of
from tinyml.lowering.frontends.onnx.graph import Declared, OnnxGraph, OnnxNode
from tinyml.lowering.frontends.onnx.ops import load_handlers
from tinyml.lowering.frontends.onnx.ops.elementwise import FLOATS
from tinyml.lowering.frontends.onnx.ops.ml import ML
from tinyml.lowering.frontends.onnx.package_ops import import_by_package
from tinyml.lowering.frontends.onnx.reader import needed_nodes, read_model
from tinyml.lowering.frontends.onnx.written_out import with_normalisations
from tinyml.transforms.reals.roll_steps import roll_steps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


CLASSIFIERS = ("LinearClassifier", "SVMClassifier", "TreeEnsembleClassifier")
"""Ops of `ai.onnx.ml` with the outputs label and scores."""

PLUMBING = ("Cast", "Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze")
"""Ops that may lie between a label and an output, in addition to the lookup of the label."""


CONVERTER = "skl2onnx"
"""The producer of models that were exported from scikit-learn, for which there is a separate frontend."""

EXPONENTIAL_LOSSES = ("Poisson", "Tweedie")
"""CatBoost losses whose prediction is the exponential of the value that its ONNX files compute."""

FEW_BITS = "tinyml.lowering.frontends.qonnx.graphs:with_quantisers"
"""The function of the extension that imports the quantisers of networks trained for few bits."""

OF_INTEGERS = "tinyml.lowering.frontends.onnx.ops.integers:Integers"
"""The extension's class of tensors of integers and truth values."""

OF_QUANTISED = "tinyml.lowering.frontends.onnx.ops.quantised:of_quantised"
"""The function of the extension that imports ops on quantised numbers."""

QUANTISER_DOMAINS = ("onnx.brevitas", "finn.custom_op.general", "qonnx.custom_op.general")

SHIFT = "RequantShift"
"""The op by which QuantLib and Deeploy write a quantiser of integers. The domain differs between exporters."""

INTEGERS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
"""Element types of inputs that are imported as reals with whole values."""


def read_onnx(content: bytes, file: str) -> ModuleOp:
    """Import the model in a file as a module with one function, named after the file.

    The function accepts one sample; an extent that the file leaves open is 1, as is a batch of samples that the graph
    computes separately. It returns the model's outputs. Raises `InputError` for an unsupported loss of CatBoost and for
    an invalid or unsupported node, whose op and name the error states.
    """
    whole = read_model(content, file)
    if whole.producer == "CatBoost" and (loss := _loss_of_catboost(whole)) in EXPONENTIAL_LOSSES:
        raise InputError(
            f"CatBoost's loss {loss} is not supported: its file computes the logarithm of what predict gives", file=file
        )
    graph = with_one_sample(whole)
    try:
        return import_graph(_classifier_interface(graph), file)
    except InputError as error:
        # An op may combine the samples of a batch, so that its shapes do not fit one sample.
        if graph is not whole:
            with suppress(InputError):
                return import_graph(_classifier_interface(whole), file)
        advice = _advice(graph, error.message)
        if advice is None:
            raise
        raise InputError(f"{error.message}; {advice}", file=file) from error


def _advice(graph: OnnxGraph, message: str) -> str | None:
    if graph.producer == CONVERTER:
        return "import the estimator itself instead of its export: tinyml.load(estimator)"
    if "--max-elements" in message and (batch := written_batch(graph)) is not None:
        return (
            f"the first extent of its inputs, {batch}, counts as a part of the sample: "
            "if it is the batch, export the model with a batch of 1"
        )
    return None


def import_graph(graph: OnnxGraph, file: str) -> ModuleOp:
    """Import a graph from a model file or another frontend. Raises `InputError` as `read_onnx` does."""
    load_handlers()
    if quantised := _is_trained_for_bits(graph):
        graph = imported(FEW_BITS)(graph)
    module = _OnnxImporter(file).module(with_normalisations(graph))
    tdsl.update_interface(module, quantised=quantised)
    roll_steps(module)
    simplify(module)
    order_constants(module, list(graph.constants))
    return module


def _is_trained_for_bits(graph: OnnxGraph) -> bool:
    """Whether a graph was trained for few bits. Such a graph contains quantisers of `QUANTISER_DOMAINS`, `SHIFT`, a
    Clip of quantised raws or of rounded numbers, inputs that are annotated as integers, or sums of products of inputs
    of integers.
    """
    if any(declared.name in graph.annotations for declared in graph.inputs):
        return True
    if sums_of(graph, [declared.name for declared in graph.inputs if declared.element in INTEGERS]):
        return True
    raws = {node.outputs[0] for node in graph.nodes if node.op in ("QuantizeLinear", "Round") and node.domain == ""}
    return any(
        node.domain in QUANTISER_DOMAINS
        or node.op == SHIFT
        or (node.op == "Clip" and node.inputs[:1] and node.inputs[0] in raws)
        for node in graph.nodes
    )


def _loss_of_catboost(graph: OnnxGraph) -> str:
    try:
        return str(json.loads(graph.properties["params"])["loss_function"]["type"])
    except (KeyError, TypeError, ValueError, RecursionError):
        return ""


def order_constants(module: ModuleOp, names: Sequence[str]) -> None:
    """Move all constants to the top of the function, in the order `names` of the file, followed by the constants with
    one element.

    The order only matters where constants are rounded sequentially.
    """
    constants = [op for op in module.walk() if isinstance(op, tdsl.ConstOp)]
    position = {identifier(name): number for number, name in reversed(list(enumerate(names)))}
    last = len(names)

    def order(constant: tdsl.ConstOp) -> tuple[bool, int]:
        is_number = prod(tdsl.shape_of(constant.result)) == 1
        return is_number, position.get(constant.result.name_hint or "", last)

    [function] = module.ops
    block = function.regions[0].block
    for constant in sorted(constants, key=order, reverse=True):
        constant.detach()
        Rewriter.insert_op(constant, InsertPoint.at_start(block))


def _classifier_interface(graph: OnnxGraph) -> OnnxGraph:
    """Reduce the outputs of a classifier to its label and the scores of the node that classifies.

    If the label is the index of the least squared distance (k-means), outputs that are square roots of the
    distances are dropped.
    """
    producers = {output: node for node in graph.nodes for output in node.outputs if output}
    sources = [(declared, _source(declared.name, producers)) for declared in graph.outputs]
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
        roots = [producers[other.name].op for other, _ in sources if other is not declared and other.name in producers]
        if source.op == "ArgMin" and set(roots) == {"Sqrt"}:
            return _with_outputs(graph, source, [declared], "")
    nodes = [_softmax(node, producers) for node in graph.nodes]
    return replace(graph, nodes=list(needed_nodes(nodes, graph.outputs)))


def _is_classifier(source: OnnxNode) -> bool:
    return source.op in CLASSIFIERS and source.domain == ML and len(source.outputs) == 2


def _reads(graph: OnnxGraph, output: Declared, source: OnnxNode) -> bool:
    return any(node.name == source.name for node in needed_nodes(graph.nodes, [output]))


def _source(name: str, producers: Mapping[str, OnnxNode]) -> OnnxNode | None:
    """The node whose first output is the value `name`, after the value is traced back through ops in `PLUMBING` and
    class lookups. None if there is no such node.
    """
    while (node := producers.get(name)) is not None and node.inputs:
        if node.op == "ArrayFeatureExtractor" and len(node.inputs) == 2:
            name = node.inputs[1]
        elif node.op in PLUMBING:
            name = node.inputs[0]
        else:
            return node if node.outputs[0] == name else None
    return None


def _with_outputs(graph: OnnxGraph, source: OnnxNode, outputs: Sequence[Declared], scores: str) -> OnnxGraph:
    named = replace(source, outputs=(source.outputs[0], scores)) if scores else source
    nodes = [named if node is source else node for node in graph.nodes]
    return replace(graph, nodes=list(needed_nodes(nodes, outputs)), outputs=outputs)


def _softmax(node: OnnxNode, producers: Mapping[str, OnnxNode]) -> OnnxNode:
    """Replace the node of exp(x - logsumexp(x)), which Gaussian naive Bayes computes, by a softmax node. Return any
    other node unchanged.
    """
    difference = producers.get(node.inputs[0]) if node.op == "Exp" and node.inputs else None
    if difference is None or difference.op != "Sub" or len(difference.inputs) != 2:
        return node
    x, total = difference.inputs
    while (producer := producers.get(total)) is not None and producer.op in PLUMBING and producer.inputs:
        total = producer.inputs[0]
    if producer is None or producer.op != "ReduceLogSumExp" or producer.inputs[:1] != (x,):
        return node
    return replace(node, op="Softmax", inputs=(x,), attributes={"axis": -1})


class _OnnxImporter:
    def __init__(self, file: str):
        self.file = file
        self.to = Builder(file)
        self.scopes: list[dict[str, Value]] = [{}]
        self.formats: Mapping[str, NumberFormat] = {}

    def module(self, graph: OnnxGraph) -> ModuleOp:
        if not graph.inputs:
            raise InputError("expected a model with an input, got none", file=self.file)
        self.formats = result_formats(graph)
        parts: tuple[tuple[Any, ...], ...] | None = None
        if len(graph.inputs) == 1:
            arguments = [self.argument(graph, graph.inputs[0])]
        else:
            arguments, parts = self.parts(graph)
        values = self.run(graph, arguments)
        results = self.results(graph, values)
        module = self.to.module(results)
        tdsl.update_input(module, parts=parts, **self.feature_fields(graph))
        looked_up = [value.classes for value in values if isinstance(value, Label) and value.classes]
        self.name_classes(module, results, looked_up[0] if looked_up else self.to.classes)
        return module

    def feature_fields(self, graph: OnnxGraph) -> Mapping[str, tuple[float, ...]]:
        inputs = graph.inputs
        if all(declared.scale == 1 and declared.point == 0 for declared in inputs):
            return {}
        lengths = [prod(self.input_shape(declared)) for declared in inputs]
        scales = np.repeat(np.array([declared.scale for declared in inputs]), lengths)
        points = np.repeat(np.array([declared.point for declared in inputs]), lengths)
        return tdsl.FeatureMap(scales, np.zeros_like(scales), points).fields

    def argument(self, graph: OnnxGraph, declared: Declared) -> Value:
        format = declared.format or input_format(graph, declared.name, declared.element)
        if format is None:
            self.check_reals(declared)
        element = F32_FORMAT.type if format is None else format.type
        argument = self.to.argument(TensorType(element, self.input_shape(declared)), declared.name)
        return self.input_value(declared, argument)

    def parts(self, graph: OnnxGraph) -> tuple[list[Value], tuple[DeclaredPart, ...]]:
        """Append one function argument that concatenates the inputs of a model. Return the slices of the
        argument that represent the inputs, and their declarations.

        The argument stores raws if all inputs have formats, and reals otherwise.
        """
        inputs = graph.inputs
        shapes = [self.input_shape(declared) for declared in inputs]
        formats = [declared.format or input_format(graph, declared.name, declared.element) for declared in inputs]
        elements = [F32_FORMAT.type if format is None else format.type for format in formats]
        if None in formats:
            for declared in inputs:
                self.check_reals(declared)
            elements = [F32_FORMAT.type] * len(inputs)
        values, parts = self.to.inputs(elements, [declared.name for declared in inputs], shapes)
        return [self.input_value(*pair) for pair in zip(inputs, values, strict=True)], parts

    @staticmethod
    def input_value(declared: Declared, value: SSAValue) -> Value:
        """The value of the input `declared`. Integers and truth values that the program stores as reals become a value
        that records their element type.
        """
        tensor = OrderedTensor.plain(value)
        if tensor.is_quantised or declared.element in FLOATS:
            return tensor
        return imported(OF_INTEGERS)(tensor, declared.element)

    def check_reals(self, declared: Declared) -> None:
        if declared.element not in (*FLOATS, *INTEGERS):
            raise InputError(f"input '{declared.name}' is of {declared.element}, expected numbers", file=self.file)

    def name_classes(self, module: ModuleOp, results: Sequence[SSAValue], classes: Sequence[str | int]) -> None:
        label = results[0].owner
        if not classes or not isinstance(label, tdsl.ArgmaxOp | tdsl.SignOp):
            return
        count = prod(tdsl.shape_of(label.input)) if isinstance(label, tdsl.ArgmaxOp) else 2
        if count != len(classes):
            raise InputError(f"{len(classes)} labels of classes do not fit {count} scores", file=self.file)
        try:
            tdsl.update_interface(module, classes=tuple(classes))
        except VerifyException as error:
            raise InputError(str(error), file=self.file) from error

    def input_shape(self, declared: Declared) -> tuple[int, ...]:
        """The shape of one sample of the input `declared`. Extents that the file leaves open become 1; all open extents
        must have the same name.
        """
        if declared.dims is None:
            raise InputError(f"input '{declared.name}' has no shape", file=self.file)
        if len({dim for dim in declared.dims if isinstance(dim, str)}) > 1 or declared.dims.count("") > 1:
            dims = ", ".join(str(dim) or "?" for dim in declared.dims)
            raise InputError(
                f"input '{declared.name}' has several open extents, ({dims}); only the batch may be",
                file=self.file,
            )
        shape = tuple(1 if isinstance(dim, str) else dim for dim in declared.dims)
        if 0 in shape:
            raise InputError(f"input '{declared.name}' of shape {list(shape)} has no elements", file=self.file)
        return shape

    def results(self, graph: OnnxGraph, values: Sequence[Value]) -> list[SSAValue]:
        """The values that the function returns. The label comes first. If the only output is a vector of scores, the
        argmax of the scores becomes the label.
        """
        results: list[SSAValue] = []
        for output, value in zip(graph.outputs, values, strict=True):
            if isinstance(value, Constant):
                raise InputError(f"output '{output.name}' does not depend on the input", file=self.file)
            results.append(value.value if isinstance(value, Label) else self.to.tensor(value))
        is_regressor = graph.producer == CONVERTER and not self.to.classes
        if len(results) == 1 and isinstance(values[0], OrderedTensor) and _are_scores(values[0].shape, is_regressor):
            label = self.to.emit(tdsl.ArgmaxOp, results[0])
            # The op belongs to no node of the graph; it counts as a part of the last layer.
            if isinstance(scores := results[0].owner, Operation):
                label.location = scores.location
            results.append(label.result)
        return sorted(results, key=lambda result: isinstance(result.type, TensorType))

    def run(self, graph: OnnxGraph, arguments: Sequence[Value]) -> Sequence[Value]:
        constants: Mapping[str, NDArray[Any]] = graph.constants
        scope: dict[str, Value] = {name: Constant(array, name) for name, array in constants.items()}
        scope |= {declared.name: value for declared, value in zip(graph.inputs, arguments, strict=True)}
        self.scopes.append(scope)
        around = self.to.node
        for node in graph.nodes:
            self.to.node = node
            values = self.outputs(node)
            if missing := [name for name in node.outputs[len(values) :] if name]:
                raise node.error(f"its output '{missing[0]}' is not supported, only the first")
            scope |= {name: value for name, value in zip(node.outputs, values, strict=False) if name}
        self.to.node = around
        outputs = [self.find(output.name) for output in graph.outputs]
        results = [value.returned(self.to) if isinstance(value, Deferred) else value for value in outputs]
        self.scopes.pop()
        return results

    def computed(self, handler: Handler, node: OnnxNode, inputs: Inputs) -> Value | Sequence[Value]:
        """Run the handler of a node. If the op allows it, the operands are quantised tensors in their formats,
        and otherwise reals.
        """
        quantised = any(isinstance(value, OrderedTensor) and value.is_quantised for value in inputs)
        if not quantised or node.domain or node.op in KEEPING or node.op in ON_RAWS:
            return handler(self.to, node, inputs)
        format = self.formats.get(node.outputs[0])
        result = imported(OF_QUANTISED)(self.to, node, inputs, None if format is None else format.type)
        if result is None:
            if self.to.element is None:
                inputs = [None if value is None else self.to.real(value) for value in inputs]
            result = handler(self.to, node, inputs)
            self.to.element = None
        return result

    def emitted(self, value: Value) -> Value:
        return value.emitted(self.to) if isinstance(value, Deferred) else value

    def find(self, name: str) -> Value:
        return next(scope[name] for scope in reversed(self.scopes) if name in scope)

    def outputs(self, node: OnnxNode) -> Sequence[Value]:
        inputs: Inputs = [self.find(name) if name else None for name in node.inputs]
        if inputs and isinstance(inputs[0], Label) and node.domain == "" and node.op in PLUMBING:
            return [inputs[0]]
        for value in inputs:
            if isinstance(value, Followed) and (read := value.read_by(self.to, node, inputs)) is not None:
                return [read]
        if (special := self.special(node, inputs)) is not None:
            return [special]
        if node.domain == "" and node.op in FOLDED and (folded := fold(self.to, node, inputs)) is not None:
            return folded
        if not node.domain:
            inputs = [None if value is None else self.emitted(value) for value in inputs]
        if node.domain == "" and node.op in LOOPS:
            values = LOOPS[node.op](self.to, node, inputs, self.run)
        elif (handler := HANDLERS.get((node.domain, node.op))) is not None:
            result = self.computed(handler, node, inputs)
            values = result if isinstance(result, Sequence) else [result]
        elif (imported := import_by_package(self.to, node, inputs)) is not None:
            values = imported
        else:
            raise node.error(f"the op {_missing(node) or f'is not supported: {_help(node)}'}")
        self.hint(node, values)
        return values

    def special(self, node: OnnxNode, inputs: Inputs) -> Value | None:
        case = SPECIAL_CASES.get(node.op) if node.domain == "" else None
        quantised = any(isinstance(value, OrderedTensor) and value.is_quantised for value in inputs)
        result = None if case is None or quantised else case(self.to, node, inputs)
        if result is not None:
            self.hint(node, [result])
        return result

    @staticmethod
    def hint(node: OnnxNode, values: Sequence[Value]) -> None:
        for name, value in zip(node.outputs, values, strict=False):
            if isinstance(value, OrderedTensor) and value.value.name_hint is None:
                hint(value.value, name)


def _are_scores(shape: tdsl.Shape, is_regressor: bool) -> bool:
    """Whether an output of the given shape is a vector of class scores.

    is_regressor: whether the producer of the model lists the classes of classifiers, and this model lists no classes.
    """
    return not is_regressor and len(shape) <= 2 and prod(shape) == max(shape, default=1) > 1


def _missing(node: OnnxNode) -> str | None:
    modules = (f"tinyml.{row.name}" for row in rows_of("onnx") if node.op in row.names)
    extension = next(filter(None, map(missing_part, modules)), None)
    return None if extension is None else needs(extension)


def _help(node: OnnxNode) -> str:
    if node.domain == ML:
        return "give the estimator itself to tinyml.load in Python, or export its parts as ops of ONNX"
    return node.advice


def supported() -> str:
    """A list of the names of all supported ops, as text for the documentation."""
    load_handlers()
    known = [key for key in HANDLERS if key[0] not in QUANTISER_DOMAINS]
    names = {op if domain == "" else f"{domain}.{op}" for domain, op in known} | LOOPS.keys()
    return f"{', '.join(sorted(names))}; of constants also {', '.join(sorted(FOLDED - names))}"

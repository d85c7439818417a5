"""Handlers for the quantiser nodes of QONNX, and conversion of the quantisers in QCDQ files to such nodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor, hint, identifier
from tinyml.lowering.frontends.onnx.builder import Builder, Constant, Inputs, Value, handles, needed
from tinyml.lowering.frontends.onnx.formats import constants_of, sums_of
from tinyml.lowering.frontends.onnx.graph import Declared, OnnxGraph, OnnxNode
from tinyml.lowering.frontends.onnx.ops.movement import axis_of
from tinyml.lowering.frontends.onnx.reader import constant_node, names_read
from tinyml.lowering.frontends.qonnx import readers as readers
from tinyml.lowering.frontends.qonnx.integer_chains import IntegerChains
from tinyml.lowering.frontends.qonnx.integer_formats import MAX_BITS
from tinyml.lowering.frontends.qonnx.qcdq import INTEGERS, QUANTISED, QuantiserNodes
from tinyml.lowering.frontends.qonnx.quantiser import ROUNDINGS, Comparisons, Quantiser, Truncation, integer_limits
from tinyml.lowering.frontends.qonnx.shifts import SHIFT, input_limits, shifted
from tinyml.lowering.frontends.qonnx.values import MOVING, Stack, WholeConstant
from tinyml.lowering.frontends.qonnx.whole import Whole, as_whole, levels_of, quantised_reals, unsubtracted

if TYPE_CHECKING:
    from numpy.typing import NDArray

QONNX = "qonnx.custom_op.general"
"""The domain of quantisers; `with_quantisers` replaces the older names."""

READ = "tinyml:read"
"""The attribute of a quantiser that reads an input of the program, which consists of the quantiser's integers."""

OLDER_DOMAINS = ("onnx.brevitas", "finn.custom_op.general")


def with_quantisers(graph: OnnxGraph) -> OnnxGraph:
    """A graph in which every quantiser is a node of the domain of QONNX. Inputs that are annotated as integers, inputs
    of 8-bit integers, and all inputs of graphs with RequantShift are read through a quantiser of scale 1.
    """
    typed = {declared.name for declared in graph.inputs if declared.element in ("int8", "uint8")}
    summed = sums_of(graph, typed)
    _check_integers(graph, summed)
    graph = IntegerChains(graph, QONNX).rewritten()
    named = [node.domain in OLDER_DOMAINS or node.op == SHIFT for node in graph.nodes]
    nodes = [replace(node, domain=QONNX) if older else node for node, older in zip(graph.nodes, named, strict=True)]
    in_integers = any(node.op == SHIFT for node in nodes)
    for declared in graph.inputs:
        known = _INTEGERS.fullmatch(graph.annotations.get(declared.name, ""))
        if known is not None and nodes:
            bits, signed = float(known[2] or 1), not known[1]
            limits = integer_limits(nodes[0], bits, signed=signed, narrow=False)
            nodes = _with_integers(declared.name, nodes, limits, bipolar=known[2] is None)
        elif in_integers or (summed and declared.name in typed):
            nodes = _with_integers(declared.name, nodes, input_limits(declared), bipolar=False)
    rewritten = QuantiserNodes(replace(graph, nodes=nodes), QONNX).rewritten()
    inputs = [_in_format(declared, rewritten) for declared in rewritten.inputs]
    # All inputs of a program have one storage type.
    if len({declared.format for declared, _ in inputs}) > 1:
        return rewritten
    read = {id(node) for _, node in inputs}
    nodes = [
        replace(node, attributes={**node.attributes, READ: 1}) if id(node) in read else node for node in rewritten.nodes
    ]
    return replace(rewritten, inputs=[declared for declared, _ in inputs], nodes=nodes)


def _check_integers(graph: OnnxGraph, sums: Sequence[OnnxNode]) -> None:
    """Raise `InputError` for a sum of products that reads integers and adds numbers that are no integers, as in a
    quantised model without its scales.
    """
    constants = constants_of(graph)
    for node in sums:
        for array in (constants[name] for name in node.inputs if name in constants):
            if array.dtype.kind == "f" and (array != np.rint(array)).any():
                raise node.error(
                    "reads integers without a scale, but its constants are no integers: a converter dropped the "
                    "scales; give the model from before the conversion"
                )


def _with_integers(name: str, nodes: Sequence[OnnxNode], limits: tuple[int, int], *, bipolar: bool) -> list[OnnxNode]:
    """Insert a quantiser of scale 1 between an input and the nodes that read it. Return the inserted nodes, followed by
    all of `nodes`, with the readers changed.

    name: the name of the input.
    limits: the range of the integers.
    bipolar: whether the only integers are -1 and 1.
    """
    low, high = limits
    result = f"{name}:integers"
    scale = constant_node(nodes[0], result, np.ones((), np.float32))
    attributes = {"low": low, "high": high, "bipolar": int(bipolar), "axis": 0}
    inputs = name, scale.outputs[0]
    quantiser = OnnxNode(QUANTISED, QONNX, 1, result, inputs, (result,), attributes, nodes[0].file)
    readers = [
        replace(node, inputs=tuple(result if input == name else input for input in node.inputs)) for node in nodes
    ]
    return [scale, quantiser, *readers]


def _in_format(declared: Declared, graph: OnnxGraph) -> tuple[Declared, OnnxNode | None]:
    """Declare the input `declared` in the format of the integers of its quantiser, before the zero point is subtracted.
    Return it with the node of this quantiser.

    Return the input unchanged, and None, unless the quantiser is the input's only reader, perhaps after nodes that move
    elements, has one scale, and rounds to nearest.
    """
    node = _only_reader(declared.name, graph)
    while node is not None and not node.domain and node.op in MOVING:
        node = _only_reader(node.outputs[0], graph)
    if node is None or node.domain != QONNX or node.op not in _STATED:
        return declared, None
    constants, to = constants_of(graph), Builder(node.file)
    to.node = node
    operands = [Constant(constants[name]) if name in constants else None for name in node.inputs]
    if any(operand is None for operand in operands[1:]):
        return declared, None
    scales = _one_scale(_scales(to, operands))
    by = _STATED[node.op](to, node, operands)(scales)
    if by.bipolar:
        return replace(declared, format=by.format), node
    if scales.size > 1 or by.rounding not in ("ROUND", "HALF_EVEN"):
        return declared, None
    format = unsubtracted(by)
    # The format divides by a power of two, without a rounding error.
    scale, point = float(by.units.item()), by.zero * 2.0 ** -(by.frac or 0)
    return replace(declared, format=format, scale=scale, point=point), node


def _only_reader(name: str, graph: OnnxGraph) -> OnnxNode | None:
    readers = [node for node in graph.nodes if name in names_read(node)]
    if len(readers) != 1 or readers[0].inputs.count(name) != 1 or readers[0].inputs[0] != name:
        return None
    return None if name in {output.name for output in graph.outputs} else readers[0]


GREATEST_ZERO = 1 << 24
"""The least positive integer whose successor single precision cannot represent."""

_INTEGERS = re.compile("(U?)INT([0-9]+)|BIPOLAR")
"""A pattern of the annotations that correspond to the integers of a quantiser."""


def _numbers(to: Builder, inputs: Inputs, position: int, what: str) -> NDArray[Any]:
    value = needed(to, inputs, position)
    if not isinstance(value, Constant) or value.array.dtype.kind not in "fiu":
        raise to.error(f"its {what} must be a constant")
    if not np.isfinite(value.array).all():
        number = value.array[~np.isfinite(value.array)].flat[0]
        raise to.error(f"its {what} must be finite, got {number}: was the network calibrated?")
    return value.array


def _number(to: Builder, inputs: Inputs, position: int, what: str) -> float:
    numbers = _numbers(to, inputs, position, what)
    if numbers.size == 0 or (numbers != numbers.flat[0]).any():
        raise to.error(f"its {what} must be one number for all elements")
    return float(numbers.flat[0])


def _scales(to: Builder, inputs: Inputs, position: int = 1) -> NDArray[np.float32]:
    scales = _numbers(to, inputs, position, "scale").astype(np.float32)
    if not scales.size or scales.min() <= 0:
        raise to.error("scales must be positive numbers")
    return scales.reshape(()) if scales.size == 1 else scales


def _zero(to: Builder, inputs: Inputs, position: int) -> int:
    zero = _number(to, inputs, position, "zero point")
    if zero != int(zero) or abs(zero) >= GREATEST_ZERO:
        raise to.error(f"a zero point of {zero:g} is not supported, only integers below {GREATEST_ZERO}")
    return int(zero)


Make: TypeAlias = "Callable[[NDArray[np.float32]], Quantiser]"
"""A function that returns the quantiser for one scale, or for the scales of the channels."""


def _quant(to: Builder, node: OnnxNode, inputs: Inputs) -> Make:
    """Import Quant: `(round(clamp(x / scale + zero)) - zero) * scale`. With one signed bit, it is a BipolarQuant.
    Raises `InputError` for an unknown rounding mode.
    """
    zero, bits = _zero(to, inputs, 2), _number(to, inputs, 3, "number of bits")
    signed, narrow = bool(node.integer("signed", 1)), bool(node.integer("narrow", 0))
    rounding = node.text("rounding_mode", "ROUND").upper()
    if rounding not in ROUNDINGS:
        raise node.error(f"rounding_mode = {rounding} is not known, only {', '.join(ROUNDINGS)}")
    if bits == 1 and signed:
        return _signs(to, node, inputs)
    low, high = integer_limits(node, bits, signed=signed, narrow=narrow)
    return lambda scales: Quantiser(scales, low, high, zero, rounding)


def _signs(to: Builder, node: OnnxNode, inputs: Inputs) -> Make:
    """Import BipolarQuant: `scale` for x >= 0, else `-scale`."""
    return lambda scales: Quantiser(scales, -1, 1, bipolar=True)


def _of_bits(to: Builder, node: OnnxNode, inputs: Inputs) -> Make:
    low, high, bipolar = node.integer("low"), node.integer("high"), bool(node.integer("bipolar", 0))
    return lambda scales: Quantiser(scales, low, high, bipolar=bipolar)


_STATED: dict[str, Callable[[Builder, OnnxNode, Inputs], Make]] = {
    "Quant": _quant,
    "IntQuant": _quant,
    "BipolarQuant": _signs,
    QUANTISED: _of_bits,
}
"""The ops whose first two inputs are the numbers and the scales."""


@handles(*_STATED, domain=QONNX)
def stated(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    if node.integer(READ, 0):
        return _read(to, node, inputs)
    value, scales = needed(to, inputs, 0), _scales(to, inputs)
    if node.op == QUANTISED:
        scales = along(node, scales, value.shape)
    return quantised(to, value, scales, _STATED[node.op](to, node, inputs))


def _read(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    by = _STATED[node.op](to, node, inputs)(_one_scale(_scales(to, inputs)))
    tensor = to.numbers(needed(to, inputs, 0))
    assert isinstance(tensor, OrderedTensor)
    result = as_whole(tensor if by.bipolar else levels_of(to, tensor, by), by)
    # Without an op, the tensor is the input, which has its own name.
    return result if result.source.sums(to).value is tensor.value else named(to, result)


@handles(INTEGERS, domain=QONNX)
def integers(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import a constant that a QCDQ file stores as integers with scales and a zero point."""
    value = _numbers(to, inputs, 0, "integers").astype(np.int64) - node.integer("zero")
    limits = node.integer("low"), node.integer("high")
    if max(-limits[0], limits[1]) >= 1 << MAX_BITS:
        limits = int(value.min(initial=0)), int(value.max(initial=0))
    return WholeConstant.of(np.clip(value, *limits), along(node, _scales(to, inputs), value.shape), limits)


def along(node: OnnxNode, scales: NDArray[np.float32], shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Reshape scales, one per position along the node's `axis`, so that they broadcast to `shape`. Raises
    `InputError` if the number of scales differs from the extent of the axis.
    """
    if scales.size == 1:
        return scales.reshape(())
    axis = axis_of(node, node.integer("axis"), len(shape))
    if scales.shape != (shape[axis],):
        raise node.error(f"{scales.size} scales do not fit axis {axis} of shape {list(shape)}")
    return scales.reshape(-1, *(1,) * (len(shape) - axis - 1))


@handles("MultiThreshold", domain=QONNX)
def multi_threshold(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import MultiThreshold. For each channel, it computes `out_scale * n + out_bias`, where n is the number of
    thresholds that are at most x. Raises `InputError` for an input that does not consist of integers, and for
    thresholds or outputs that are not supported.
    """
    value = needed(to, inputs, 0)
    thresholds = _numbers(to, inputs, 1, "thresholds").astype(np.float32)
    if thresholds.ndim != 2 or not thresholds.size:
        raise node.error(f"expected thresholds of shape (channels, any), got {list(thresholds.shape)}")
    thresholds = np.sort(thresholds, 1)
    scale, bias = node.number("out_scale", 1.0), node.number("out_bias", 0.0)
    if not 0 < scale < np.inf or not abs(bias / scale) < GREATEST_ZERO:
        raise node.error(f"out_scale = {scale:g} and out_bias = {bias:g} are not supported")
    rank = len(value.shape)
    layout = node.text("data_layout", "") or {3: "NWC"}.get(rank, "NCHW")
    axis = layout.index("C") if "C" in layout else 1
    if not isinstance(value, Whole):
        raise node.error("expected integers: let a quantiser precede it")
    channels = value.shape[axis : axis + 1]
    if thresholds.shape[0] > 1 and (thresholds.shape[:1] != channels or value.source.axis != axis):
        raise node.error(f"thresholds {list(thresholds.shape)} do not fit axis {axis} of shape {list(value.shape)}")
    count, first = thresholds.shape[1], bias / scale
    if count == 1 and first == -0.5:
        by = Comparisons(np.array([scale / 2], np.float32), -1, 1, bipolar=True, thresholds=thresholds)
    elif first == int(first):
        by = Comparisons(np.array([scale], np.float32), int(first), int(first) + count, thresholds=thresholds)
    else:
        raise node.error(f"out_bias = {bias:g} is no multiple of out_scale = {scale:g}")
    return named(to, value.quantised(to, by))


@handles(SHIFT, domain=QONNX)
def requant_shift(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    return named(to, shifted(to, node, inputs))


@handles("Trunc", domain=QONNX)
def trunc(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import Trunc, which drops the low bits of integers. Both versions of the op are supported; the first has five
    inputs. Raises `InputError` for an input that does not consist of integers of one scale, and for parameters that
    are not supported.
    """
    scales, zero = _scales(to, inputs), _zero(to, inputs, 2)
    rounding = node.text("rounding_mode", "FLOOR").upper()
    bits = _number(to, inputs, 3, "number of bits")
    if rounding not in ROUNDINGS:
        raise node.error(f"rounding_mode = {rounding} is not known, only {', '.join(ROUNDINGS)}")
    value = needed(to, inputs, 0)
    if not isinstance(value, Whole) or scales.size > 1:
        raise node.error("expected integers of one scale: let a quantiser precede it")
    if len(inputs) > 5:
        results = _scales(to, inputs, 4)
        divisor = 2.0 ** round(float(np.log2(results.item() / scales.item())))
        signed, narrow = bool(node.integer("signed", 1)), bool(node.integer("narrow", 0))
        low, high = integer_limits(node, _number(to, inputs, 5, "number of bits"), signed=signed, narrow=narrow)
        if zero % divisor:
            raise node.error(f"a zero point of {zero} is no multiple of {divisor:g}")
        by = Truncation(scales.ravel(), low, high, zero, rounding, False, divisor, int(zero // divisor), results.item())
        return named(to, value.quantised(to, by))
    dropped = bits - _number(to, inputs, 4, "number of bits")
    if abs(dropped) > MAX_BITS:
        raise node.error(f"{dropped:g} dropped bits are not supported, only up to {MAX_BITS}")
    divisor = 2.0**dropped
    open_ = Truncation(scales.ravel(), -(1 << 30), 1 << 30, zero, rounding, False, divisor, zero, scales.item())
    ends = open_.levels(value.reals(value.ends), open_.scales) + zero
    return named(to, value.quantised(to, replace(open_, low=int(ends.min()), high=int(ends.max()))))


def _one_scale(scales: NDArray[np.float32]) -> NDArray[np.float32]:
    return scales.ravel() if (scales != scales.flat[0]).any() else scales.ravel()[:1]


def quantised(to: Builder, value: Value, scales: NDArray[np.float32], make: Make) -> Value:
    """The result of a quantiser applied to a constant, to integers or to reals. Raises `InputError` for several scales
    of computed numbers, and for scales that do not broadcast to the numbers.
    """
    value = value if isinstance(value, Whole) else to.numbers(value)
    if isinstance(value, Constant):
        by = make(scales.ravel())
        reals = value.array.astype(np.float32)
        try:
            spread = np.broadcast_to(scales, reals.shape)
        except ValueError:
            raise to.error(f"scales {list(scales.shape)} do not fit numbers {list(reals.shape)}") from None
        return WholeConstant.of(by.integers(reals, spread), spread, by.limits, bipolar=by.bipolar, name=value.name)
    by = make(_one_scale(scales))
    if by.scales.size > 1:
        raise to.error("several scales of computed numbers are not supported, only of constants")
    if isinstance(value, Whole):
        return named(to, value.quantised(to, by))
    return named(to, as_whole(quantised_reals(to, value, by), by))


def named(to: Builder, result: Whole) -> Whole:
    """Name the tensor of a quantiser's result as in the model, and return the result. A stack of matrices remains
    unnamed, since its matrices are not yet joined to one tensor.
    """
    if isinstance(result.source, Stack):
        return result
    name = to.node.outputs[0]
    # The exporter of PyTorch names values by numbers.
    hint(result.source.sums(to).value, name if identifier(name) else f"levels{name}")
    return result

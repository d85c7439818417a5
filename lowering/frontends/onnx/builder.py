"""The shared parts of node handlers: the values of a model during import, the builder of ops, and the table of
handlers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.dialects.builtin import LocationAttr, TensorType
from xdsl.ir import Attribute, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.dialects.tdsl import Shape
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, OrderedTensor, Parameter
from tinyml.lowering.frontends.onnx.graph import OnnxGraph, OnnxNode

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Constant:
    """An array that is known during import.

    name: the name in the model; may be empty.
    raws, format: for numbers that were dequantised, the quantised raws and their format.
    axis: for several scales, the axis of `raws` along which the scale varies.
    """

    array: NDArray[Any]
    name: str = ""
    raws: NDArray[Any] | None = None
    format: NumberFormat | None = None
    axis: int = 0

    @property
    def shape(self) -> Shape:
        return self.array.shape

    @property
    def scales(self) -> int:
        return 1 if self.format is None else len(getattr(self.format, "scale_values", (1,)))


@dataclass(frozen=True)
class Comparison:
    """A tensor of truth values: `tensor >= threshold` for each element, or the negation of this comparison."""

    tensor: OrderedTensor
    threshold: float
    negated: bool

    @property
    def shape(self) -> Shape:
        return self.tensor.shape

    @property
    def opposite(self) -> Comparison:
        return Comparison(self.tensor, self.threshold, not self.negated)


@dataclass(frozen=True)
class Indicator:
    """A tensor whose element is 1 where all its comparisons are true, and 0 elsewhere."""

    comparisons: Sequence[Comparison]

    @property
    def shape(self) -> Shape:
        return self.comparisons[0].shape


@dataclass(frozen=True)
class Label:
    """The index of the greatest element of a tensor. Later nodes may only reshape the index or look up its class label.

    value: the index, a value of type `index`.
    shape: the shape that the model gives the index.
    classes: the label of each class, once a node has looked it up.
    """

    value: SSAValue
    shape: Shape
    classes: tuple[str | int, ...] = ()


class Followed(ABC):
    """A value that an extension defines. The extension also imports the nodes that read the value."""

    @abstractmethod
    def read_by(self, to: Builder, node: OnnxNode, inputs: Inputs) -> Value | None:
        """The output of a node that reads this value; None to import the node by its usual handler."""


class Deferred(Followed):
    """A value, defined by an extension, whose ops are emitted only when a node needs them."""

    @property
    @abstractmethod
    def shape(self) -> Shape: ...

    @abstractmethod
    def emitted(self, to: Builder) -> OrderedTensor:
        """Emit this value as a tensor on reals, for nodes that the extension does not import."""

    def returned(self, to: Builder) -> OrderedTensor:
        """Emit this value as an output of the program: a tensor on reals, or in a format that represents the
        same numbers.
        """
        return self.emitted(to)


Value: TypeAlias = Constant | OrderedTensor | Comparison | Indicator | Label | Deferred


class Builder(ModelBuilder):
    """A builder that appends ops for the current `node`. Errors name this node.

    element: the element type in which the node computes on quantised operands; None if it computes on reals.
    classes: the class labels that a map of scores names; empty without such a map.
    """

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.node = OnnxNode("graph", "", 0, "", (), (), {}, file)
        self.element: Attribute | None = None
        self.classes: tuple[str | int, ...] = ()
        self._computed = 0
        self._arrays: dict[int, NDArray[Any]] = {}

    @property
    def location(self) -> LocationAttr:
        return self.node.location

    def error(self, message: str) -> InputError:
        return self.node.error(message)

    def count(self, elements: int) -> None:
        self._computed += elements
        if self._computed > (limit := ELEMENT_LIMIT.get()):
            raise self.error(f"constants of more than {limit} elements are computed; --max-elements raises the limit")

    def parameter_of(self, value: Constant) -> Parameter:
        """Convert a constant to a parameter, in the constant's quantised format if the node computes in formats. Raises
        `InputError` for a constant that does not consist of numbers.

        All uses of a constant on reals have the same key, and hence one constant of the program.
        """
        if value.raws is not None and value.format is not None and self.element is not None:
            return Parameter(value.raws, value.format, value.name)
        array = value.array
        if array.dtype.kind not in "fiu":
            raise self.error(f"expected numbers, got a constant of {array.dtype}")
        # The reference keeps the array alive, so that no other array reuses its id.
        self._arrays[id(array)] = array
        with np.errstate(over="ignore"):
            return Parameter(np.asarray(array, np.float32), F32_FORMAT, value.name, (id(array),))

    def constant(self, value: Constant) -> SSAValue:
        return self.parameter(self.parameter_of(value))

    def operand(self, value: Value) -> OrderedTensor | Parameter:
        """Convert a value to an operand of a layer: a constant to a parameter, any other value to a tensor."""
        value = self.numbers(value)
        return self.parameter_of(value) if isinstance(value, Constant) else value

    def fill(self, value: float, shape: Shape) -> SSAValue:
        return self.op(tdsl.FillOp, value, TensorType(F32_FORMAT.type, shape))

    def numbers(self, value: Value) -> OrderedTensor | Constant:
        """Convert a value to a tensor or constant of numbers. An indicator is materialised as zeros and ones."""
        match value:
            case OrderedTensor() | Constant():
                return value
            case Deferred():
                return value.emitted(self)
            case Indicator(comparisons=comparisons):
                self.single(value.shape)
                one = self.fill(1.0, value.shape)
                return OrderedTensor.plain(self.choose(comparisons, one, self.fill(0.0, value.shape)))
            case Comparison():
                raise self.error("the result of a comparison is used as a number: expected a Cast")
            case Label():
                raise self.error("the result of ArgMax is used by another node, which is not supported")

    def stored(self, value: Value) -> OrderedTensor:
        """Convert a value to a tensor in its current order of axes."""
        value = self.numbers(value)
        return value if isinstance(value, OrderedTensor) else OrderedTensor.plain(self.tensor(value))

    def real(self, value: Value) -> Value:
        """Convert a value to reals; quantised tensors are dequantised."""
        if isinstance(value, OrderedTensor) and value.is_quantised:
            return OrderedTensor(self.requantised(value.value, F32_FORMAT.type), value.order)
        return value

    def tensor(self, value: Value) -> SSAValue:
        """Convert a value to a tensor in the model's order of axes."""
        value = self.numbers(value)
        return self.constant(value) if isinstance(value, Constant) else self.plain(value)

    def ordered(self, value: OrderedTensor | Constant, order: tuple[int, ...]) -> SSAValue:
        """Transpose a tensor or constant to the axis order `order`, which refers to the model's axes."""
        if isinstance(value, Constant):
            return self.parameter(self.parameter_of(value).transposed(order))
        return self.reordered(value, order)

    def single(self, shape: Shape) -> None:
        if prod(shape) != 1:
            raise self.error(f"comparisons are supported for single elements only, got shape {list(shape)}")

    def choose(self, comparisons: Sequence[Comparison], if_true: SSAValue, if_false: SSAValue) -> SSAValue:
        """Emit a selection: `if_true` if all comparisons hold, else `if_false`. Each comparison has a single
        element.
        """
        for comparison in comparisons:
            self.single(comparison.shape)
            decision = self.emit(tdsl.AtLeastOp, self.tensor(comparison.tensor), comparison.threshold).result
            branches = (if_false, if_true) if comparison.negated else (if_true, if_false)
            if_true = self.op(tdsl.SelectOp, decision, *branches)
        return if_true


Inputs: TypeAlias = Sequence["Value | None"]
"""The values of a node's inputs; None for an omitted input."""

RunGraph: TypeAlias = Callable[[OnnxGraph, Sequence[Value]], Sequence[Value]]
"""A function that imports the inner graph of a node, and maps its input values to its output values."""

Handler: TypeAlias = Callable[[Builder, OnnxNode, Inputs], "Value | Sequence[Value]"]
"""A function that emits the ops of a node and returns its outputs, at most as many as the node names."""

LoopHandler: TypeAlias = Callable[[Builder, OnnxNode, Inputs, RunGraph], Sequence[Value]]

SpecialCase: TypeAlias = Callable[[Builder, OnnxNode, Inputs], "Value | None"]
"""A handler for some operands of an op: returns the output of the node, or None for other operands."""

HANDLERS: dict[tuple[str, str], Handler] = {}
SPECIAL_CASES: dict[str, SpecialCase] = {}
LOOPS: dict[str, LoopHandler] = {}


def handles(*ops: str, domain: str = "") -> Callable[[Handler], Handler]:
    """A decorator that registers a function as the handler of the ops `ops` of a domain."""

    def register(handler: Handler) -> Handler:
        HANDLERS.update({(domain, op): handler for op in ops})
        return handler

    return register


def special_case(*ops: str) -> Callable[[SpecialCase], SpecialCase]:
    """A decorator that registers a handler for special cases of some ops. The importer tries this handler before the
    usual handlers of the ops.
    """

    def register(case: SpecialCase) -> SpecialCase:
        SPECIAL_CASES.update(dict.fromkeys(ops, case))
        return case

    return register


def handles_loop(op: str) -> Callable[[LoopHandler], LoopHandler]:
    """A decorator that registers the handler of an op that contains an inner graph."""

    def register(handler: LoopHandler) -> LoopHandler:
        LOOPS[op] = handler
        return handler

    return register


def needed(to: Builder, inputs: Inputs, position: int) -> Value:
    """The input at a position. Raises `InputError` if it is omitted."""
    if position >= len(inputs) or (value := inputs[position]) is None:
        raise to.error(f"needs {position + 1} inputs")
    return value


def optional(inputs: Inputs, position: int) -> Value | None:
    return inputs[position] if position < len(inputs) else None

"""tdsl ops for the nodes of a model, with errors at the node that is being imported."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import LocationAttr, TensorType, UnknownLoc
from xdsl.ir import Attribute, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.dialects.locations import named
from tinyml.dialects.tdsl import Shape
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.layers.ordered_tensor import OrderedTensor
from tinyml.lowering.frontends.layers.parameter import Parameter
from tinyml.lowering.frontends.onnx.building.values import Comparison, Constant, Indicator, Label, Value
from tinyml.lowering.frontends.onnx.model.graph import OnnxNode

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Builder(ModelBuilder):
    """Appends ops for `node`.

    element: the type of the elements that the node computes from quantised ones; None where it computes with reals.
    classes: the labels of classes that a map of scores names; empty without one.
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
        return named(UnknownLoc(), self.node.name)

    def error(self, message: str) -> InputError:
        return self.node.error(message)

    def count(self, elements: int) -> None:
        """Refuse a model that computes more constants than a module may have."""
        self._computed += elements
        if self._computed > (limit := ELEMENT_LIMIT.get()):
            raise self.error(f"constants of more than {limit} elements are computed; --max-elements raises the limit")

    def parameter_of(self, value: Constant) -> Parameter:
        """A constant in its own format where the node computes in formats, else its reals; one parameter per array."""
        if value.raws is not None and value.format is not None and self.element is not None:
            return Parameter(value.raws, value.format, value.name)
        array = value.array
        if array.dtype.kind not in "fiu":
            raise self.error(f"expected numbers, got a constant of {array.dtype}")
        # The array is kept alive so that no other array gets its identity.
        self._arrays[id(array)] = array
        with np.errstate(over="ignore"):
            return Parameter(np.asarray(array, np.float32), F32_FORMAT, value.name, (id(array),))

    def constant(self, value: Constant) -> SSAValue:
        """The constant of the program for a constant of the model."""
        return self.parameter(self.parameter_of(value))

    def operand(self, value: Value) -> OrderedTensor | Parameter:
        """A value as an operand of layers."""
        value = self.numbers(value)
        return self.parameter_of(value) if isinstance(value, Constant) else value

    def fill(self, value: float, shape: Shape) -> SSAValue:
        return self.op(tdsl.FillOp, value, TensorType(F32_FORMAT.type, shape))

    def numbers(self, value: Value) -> OrderedTensor | Constant:
        """A value as a tensor or constant of numbers; an indicator becomes 0 or 1."""
        match value:
            case OrderedTensor() | Constant():
                return value
            case Indicator(comparisons=comparisons):
                self.single(value.shape)
                one = self.fill(1.0, value.shape)
                return OrderedTensor.plain(self.choose(comparisons, one, self.fill(0.0, value.shape)))
            case Comparison():
                raise self.error("the result of a comparison is used as a number: expected a Cast")
            case Label():
                raise self.error("the result of ArgMax is used by another node, which is not supported")

    def stored(self, value: Value) -> OrderedTensor:
        """A value as a tensor, in its present order of axes."""
        value = self.numbers(value)
        return value if isinstance(value, OrderedTensor) else OrderedTensor.plain(self.tensor(value))

    def real(self, value: Value) -> Value:
        """A value as reals: without the format of quantised numbers."""
        if isinstance(value, OrderedTensor) and value.is_quantised:
            return OrderedTensor(self.requantised(value.value, F32_FORMAT.type), value.order)
        return value

    def tensor(self, value: Value) -> SSAValue:
        """A value as a tensor with axes in the model's order."""
        value = self.numbers(value)
        return self.constant(value) if isinstance(value, Constant) else self.plain(value)

    def ordered(self, value: OrderedTensor | Constant, order: tuple[int, ...]) -> SSAValue:
        """A tensor with its axes in some order."""
        if isinstance(value, Constant):
            return self.parameter(self.parameter_of(value).transposed(order))
        return self.reordered(value, order)

    def single(self, shape: Shape) -> None:
        if prod(shape) != 1:
            raise self.error(f"comparisons are supported for single elements only, got shape {list(shape)}")

    def choose(self, comparisons: Sequence[Comparison], if_true: SSAValue, if_false: SSAValue) -> SSAValue:
        """`if_true` where all comparisons of single elements hold, else `if_false`."""
        for comparison in comparisons:
            self.single(comparison.shape)
            decision = self.emit(tdsl.AtLeastOp, self.tensor(comparison.tensor), comparison.threshold).result
            branches = (if_false, if_true) if comparison.negated else (if_true, if_false)
            if_true = self.op(tdsl.SelectOp, decision, *branches)
        return if_true

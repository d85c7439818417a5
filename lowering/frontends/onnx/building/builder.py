"""tdsl ops for the nodes of a model, with errors at the node that is being imported."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, TensorType, UnknownLoc
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.dialects.locations import named
from tinyml.dialects.tdsl import Shape, shape_of
from tinyml.lowering.frontends.onnx.building.values import Comparison, Constant, Indicator, Label, Tensor, Value
from tinyml.lowering.frontends.onnx.model.graph import Node

if TYPE_CHECKING:
    from numpy.typing import NDArray

P = ParamSpec("P")
Op = TypeVar("Op", bound=Operation)


class Builder:
    """Appends ops to `block` for `node`; constants go to `entry`, the block of the function.

    element: the type of the elements that the node computes from quantised ones; None where it computes with reals.
    """

    def __init__(self) -> None:
        self.entry = self.block = Block()
        self.node = Node("graph", "", 0, "", (), (), {}, "")
        self.element: Attribute | None = None
        self._computed = 0
        self._constants: dict[tuple[int, str], tuple[NDArray[Any], SSAValue]] = {}

    def error(self, message: str) -> Exception:
        return self.node.error(message)

    def emit(self, make: Callable[P, Op], *args: P.args, **kwargs: P.kwargs) -> Op:
        """Build, verify and append an op."""
        op = self._made(make, *args, **kwargs)
        self.block.add_op(op)
        return op

    def _made(self, make: Callable[P, Op], *args: P.args, **kwargs: P.kwargs) -> Op:
        try:
            op = make(*args, **kwargs)
            op.verify_()
        except VerifyException as error:
            raise self.error(str(error)) from error
        for result in op.results:
            if isinstance(result.type, TensorType):
                self.check_shape(shape_of(result))
        op.location = named(UnknownLoc(), self.node.name)
        return op

    def check_shape(self, shape: Sequence[int]) -> None:
        """Refuse empty axes and tensors beyond the limit on elements."""
        if min(shape, default=1) < 1:
            raise self.error(f"every axis has at least one element, got shape {list(shape)}")
        if prod(shape) > (limit := ELEMENT_LIMIT.get()):
            raise self.error(f"shape {list(shape)} has more than {limit} elements; --max-elements raises the limit")

    def count(self, elements: int) -> None:
        """Refuse a model that computes more constants than a module may have."""
        self._computed += elements
        if self._computed > (limit := ELEMENT_LIMIT.get()):
            raise self.error(f"constants of more than {limit} elements are computed; --max-elements raises the limit")

    def op(self, make: Callable[P, tdsl.TensorOp], *args: P.args, **kwargs: P.kwargs) -> SSAValue:
        """Emit an op with one tensor result and return that."""
        return self.emit(make, *args, **kwargs).out

    def index(self, value: int) -> SSAValue:
        return self.emit(arith.ConstantOp.from_int_and_width, value, IndexType()).result

    def constant(
        self, value: Constant, purpose: str = "", made: Callable[[NDArray[Any]], NDArray[Any]] | None = None
    ) -> SSAValue:
        """A parameter, the reals of a constant, or what `made` makes of them; one for each purpose of a constant."""
        if value.raws is not None and value.format is not None and self.element is not None:
            return self.parameter(value.raws if made is None else made(value.raws), value.format, value.name)
        array = value.array
        if array.dtype.kind not in "fiu":
            raise self.error(f"expected numbers, got a constant of {array.dtype}")
        key = id(array), purpose
        if key not in self._constants:
            self.check_shape(array.shape)
            with np.errstate(over="ignore"):
                reals = np.asarray(array, np.float32)
            if made is not None:
                reals = made(reals)
            if not np.isfinite(reals).all():
                raise self.error("a constant holds NaN, infinity or more than a 32-bit float can hold")
            op = self._made(tdsl.ConstOp, reals, F32_FORMAT)
            hint(op.result, value.name)
            self.entry.add_op(op)
            # The array is kept, so that no other one gets its identity.
            self._constants[key] = array, op.result
        return self._constants[key][1]

    def parameter(self, raws: NDArray[Any], format: NumberFormat, name: str) -> SSAValue:
        """A parameter of raws in a format."""
        self.check_shape(raws.shape)
        op = self._made(tdsl.ConstOp, np.ascontiguousarray(raws), format)
        hint(op.result, name)
        self.entry.add_op(op)
        return op.result

    def fill(self, value: float, shape: Shape) -> SSAValue:
        return self.op(tdsl.FillOp, value, TensorType(F32_FORMAT.type, shape))

    def numbers(self, value: Value) -> Tensor | Constant:
        """A value that is a tensor of numbers, or becomes one."""
        match value:
            case Tensor() | Constant():
                return value
            case Indicator(comparisons=comparisons):
                self.single(value.shape)
                one = self.fill(1.0, value.shape)
                return Tensor.plain(self.choose(comparisons, one, self.fill(0.0, value.shape)))
            case Comparison():
                raise self.error("the result of a comparison is used as a number: expected a Cast")
            case Label():
                raise self.error("the result of ArgMax is used by another node, which is not supported")

    def stored(self, value: Value) -> Tensor:
        """A value as a tensor, in the order in which it is."""
        value = self.numbers(value)
        return value if isinstance(value, Tensor) else Tensor.plain(self.tensor(value))

    def real(self, value: Value) -> Value:
        """A value without the format of quantised numbers."""
        if isinstance(value, Tensor) and value.is_quantised:
            return Tensor(self.op(tdsl.CastOp, value.value, F32_FORMAT.type), value.order)
        return value

    def tensor(self, value: Value) -> SSAValue:
        """A value as a tensor with axes in the model's order."""
        value = self.numbers(value)
        if isinstance(value, Constant):
            return self.constant(value)
        return self.ordered(value, tuple(range(len(value.order))))

    def ordered(self, value: Tensor | Constant, order: tuple[int, ...]) -> SSAValue:
        """A tensor with its axes in some order."""
        if isinstance(value, Constant):
            if list(order) == sorted(order):
                return self.constant(value)
            return self.constant(value, f"in {order}", lambda array: array.transpose(order))
        if value.order == order:
            return value.value
        return self.op(tdsl.TransposeOp, value.value, [value.order.index(axis) for axis in order])

    def reshape(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        return value if shape_of(value) == tuple(shape) else self.op(tdsl.ReshapeOp, value, tuple(shape))

    def part(
        self, value: SSAValue, offsets: Sequence[int], sizes: Sequence[int], steps: Sequence[int] | None = None
    ) -> SSAValue:
        """A slice at constant offsets; steps: the distance of elements along each axis."""
        if shape_of(value) == tuple(sizes) and (steps is None or all(step == 1 for step in steps)):
            return value
        self.check_shape(sizes)
        return self.op(tdsl.SliceOp, value, [self.index(offset) for offset in offsets], tuple(sizes), steps)

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


def hint(value: SSAValue, name: str) -> None:
    """Name a value after a name of the model."""
    value.name_hint = identifier(name) or None


def identifier(name: str) -> str:
    """A name of the model as an identifier of the IR; empty if it has no letter."""
    parts = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")
    if not parts.strip("_0123456789"):
        return ""
    return f"v{parts}" if parts[0].isdigit() else parts

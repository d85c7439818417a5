"""The builder that appends a frontend's ops to a function, and the classes of the operands of these ops.

A `Parameter` is a constant of the model, on reals or quantised. Views of one array become one constant. An
`OrderedTensor` is a tensor of the program together with the order in which the program stores the axes of the model's
tensor. Letters name the axes: N (samples), H, W and C (height, width and channels of an image), L (steps of a
sequence). Programs store images as NHWC and sequences as NLC.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Hashable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    IndexType,
    LocationAttr,
    ModuleOp,
    TensorType,
    f32,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.dialects.locations import file_location, in_layer
from tinyml.dialects.tdsl import Shape, format_of, shape_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.lowering.frontends.layers.thresholds import Scaling


@dataclass(frozen=True, eq=False)
class Parameter:
    """A constant of a model, as raws in a format. Constants on reals store floats in `F32_FORMAT`.

    name: the constant's name in the model; may be empty.
    key: parameters with equal keys become one constant of the program. A parameter whose key is None becomes a new
        constant at each use.
    """

    raws: NDArray[Any]
    format: NumberFormat = F32_FORMAT
    name: str = ""
    key: tuple[Hashable, ...] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.raws.shape

    def transposed(self, axes: Sequence[int]) -> Parameter:
        """The parameter with permuted axes, as by `numpy.transpose`."""
        if list(axes) == sorted(axes):
            return self
        return self.arranged(self.raws.transpose(axes), "transposed", *axes)

    def reshaped(self, shape: Sequence[int]) -> Parameter:
        return self if self.shape == tuple(shape) else self.arranged(self.raws.reshape(shape), "reshaped", *shape)

    def arranged(self, raws: NDArray[Any], *how: Hashable) -> Parameter:
        """A parameter with the same name and format, and with rearranged raws.

        raws: the rearranged raws.
        how: values that identify the rearrangement; they become part of the key.
        """
        return replace(self, raws=raws, key=None if self.key is None else (*self.key, *how))


def reals(numbers: NDArray[Any]) -> Parameter:
    """A parameter of reals, from numbers that are rounded to single precision."""
    with np.errstate(over="ignore"):
        return Parameter(np.ascontiguousarray(numbers, np.float32))


UNSIGNED_ZERO = 128
"""The offset between unsigned and signed 8-bit raws of the same real."""


def signed(raws: NDArray[Any]) -> NDArray[Any]:
    """Convert raws to the representation that programs use, in which 8-bit raws are signed."""
    return (raws.astype(np.int16) - UNSIGNED_ZERO).astype(np.int8) if raws.dtype == np.uint8 else raws


def start_format(weights: NumberFormat, x: NumberFormat) -> NumberFormat:
    """The format of the initial value of a sum of products. Its scale is the scale of a product of `weights` and
    `x`.
    """
    return x.accumulator(weights, x, None).start_format(weights)


def start_parameter(bias: NDArray[Any], weights: NumberFormat, x: NumberFormat, name: str = "") -> Parameter:
    """Convert a bias to the initial values of sums of quantised products.

    bias: a number per output, as reals or as raws at the scale of the products.
    weights, x: the formats of the two factors of a product.
    """
    format = start_format(weights, x)
    raws = format.encode(bias.astype(np.float64)) if bias.dtype.kind == "f" else bias.astype(format.dtype)
    return Parameter(raws.ravel(), format, name)


STORED = "NHWLC"
"""The order in which programs store the axes of images and sequences."""


@dataclass(frozen=True)
class OrderedTensor:
    """A tensor of the program. Axis `i` of `value` is axis `order[i]` of the model's tensor.

    For an image that the model stores as NCHW, the order is (0, 2, 3, 1).
    """

    value: SSAValue
    order: tuple[int, ...]

    @classmethod
    def plain(cls, value: SSAValue) -> OrderedTensor:
        """The tensor `value`, whose axes are in the model's order."""
        return cls(value, tuple(range(len(shape_of(value)))))

    @property
    def is_plain(self) -> bool:
        """Whether the axes are in the model's order."""
        return list(self.order) == sorted(self.order)

    @property
    def is_quantised(self) -> bool:
        """Whether the elements are raws of a format other than reals."""
        return format_of(self.value).type != f32

    @property
    def shape(self) -> Shape:
        """The extents of the tensor, in the order of the model's axes."""
        stored = shape_of(self.value)
        return tuple(stored[self.order.index(axis)] for axis in range(len(stored)))


def stored_order(axes: str) -> tuple[int, ...]:
    """The axis order in which programs store images or sequences of a model, such as (0, 2, 3, 1) for `NCHW`."""
    return permutation(axes, "".join(axis for axis in STORED if axis in axes))


def permutation(source: str, target: str) -> tuple[int, ...]:
    """The permutation that transposes axes from the order `source` to the order `target`."""
    return tuple(map(source.index, target))


P = ParamSpec("P")
Op = TypeVar("Op", bound=Operation)


DeclaredPart: TypeAlias = tuple[str, int] | tuple[str, int, Attribute]
"""The name and the length of one of several inputs of a model. The element type follows if those of the inputs differ.
"""


class ModelBuilder:
    """A builder that appends ops to `block`, and constants to `entry`, the first block of the function.

    Every op is verified when it is appended. Errors name the file and the current layer. Frontends with more
    precise locations override `location` and `error`.

    scalings: for each row of scaled features, the steps by which the training library computes the row. Thresholds of
        trees are converted by these steps.
    """

    def __init__(self, file: str):
        self.file = file
        self.entry = self.block = Block()
        self.layer = ""
        self.scalings: dict[SSAValue, Scaling] = {}
        self._constants: dict[Hashable, SSAValue] = {}
        self._stored: tdsl.StoredExamples | None = None

    @property
    def location(self) -> LocationAttr:
        """The location of the ops that are being appended."""
        return in_layer(file_location(self.file), self.layer)

    def error(self, message: str) -> InputError:
        """An error that names the layer being imported."""
        return InputError(f"{self.layer}: {message}" if self.layer else message, file=self.file)

    @contextmanager
    def importing(self, layer: str) -> Generator[None]:
        """A context for the import of a layer. Errors name the layer; a `VerifyException` becomes an `InputError`."""
        around, self.layer = self.layer, layer
        try:
            yield
        except VerifyException as error:
            raise self.error(str(error)) from error
        finally:
            self.layer = around

    def argument(self, type: TensorType, name: str) -> SSAValue:
        """Append an argument with the name hint `name` to the function, and return it."""
        self.check_shape(type.get_shape())
        value = self.entry.insert_arg(type, len(self.entry.args))
        hint(value, name)
        return value

    def module(self, results: Sequence[SSAValue]) -> ModuleOp:
        """Append the return of `results`, and return a module with the function, which is named after the file."""
        end = func.ReturnOp(*results)
        self.entry.add_op(end)
        types = self.entry.arg_types, [result.type for result in results]
        function = func.FuncOp(function_name(self.file), types, Region(self.entry))
        function.location = file_location(self.file)
        last = results[-1].owner
        end.location = last.location if isinstance(last, Operation) else function.location
        module = ModuleOp([function])
        if self._stored is not None:
            tdsl.update_interface(module, stored=self._stored)
        if any(map(tdsl.follows_missing, module.walk())):
            tdsl.update_input(module, missing=True)
        return module

    def stores(self, count: int, what: str, smaller: str) -> None:
        """Record the number of parts that training determines, such as support vectors, for advice on model size
        (`StoredExamples`). Numbers of one kind of part are added up. Only the kind with the most parts is recorded.

        count: the number of parts.
        what: the plural noun for the parts.
        smaller: advice on reducing their number.
        """
        known = self._stored
        if known is not None and known.what == what:
            count += known.number
        if known is None or known.what == what or known.number < count:
            self._stored = tdsl.StoredExamples(count, what, smaller)

    def made(self, make: Callable[P, Op], *args: P.args, **kwargs: P.kwargs) -> Op:
        """Build and verify the op `make(*args, **kwargs)` without appending it, and return it."""
        try:
            op = make(*args, **kwargs)
            op.verify_()
        except VerifyException as error:
            raise self.error(str(error)) from error
        for result in op.results:
            if isinstance(result.type, TensorType):
                self.check_shape(shape_of(result))
        op.location = self.location
        return op

    def emit(self, make: Callable[P, Op], *args: P.args, **kwargs: P.kwargs) -> Op:
        """Build, verify and append the op `make(*args, **kwargs)`, and return it."""
        op = self.made(make, *args, **kwargs)
        self.block.add_op(op)
        return op

    def op(self, make: Callable[P, tdsl.TensorOp], *args: P.args, **kwargs: P.kwargs) -> SSAValue:
        """Emit the op `make(*args, **kwargs)`, and return its single tensor result."""
        return self.emit(make, *args, **kwargs).out

    def check_shape(self, shape: Sequence[int]) -> None:
        """Raise `InputError` for empty axes and for tensors beyond the limit on elements."""
        if min(shape, default=1) < 1:
            raise self.error(f"every axis has at least one element, got shape {list(shape)}")
        if prod(shape) > (limit := ELEMENT_LIMIT.get()):
            raise self.error(f"shape {list(shape)} has more than {limit} elements; --max-elements raises the limit")

    def index(self, value: int) -> SSAValue:
        """Emit the constant `value` of type `index`."""
        return self.emit(arith.ConstantOp.from_int_and_width, value, IndexType()).result

    def parameter(self, parameter: Parameter) -> SSAValue:
        """The constant of the function for a parameter. Parameters with equal keys share one constant. Raises
        `InputError` for reals that are not finite in single precision.
        """
        key = parameter.key
        if key is not None and key in self._constants:
            return self._constants[key]
        self.check_shape(parameter.shape)
        if parameter.raws.dtype.kind == "f" and not np.isfinite(parameter.raws).all():
            raise self.error("a constant holds NaN, infinity or more than a 32-bit float can hold")
        op = self.made(tdsl.ConstOp, parameter.raws, parameter.format)
        hint(op.result, parameter.name)
        self.entry.add_op(op)
        if key is not None:
            self._constants[key] = op.result
        return op.result

    def reshape(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """Reshape a value, and return the result. A value that already has the shape is returned unchanged."""
        return value if shape_of(value) == tuple(shape) else self.op(tdsl.ReshapeOp, value, tuple(shape))

    def requantised(self, value: SSAValue, element: Attribute | None) -> SSAValue:
        """Round a value to an element type, and return it. A value that already has this type is unchanged.

        element: the element type; None to leave the value unchanged.
        """
        return value if element in (None, tdsl.format_of(value).type) else self.op(tdsl.CastOp, value, element)

    def part(
        self, value: SSAValue, offsets: Sequence[int], sizes: Sequence[int], steps: Sequence[int] | None = None
    ) -> SSAValue:
        """Emit a slice with the extents `sizes` at constant offsets.

        steps: the stride along each axis, by default 1.
        """
        if shape_of(value) == tuple(sizes) and (steps is None or all(step == 1 for step in steps)):
            return value
        self.check_shape(sizes)
        return self.op(tdsl.SliceOp, value, [self.index(offset) for offset in offsets], tuple(sizes), steps)

    def inputs(
        self, elements: Sequence[Attribute], names: Sequence[str], shapes: Sequence[Shape]
    ) -> tuple[list[SSAValue], tuple[DeclaredPart, ...]]:
        """Append one function argument that concatenates the inputs of a model. Return the slices of the argument that
        represent the inputs, and their declarations. Raises `InputError` for two names that become the same identifier.

        elements: the element type of each input; all have the same storage type.
        names: the names of the inputs in the model.
        shapes: the shape of each input.
        """
        known = [identifier(name) or identifier(f"input_{name}") for name in names]
        if len(set(known)) < len(known):
            raise InputError(f"the names of the inputs do not differ in letters and digits: {known}", file=self.file)
        lengths = [prod(shape) for shape in shapes]
        argument = self.argument(TensorType(elements[0], (1, sum(lengths))), "inputs")
        slices = list[SSAValue]()
        for element, shape, length, end in zip(elements, shapes, lengths, accumulate(lengths), strict=True):
            tensor = self.reshape(self.part(argument, (0, end - length), (1, length)), shape)
            slices.append(tensor if element == elements[0] else self.op(tdsl.ReinterpretOp, tensor, element))
        if len(set(elements)) == 1:
            return slices, tuple(zip(known, lengths, strict=True))
        return slices, tuple(zip(known, lengths, elements, strict=True))

    def picked(self, value: SSAValue, indices: Sequence[int]) -> SSAValue:
        """Emit the elements at `indices` of the last axis, with one slice for each run of consecutive indices.

        Raises `InputError` for an empty list and for an index that is out of range.
        """
        *before, length = shape_of(value)
        if not indices or not all(0 <= index < length for index in indices):
            raise self.error(f"indices {[*indices]} do not lie in shape {[*before, length]}")
        starts = [at for at, index in enumerate(indices) if at == 0 or index != indices[at - 1] + 1]
        ends = [*starts[1:], len(indices)]
        first = [0] * len(before)
        slices = [
            self.part(value, (*first, indices[start]), (*before, end - start))
            for start, end in zip(starts, ends, strict=True)
        ]
        return slices[0] if len(slices) == 1 else self.op(tdsl.ConcatOp, slices, len(before))

    def reordered(self, tensor: OrderedTensor, order: tuple[int, ...]) -> SSAValue:
        """Transpose a tensor to the axis order `order`, and return the transposed value. The numbers in `order`
        are axes of the model's tensor.
        """
        if tensor.order == order:
            return tensor.value
        return self.op(tdsl.TransposeOp, tensor.value, [tensor.order.index(axis) for axis in order])

    def plain(self, tensor: OrderedTensor) -> SSAValue:
        """Transpose a tensor to the model's axis order, and return the transposed value."""
        return self.reordered(tensor, tuple(range(len(tensor.order))))


def hint(value: SSAValue, name: str) -> None:
    """Set the name hint of a value to a name of the model."""
    value.name_hint = identifier(name) or None


def identifier(name: str) -> str:
    """An identifier of the IR that is derived from a name of the model; empty if the name has no letter."""
    words = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")
    if not words.strip("_0123456789"):
        return ""
    return f"v{words}" if words[0].isdigit() else words


def function_name(file: str) -> str:
    """A C identifier derived from the name of a file. For the files `NAME/input.sd` and `NAME/seedot/input.sd`, it
    is derived from `NAME`.
    """
    path = Path(file).absolute()
    name = path.stem
    if name == "input":
        folders = [folder.name for folder in path.parents if folder.name not in ("", "seedot")]
        name = folders[0] if folders else name
    name = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return f"m_{name}" if name[:1].isdigit() else name


Unary = TypeVar("Unary", bound=tdsl.UnaryOp)


def in_shape_of(op: Unary, value: SSAValue) -> Unary:
    """Clone a unary op, attributes included, with `value` as its operand. The result has the shape of `value`."""
    result = TensorType(format_of(op.out).type, shape_of(value))
    return type(op).create(operands=[value], result_types=[result], properties=dict(op.properties))

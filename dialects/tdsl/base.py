"""The base class of tensor ops. It supports both forms of an op: with a result on tensors, and with a destination on
memrefs.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self, TypeAlias, cast

from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerType, MemRefType, TensorType
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    BaseAttr,
    ParsePropInAttrDict,
    opt_operand_def,
    opt_result_def,
    traits_def,
)
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import Accumulator, accumulator_of
from tinyml.dialects.formats.number_format import UNBOUNDED_INTERVAL, Interval, NumberFormat, element_format
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.operations import DialectOp
from tinyml.dialects.plugins import expected, wrong_result
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.tdsl.values import HasValueInterface
from tinyml.dialects.tdsl.window_axis import WindowAxis

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.groups import GroupsAttr

__all__ = [
    "Footprint",
    "Shape",
    "TensorOp",
    "Visits",
    "accumulator_elements",
    "format_of",
    "proven_interval",
    "shape_of",
]


Shaped: TypeAlias = TensorType[Attribute] | MemRefType[Attribute]
Shape: TypeAlias = tuple[int, ...]

EMPTY_INTERVAL: Interval = (math.inf, -math.inf)
"""The empty interval."""

SHAPED = BaseAttr[TensorType[Attribute]](TensorType) | BaseAttr[MemRefType[Attribute]](MemRefType)
"""The constraint on operands of tensor ops: tensors, or memrefs after bufferization."""
TENSOR = BaseAttr[TensorType[Attribute]](TensorType)
MEMREF = BaseAttr[MemRefType[Attribute]](MemRefType)


class TensorOpEffects(MemoryEffect):
    """The memory effects of tensor ops. On tensors, there are none. On memrefs, the op reads its operands and writes
    its destination.
    """

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        on_memrefs = any(isinstance(value.type, MemRefType) for value in op.operands)
        effects: set[EffectInstance] = set()
        if on_memrefs:
            effects.add(EffectInstance(MemoryEffectKind.READ))
            if isinstance(op, TensorOp):
                effects.add(EffectInstance(MemoryEffectKind.WRITE, op.dest))
        return effects


def shaped(value: SSAValue) -> Shaped:
    """The tensor or memref type of a value. The IR must be verified."""
    return cast(Shaped, value.type)


def shape_of(value: SSAValue) -> Shape:
    shape = shaped(value).get_shape()
    if DYNAMIC_INDEX in shape:
        raise VerifyException(f"shapes must be static, got {value.type}")
    return shape


def format_of(value: SSAValue) -> NumberFormat:
    return element_format(value.type)


def spell(shape: Sequence[int]) -> str:
    """A shape in the notation of MLIR types, such as `4x3`; `scalar` for rank 0."""
    return "x".join(map(str, shape)) or "scalar"


def broadcast(lhs: Shape, rhs: Shape) -> Shape:
    """The shape to which numpy's rules broadcast two shapes. Raises `VerifyException` if the shapes are
    incompatible.
    """
    rank = max(len(lhs), len(rhs))
    padded = [(1,) * (rank - len(shape)) + shape for shape in (lhs, rhs)]
    out: list[int] = []
    for a, b in zip(*padded, strict=True):
        if a != b and 1 not in (a, b):
            raise VerifyException(f"shapes {spell(lhs)} and {spell(rhs)} do not broadcast")
        out.append(b if a == 1 else a)
    return tuple(out)


class Visits(NamedTuple):
    """The steps in which the loops of an op access elements. Each step loads elements and then stores one element.

    Elements are numbered in row-major order.

    loads: for each operand whose elements are loaded in known steps, an array of shape (steps, elements per step).
        Elements of any other operand may be loaded in every step.
    stores: for each step, the index of the element of the result that is stored.
    """

    loads: Sequence[tuple[SSAValue, NDArray[np.int64]]]
    stores: NDArray[np.int64]


class Footprint(NamedTuple):
    """The window of an image on which pixel (y, x) of a result depends. It starts at pixel (y, x) * strides - margins.

    * kernel: the extents of the window in pixels, vertically and horizontally.
    * strides: in pixels, vertically and horizontally.
    * margins: the numbers of pixels above, below, on the left and on the right that the op adds to the image.
    * filling: a real with which the caller may pad the image in advance, so that the op without margins computes the
      same result; None if there is no such real.
    * channelwise: true if each channel depends only on the same channel of the image.
    """

    kernel: tuple[int, int] = (1, 1)
    strides: tuple[int, int] = (1, 1)
    margins: tuple[int, int, int, int] = (0, 0, 0, 0)
    filling: float | None = None
    channelwise: bool = True

    @property
    def axes(self) -> tuple[WindowAxis, WindowAxis]:
        """The windows along the height and along the width of the image."""
        (height, width), (down, across), (top, _, left, _) = self.kernel, self.strides, self.margins
        return WindowAxis(height, down, top), WindowAxis(width, across, left)

    def elements(self, image: Shape, result: Shape) -> NDArray[np.int64]:
        """The elements of an image in the window of each element of a result, of shape (elements of the result,
        elements of a window). A pixel outside the image is replaced by the nearest pixel inside.
        """
        _, rows, columns, channels = image
        n, y, x, channel = np.indices(result).reshape(4, -1, 1)
        i, j = np.indices(self.kernel).reshape(2, 1, -1)
        down, across = self.axes
        row = np.clip(down.start(y) + i, 0, rows - 1)
        column = np.clip(across.start(x) + j, 0, columns - 1)
        pixels = (n * rows + row) * columns + column
        if self.channelwise:
            return pixels * channels + channel
        return (pixels[:, :, None] * channels + np.arange(channels)).reshape(len(pixels), -1)


class TensorOp(DialectOp, HasValueInterface):
    """An op with one tensor result.

    On tensors (L0, L1), the op has the result `result`. On memrefs (L2), it has the operand `dest` instead, and
    overwrites `dest` entirely unless its documentation states otherwise. The verifier applies the same rules for shapes
    and formats to both forms.
    """

    dest = opt_operand_def(MEMREF)
    result = opt_result_def(TENSOR)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    traits = traits_def(TensorOpEffects())

    ONE_FAMILY: ClassVar[bool] = True
    """True if all operands and the result must belong to one family of formats."""

    MOVES_BITS: ClassVar[bool] = False
    """True if the op copies bits unchanged, so that operands and result have one format."""

    KEEPS_INTERVAL: ClassVar[bool] = False
    """True if every element lies within the interval of the operands' elements and of the reals in `added`."""

    MAY_BE_VIEW: ClassVar[bool] = False
    """True if the result may become a view of the operand, so that writing either of them changes both."""

    STORES_LAST: ClassVar[bool] = False
    """True if each element of the result is stored only after all elements on which it depends have been read."""

    @property
    def out(self) -> SSAValue:
        """The result on tensors, or the destination on memrefs."""
        # Same as `self.result or self.dest`, without xDSL's lookup of optional operands.
        return self.results[0] if self.results else self.operands[-1]

    @property
    def written(self) -> SSAValue | None:
        """The destination on memrefs; None on tensors.

        The value equals `dest`, but is computed without xDSL's look-up of operands, which is slower.
        """
        return None if self.results else self.operands[-1]

    @property
    def inputs(self) -> tuple[SSAValue, ...]:
        """The tensor operands, excluding the destination and indices."""
        operands = self.operands if self.results else self.operands[:-1]
        return tuple(value for value in operands if not isinstance(value.type, IndexType | IntegerType))

    @abstractmethod
    def infer_shape(self) -> Shape:
        """The shape of the result, derived from the operands.

        Raises `VerifyException` if the shapes of the operands are incompatible.
        """

    @property
    def run(self) -> Sequence[SSAValue] | None:
        """Indices along the first axes of the operand. Its elements from there on are those of the result, in the same
        order. None if these elements are not contiguous, or if the op computes elements.
        """
        return None

    @property
    def destroyed(self) -> Sequence[SSAValue]:
        """The operands whose content the op overwrites."""
        return []

    @property
    def added(self) -> Interval:
        """An interval that contains all reals, such as padding, that an op inserts while it moves elements.

        The interval is `EMPTY_INTERVAL` if the op inserts no reals.
        """
        return EMPTY_INTERVAL

    @property
    def interval(self) -> Interval:
        """An interval of reals that contains all elements of the result, whatever the input is."""
        keeps = (self.MOVES_BITS or self.KEEPS_INTERVAL) and self.inputs
        return _proven(self.inputs, self.added) if keeps else UNBOUNDED_INTERVAL

    @property
    def addends(self) -> tuple[SSAValue, SSAValue] | None:
        """The operands lhs and rhs, if the result is their sum or difference, rounded; None for other ops."""
        return None

    @property
    def pairs(self) -> Sequence[tuple[SSAValue, SSAValue]]:
        """The pairs of operands whose product, or sum of products, is rounded to the result."""
        return ()

    @property
    def macs(self) -> int:
        """The number of multiply-accumulate operations of the op."""
        return 0

    @property
    def updated(self) -> SSAValue | None:
        """The operand of which the result is an updated copy; None if there is no such operand.

        The result differs from this operand only in some elements, or by added terms.
        """
        return None

    def reads_in_place(self, operand: SSAValue) -> bool:
        """True if element i of an operand is never read after element i of the result has been stored.

        The result may then overwrite the operand. Elements are numbered in row-major order. Every lowering to loops
        computes them in this order.
        """
        return self.STORES_LAST and prod(shape_of(self.out)) == 1

    def compares(self, operand: SSAValue) -> bool:
        """True if the result depends only on which elements of an operand are positive."""
        return False

    @property
    def visits(self) -> Sequence[Visits]:
        """The steps in which every lowering to loops computes the result, in order.

        Kernels may access elements in another order, but they store no element before the loads of all earlier steps.
        By default, each step loads elements that are read in place, or the window of a `footprint` (except of `pairs`,
        whose windows kernels load in another order), and stores the next element in row-major order.
        """
        steps = prod(shape_of(self.out))
        loads: list[tuple[SSAValue, NDArray[np.int64]]] = []
        for operand in dict.fromkeys(self.inputs):
            count = prod(shape_of(operand))
            if self.reads_in_place(operand) and (steps == 1 or count == steps):
                loads.append((operand, np.arange(count).reshape(steps, count // max(steps, 1))))
            elif not self.pairs and len(shape_of(operand)) == 4 and (window := self.checked_footprint(operand)):
                loads.append((operand, window.elements(shape_of(operand), shape_of(self.out))))
        return [Visits(loads, np.arange(steps))]

    def footprint(self, operand: SSAValue) -> Footprint | None:
        """The window of an operand on which each pixel of the result depends. Operand and result must be images N x H x
        W x C.

        Returns None if a pixel may depend on the whole operand. An op with a footprint can compute parts of its result
        (`on_parts`).
        """
        return None

    def checked_footprint(self, operand: SSAValue) -> Footprint | None:
        """The footprint of an operand. Raises the error of `wrong_result` unless its windows end with the image."""
        if (window := self.footprint(operand)) is None:
            return None
        expected(window, Footprint, self.footprint)
        image, result = ((1, 1, 1, *shape_of(value))[-3:-1] for value in (operand, self.out))
        padded = image[0] + sum(window.margins[:2]), image[1] + sum(window.margins[2:])
        for extent, count, axis in zip(padded, result, window.axes, strict=True):
            windows = f"{count} windows of {axis.kernel} pixels with stride {axis.stride} in {extent} pixels"
            if not 0 <= extent - axis.span(count) < axis.stride:
                raise wrong_result(type(self), f"the footprint of {self.name} contradicts the shape: {windows}")
        return window

    def on_parts(self, parts: Mapping[SSAValue, SSAValue], margins: tuple[int, int, int, int] | None = None) -> Self:
        """A copy of the op that computes a part of the result from parts of the operands.

        parts: for each operand with a footprint, the part that replaces it.
        margins: the margins that the copy must still add, in the order of `Footprint`; None if the parts include all
            margins.
        """
        assert margins is None or not any(margins), f"{self.name} adds no margins"
        part = self.clone(value_mapper=dict(parts))
        element = shaped(self.out).get_element_type()
        Rewriter.replace_value_with_new_type(part.results[0], TensorType(element, part.infer_shape()))
        return part

    def verify_(self) -> None:
        if (self.result is None) == (self.dest is None):
            raise VerifyException("expected either a tensor result or an `into` memref")
        values = (*self.inputs, self.out)
        form = TensorType if self.dest is None else MemRefType
        for value in values:
            if not isinstance(value.type, form):
                raise VerifyException(f"mixes tensors and memrefs: {value.type}")
        inferred, got = self.infer_shape(), shape_of(self.out)
        if inferred != got:
            expected(inferred, tuple, self.infer_shape)
            raise VerifyException(f"result has shape {spell(got)}, expected {spell(inferred)} from the operands")
        self.verify_formats()
        self.verify_more()

    def verify_formats(self) -> None:
        """Raise `VerifyException` unless all elements have number formats and the op supports this combination of
        formats.
        """
        formats = [format_of(value) for value in (*self.inputs, self.out)]
        for value, format in zip((*self.inputs, self.out), formats, strict=True):
            if format.groups is not None:
                self._verify_groups(value, format.groups)
        if self.ONE_FAMILY and len({format.FAMILY for format in formats}) > 1:
            names = ", ".join(sorted({format.FAMILY for format in formats}))
            raise VerifyException(f"formats of different families ({names}) need a tdsl.cast")
        if self.MOVES_BITS and len({format.type for format in formats}) > 1:
            names = " and ".join(str(format.type) for format in formats)
            raise VerifyException(f"moves bits unchanged, so formats must be equal, got {names}")
        if (fault := self.format_fault(formats)) is not None:
            raise VerifyException(fault)

    def format_fault(self, formats: Sequence[NumberFormat]) -> str | None:
        """The reason why an op with formats of its own cannot compute in the given formats of its operands and its
        result; None if it can, as other ops can in any formats of one family.
        """
        del formats
        return None

    def takes_groups(self, value: SSAValue) -> bool:
        """True if the op supports groups with shared scales in the operand or result `value`."""
        return False

    def _verify_groups(self, value: SSAValue, groups: GroupsAttr) -> None:
        if not self.takes_groups(value):
            raise groups_not_read(value)
        groups.verify_shape(shape_of(value))

    def verify_more(self) -> None:
        """Raise `VerifyException` if the op violates one of its rules that concern neither shapes nor formats."""


def groups_not_read(value: SSAValue) -> VerifyException:
    """The error that an op raises if its operand `value` has groups with shared scales, which the op does not
    support.
    """
    return VerifyException(
        f"elements of {shaped(value)} share scales in groups, which only products with rows of weights read"
    )


def proven_interval(value: SSAValue) -> Interval:
    """An interval of reals that contains the elements of a tensor, whatever the input is.

    Declared and profiled ranges are ignored, because an input may exceed them. For a tensor that a loop carries, the
    interval contains the initial elements and the elements that the loop's body inserts.
    """
    return _proven([value], EMPTY_INTERVAL)


def _proven(values: Sequence[SSAValue], added: Interval) -> Interval:
    intervals, seen, pending = [added], set[SSAValue](), list(values)
    while pending:
        value = pending.pop()
        if value in seen or isinstance(owner := value.owner, tensor.EmptyOp):
            continue
        seen.add(value)
        if (sources := _carried(value)) is not None:
            pending += sources
        elif not isinstance(owner, TensorOp):
            return UNBOUNDED_INTERVAL
        elif (owner.MOVES_BITS or owner.KEEPS_INTERVAL) and owner.inputs:
            pending += owner.inputs
            intervals.append(owner.added)
        else:
            intervals.append(owner.interval)
    low, high = min(low for low, _ in intervals), max(high for _, high in intervals)
    return (low, high) if low <= high else UNBOUNDED_INTERVAL


def _carried(value: SSAValue) -> list[SSAValue] | None:
    """For a value that a loop carries, its initial value and the value that the body yields; None for other values."""
    if isinstance(value, OpResult) and isinstance(loop := value.owner, scf.ForOp):
        index = value.index
    elif isinstance(value, BlockArgument) and isinstance(loop := value.owner.parent_op(), scf.ForOp) and value.index:
        index = value.index - 1
    else:
        return None
    return [loop.iter_args[index], cast(scf.YieldOp, loop.body.block.last_op).operands[index]]


def fold_to(op: TensorOp, value: SSAValue | None) -> tuple[SSAValue] | None:
    """The result of an op's `fold` method: the value that replaces an op on tensors.

    Returns None if `value` is None or has another type than the op's result, and for an op on memrefs.
    """
    return None if op.result is None or value is None or value.type != op.result.type else (value,)


def build(
    op: DialectOp,
    operands: Sequence[SSAValue | Sequence[SSAValue]],
    result: TensorType[Attribute],
    properties: dict[str, Attribute] | None = None,
) -> None:
    """Initialise `op` in its form on tensors, which has a result of type `result` instead of a destination."""
    DialectOp.__init__(op, operands=[*operands, ()], result_types=[result], properties=properties or {})


def accumulator_elements(value: SSAValue) -> Accumulator:
    """The accumulator that is the element type of a tensor or memref. Raises `VerifyException` for other elements, and
    for an accumulator whose sums can only be in registers.
    """
    element = shaped(value).get_element_type()
    if (accumulator := accumulator_of(element)) is None:
        raise VerifyException(f"elements must be accumulators, got {element}")
    if accumulator.in_memory.type != accumulator.type:
        raise VerifyException(f"{element} lies only in registers, {accumulator.in_memory.type} also in memory")
    return accumulator

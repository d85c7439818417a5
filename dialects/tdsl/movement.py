"""Ops that create tensors or move their elements without computing: bits are copied, formats stay."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, cast

from xdsl.dialects.builtin import (
    BytesAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    f64,
    i64,
)
from xdsl.interfaces import HasCanonicalizationPatternsInterface, HasFolderInterface
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.tdsl.attributes import Csr
from tinyml.dialects.tdsl.base import (
    SHAPED,
    TENSOR,
    Shape,
    TensorOp,
    build,
    fold_to,
    format_of,
    shape_of,
    shaped,
    spell,
)

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws


@irdl_op_definition
class ConstOp(IRDLOperation):
    """A parameter of the model. `value` holds the raw bits, as a dense attribute of the format's storage type."""

    name = "tdsl.const"
    value = prop_def(DenseIntOrFPElementsAttr)
    result = result_def(TENSOR)
    traits = traits_def(Pure(), ConstantLike())
    assembly_format = "$value attr-dict `->` type($result)"

    def __init__(self, raws: Raws, format: NumberFormat, encoding: Attribute | None = None):
        shape = raws.shape
        type: TensorType[Any] = TensorType(format.storage, shape)
        bits = DenseIntOrFPElementsAttr(type, BytesAttr(raws.astype(format.dtype.newbyteorder("<")).tobytes()))
        result = TensorType(format.type, shape) if encoding is None else TensorType(format.type, shape, encoding)
        super().__init__(properties={"value": bits}, result_types=[result])

    def with_raws(self, raws: Raws, format: NumberFormat) -> ConstOp:
        """The same parameter, with its name, its attributes and its encoding, as other raws of another format."""
        encoding = self.result.type.encoding
        new = ConstOp(raws, format, encoding if isinstance(encoding, Csr) else None)
        new.attributes |= self.attributes
        new.result.name_hint = self.result.name_hint
        return new

    def verify_(self) -> None:
        expected = TensorType(format_of(self.result).storage, shape_of(self.result))
        if self.value.type != expected:
            raise VerifyException(f"value must be of type {expected}, got {self.value.type}")
        format_of(self.result).verify_raws(self.raws)

    @property
    def raws(self) -> Raws:
        """The raw bits in the tensor's shape, not copied."""
        import numpy as np

        dtype = format_of(self.result).dtype.newbyteorder("<")
        return np.frombuffer(self.value.data.data, dtype).reshape(shape_of(self.result))


@irdl_op_definition
class FillOp(TensorOp):
    """A tensor with every element the same real, rounded into its format (SeeDot's `init`)."""

    name = "tdsl.fill"
    value = prop_def(FloatAttr)
    assembly_format = "attr-dict (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, value: float, result: TensorType[Attribute]):
        build(self, [], result, {"value": FloatAttr(value, f64)})

    def infer_shape(self) -> Shape:
        return shape_of(self.out)


@irdl_op_definition
class ReshapeOp(TensorOp, HasFolderInterface, HasCanonicalizationPatternsInterface):
    """The same elements in row-major order under another shape."""

    name = "tdsl.reshape"
    MOVES_BITS: ClassVar[bool] = True
    input = operand_def(SHAPED)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, shape: Sequence[int]):
        build(self, [input], TensorType(shaped(input).get_element_type(), shape))

    def infer_shape(self) -> Shape:
        before, after = shape_of(self.input), shape_of(self.out)
        if prod(before) != prod(after):
            raise VerifyException(f"cannot reshape {spell(before)} to {spell(after)}: the number of elements differs")
        return after

    def fold(self) -> tuple[SSAValue] | None:
        return fold_to(self, self.input)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from tinyml.dialects.tdsl.canonicalization import ReshapeOfConstant, ReshapeOfReshape

        return (ReshapeOfReshape(), ReshapeOfConstant())


@irdl_op_definition
class TransposeOp(TensorOp, HasFolderInterface, HasCanonicalizationPatternsInterface):
    """Axes in another order: axis `i` of the result is axis `permutation[i]` of the input."""

    name = "tdsl.transpose"
    MOVES_BITS: ClassVar[bool] = True
    input = operand_def(SHAPED)
    permutation = prop_def(DenseArrayBase.constr(i64))
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, permutation: Sequence[int]):
        shape = shape_of(input)
        build(
            self,
            [input],
            TensorType(shaped(input).get_element_type(), [shape[axis] for axis in permutation]),
            {"permutation": DenseArrayBase.from_list(i64, permutation)},
        )

    @property
    def axes(self) -> tuple[int, ...]:
        return tuple(cast("DenseArrayBase[IntegerType[Any, Any]]", self.permutation).get_values())

    def infer_shape(self) -> Shape:
        shape = shape_of(self.input)
        if sorted(self.axes) != list(range(len(shape))):
            raise VerifyException(f"permutation {list(self.axes)} does not order the {len(shape)} axes")
        return tuple(shape[axis] for axis in self.axes)

    @property
    def keeps_order(self) -> bool:
        """Do only axes of extent 1 move, so that the elements stay in row-major order?"""
        shape = shape_of(self.input)
        moved = [axis for axis in self.axes if shape[axis] != 1]
        return moved == sorted(moved)

    def fold(self) -> tuple[SSAValue] | None:
        return fold_to(self, self.input) if list(self.axes) == sorted(self.axes) else None

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from tinyml.dialects.tdsl.canonicalization import (
            TransposeOfConstant,
            TransposeOfTranspose,
            TransposeToReshape,
        )

        return (TransposeToReshape(), TransposeOfTranspose(), TransposeOfConstant())


@irdl_op_definition
class ReverseOp(TensorOp, HasFolderInterface, HasCanonicalizationPatternsInterface):
    """Elements in opposite order along one axis."""

    name = "tdsl.reverse"
    MOVES_BITS: ClassVar[bool] = True
    input = operand_def(SHAPED)
    axis = prop_def(IntegerAttr)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, axis: int):
        build(
            self,
            [input],
            TensorType(shaped(input).get_element_type(), shape_of(input)),
            {"axis": IntegerAttr(axis, i64)},
        )

    def infer_shape(self) -> Shape:
        shape = shape_of(self.input)
        if not 0 <= self.axis.value.data < len(shape):
            raise VerifyException(f"axis {self.axis.value.data} is not one of the {len(shape)} axes")
        return shape

    def fold(self) -> tuple[SSAValue] | None:
        if shape_of(self.input)[self.axis.value.data] == 1:
            return fold_to(self, self.input)
        inner = self.input.owner
        return fold_to(self, inner.input) if isinstance(inner, ReverseOp) and inner.axis == self.axis else None

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from tinyml.dialects.tdsl.canonicalization import ReverseOfConstant

        return (ReverseOfConstant(),)


@irdl_op_definition
class IndexOp(TensorOp):
    """`input[index]`: drops the first axis at a computed index, which must lie in [0, extent)."""

    name = "tdsl.index"
    MOVES_BITS: ClassVar[bool] = True
    input = operand_def(SHAPED)
    index = operand_def(IndexType)
    assembly_format = (
        "$input `[` $index `]` attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, input: SSAValue, index: SSAValue):
        build(self, [input, index], TensorType(shaped(input).get_element_type(), shape_of(input)[1:]))

    def infer_shape(self) -> Shape:
        shape = shape_of(self.input)
        if not shape:
            raise VerifyException("cannot index a scalar")
        return shape[1:]


def _verify_slice(whole: Shape, part: Shape, offsets: int) -> None:
    if len(whole) != len(part) or offsets != len(whole):
        raise VerifyException(f"slice of {spell(whole)} needs {len(whole)} offsets and sizes")
    if any(small > large for small, large in zip(part, whole, strict=True)):
        raise VerifyException(f"a slice of shape {spell(part)} does not fit in {spell(whole)}")


@irdl_op_definition
class SliceOp(TensorOp, HasFolderInterface):
    """The box of the result's shape at computed offsets (SeeDot's `x[i:+n]`); it must lie inside the input."""

    name = "tdsl.slice"
    MOVES_BITS: ClassVar[bool] = True
    input = operand_def(SHAPED)
    offsets = var_operand_def(IndexType)
    assembly_format = (
        "$input `[` $offsets `]` attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, input: SSAValue, offsets: Sequence[SSAValue], sizes: Sequence[int]):
        build(self, [input, offsets], TensorType(shaped(input).get_element_type(), sizes))

    def infer_shape(self) -> Shape:
        _verify_slice(shape_of(self.input), shape_of(self.out), len(self.offsets))
        return shape_of(self.out)

    def fold(self) -> tuple[SSAValue] | None:
        # A box of the whole shape that lies inside starts at 0.
        return fold_to(self, self.input)


@irdl_op_definition
class InsertSliceOp(TensorOp, HasFolderInterface):
    """`input` with the box at computed offsets replaced by `part` (SeeDot's splice on the left of `=`)."""

    name = "tdsl.insert_slice"
    MOVES_BITS: ClassVar[bool] = True
    part = operand_def(SHAPED)
    input = operand_def(SHAPED)
    offsets = var_operand_def(IndexType)
    assembly_format = (
        "$part `,` $input `[` $offsets `]` attr-dict `:` type($part) `,` type($input) "
        "(`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, part: SSAValue, input: SSAValue, offsets: Sequence[SSAValue]):
        build(self, [part, input, offsets], TensorType(shaped(input).get_element_type(), shape_of(input)))

    def infer_shape(self) -> Shape:
        _verify_slice(shape_of(self.input), shape_of(self.part), len(self.offsets))
        return shape_of(self.input)

    def fold(self) -> tuple[SSAValue] | None:
        return fold_to(self, self.part)

"""Constant tensors: parameters of the model, and tensors of equal elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    TensorType,
    f64,
)
from xdsl.ir import Attribute, OpResult, SSAValue
from xdsl.irdl import irdl_op_definition, prop_def, result_def, traits_def
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.layouts.dense import dense_elements
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.operations import DialectOp
from tinyml.dialects.rewriting import inherit_location
from tinyml.dialects.tdsl.attributes import PROFILE, Csr
from tinyml.dialects.tdsl.base import TENSOR, Shape, TensorOp, build, format_of, shape_of
from tinyml.dialects.tdsl.values import Arithmetic, Array, HasValueInterface

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

__all__ = ["ConstOp", "FillOp", "constant_number", "own_constant"]


@irdl_op_definition
class ConstOp(DialectOp, HasValueInterface):
    """A parameter of the model. `value` contains its raws, as a dense attribute of the format's storage type."""

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
        """A copy of the constant with other raws and another format. Location, name, attributes and encoding are
        preserved.
        """
        encoding = self.result.type.encoding
        new = ConstOp(raws, format, encoding if isinstance(encoding, Csr) else None)
        new.attributes |= self.attributes
        new.result.name_hint = self.result.name_hint
        inherit_location(self.location, new)
        return new

    def verify_(self) -> None:
        expected = TensorType(format_of(self.result).storage, shape_of(self.result))
        if self.value.type != expected:
            raise VerifyException(f"value must be of type {expected}, got {self.value.type}")
        format_of(self.result).verify_raws(self.raws)

    @property
    def raws(self) -> Raws:
        """The raws in the shape of the tensor. They are not copied. Raises `VerifyException` if the value does not
        match the type.
        """
        dtype = format_of(self.result).dtype.newbyteorder("<")
        return dense_elements(self.properties.get("value"), dtype, shape_of(self.result))

    def real(self, x: Sequence[Any]) -> Array:
        return format_of(self.result).decode(self.raws)[None]

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Array:
        return self.raws[None]


@irdl_op_definition
class FillOp(TensorOp):
    """A tensor whose elements are all equal to one real, rounded to the format (SeeDot's `init`)."""

    name = "tdsl.fill"
    value = prop_def(FloatAttr)
    assembly_format = "attr-dict (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, value: float, result: TensorType[Attribute]):
        build(self, [], result, {"value": FloatAttr(value, f64)})

    def infer_shape(self) -> Shape:
        return shape_of(self.out)

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        return np.full((1, *shape_of(self.out)), arithmetic.number(self.out, self.value.value.data))


def constant_number(value: SSAValue) -> float | None:
    """The real that every element of a constant represents. None if its elements differ, if it has none, and if the
    value is no constant.
    """
    if not isinstance(constant := value.owner, ConstOp) or not constant.raws.size:
        return None
    reals = format_of(value).decode(constant.raws).ravel()
    return float(reals[0]) if (reals == reals[0]).all() else None


def own_constant(value: SSAValue) -> ConstOp | None:
    """The constant that defines a value without other uses; None for any other value."""
    return value.owner if isinstance(value.owner, ConstOp) and value.has_one_use() else None


def constant_input(op: TensorOp) -> ConstOp | None:
    """The constant operand of an op with a single tensor operand; None if this operand is not constant, and for an op
    on memrefs.
    """
    [input] = op.inputs
    return owner if op.result is not None and isinstance(owner := input.owner, ConstOp) else None


def replace_by_constant(op: TensorOp, old: ConstOp, raws: Raws, rewriter: PatternRewriter) -> None:
    """Replace an op on the constant `old` by a constant with `raws`, which were computed at compile time."""
    new = ConstOp(raws, format_of(op.out))
    new.attributes |= {**old.attributes, **op.attributes}
    new.result.name_hint = op.out.name_hint or old.result.name_hint
    # Inserted next to the old constant, which may be outside the loops around the op.
    rewriter.insert(new, InsertPoint.before(old))
    rewriter.replace(op, [], [new.result])


def profile_of(value: SSAValue) -> dict[str, Attribute]:
    """The profile of the value as a dictionary of one attribute for an op that replaces it; empty if the value has
    no profile.

    The attribute has the name that the profile has on an op with a single result.
    """
    if isinstance(value, OpResult):
        profiles = value.op.attributes.get(PROFILE)
        if isa(profiles, ArrayAttr[Attribute]):
            return {PROFILE: ArrayAttr([profiles.data[value.index]])}
    return {}

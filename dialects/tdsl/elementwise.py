"""Ops that compute each element of the result from the elements of the operands at the same index.

An op defines the computation of one element by ops on scalars. The evaluator, the gradients, `fuse-elementwise`, the
lowering to loops and the interval of the result are derived from this computation. `tdsl.map` represents a chain of
elementwise ops as one op. Activations of networks are clamps, or functions that each format implements.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar, TypeAlias, TypeVar, cast

from xdsl.dialects.builtin import FloatAttr, StringAttr, TensorType, f32, f64, i1
from xdsl.interfaces import HasCanonicalizationPatternsInterface, HasFolderInterface
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.traits import HasParent, IsTerminator, Pure
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import num
from tinyml.dialects.formats.number_format import Function, Interval
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.operations import DialectOp
from tinyml.dialects.plugins import expected
from tinyml.dialects.tdsl.base import (
    SHAPED,
    Footprint,
    Shape,
    TensorOp,
    broadcast,
    build,
    fold_to,
    format_of,
    shape_of,
    shaped,
    spell,
)
from tinyml.dialects.tdsl.constant import constant_input, replace_by_constant
from tinyml.dialects.tdsl.values import Arithmetic, Array, ranked, selected, summed_to

__all__ = [
    "AddOp",
    "BinaryOp",
    "CastOp",
    "ClampOp",
    "ClipOp",
    "ElementwiseOp",
    "FunctionOp",
    "MapOp",
    "MulOp",
    "NegOp",
    "PointwiseOp",
    "Relu6Op",
    "ReluOp",
    "ScalarBody",
    "SelectOp",
    "SubOp",
    "UnaryOp",
    "YieldOp",
    "elementwise_op_definition",
]


Insert: TypeAlias = Callable[[Operation], SSAValue]
"""A function that appends an op and returns its result."""


class PointwiseOp(TensorOp, ABC):
    """An op whose result at each index depends only on the elements of its operands at this index, after numpy's
    broadcasting.
    """

    STORES_LAST: ClassVar[bool] = True

    def reads_in_place(self, operand: SSAValue) -> bool:
        return super().reads_in_place(operand) or prod(shape_of(operand)) == prod(shape_of(self.out))

    def footprint(self, operand: SSAValue) -> Footprint | None:
        return Footprint() if shape_of(operand) == shape_of(self.out) else None


@dataclass(frozen=True)
class ScalarBody:
    """The computation of one element of an elementwise op.

    arguments: the arguments of the computation, one for each input of the op.
    steps: the ops on scalars that are executed in order.
    result: the value of the element.
    """

    arguments: Sequence[SSAValue]
    steps: Sequence[Operation]
    result: SSAValue


class ElementwiseOp(PointwiseOp, ABC):
    """An elementwise op that is defined by `num` ops on scalars.

    The scalar op is passed to the decorator `elementwise_op_definition`, or the method `scalar` builds several scalar
    ops. The verifier also verifies the scalar ops, for example their properties.
    """

    SCALAR: ClassVar[type[num.ScalarOp]]
    """The op on scalars, unless `scalar` is overridden."""

    FUSES: ClassVar[bool] = True
    """True if `fuse-elementwise` may include the op in a `tdsl.map`."""

    def scalar(self, x: Sequence[SSAValue], element: Attribute, insert: Insert) -> SSAValue:
        """Build the ops that compute one element, and return the value of the element.

        By default, the computation is a single op of class `SCALAR` with the properties that both ops declare.

        x: one scalar for each input.
        element: the type of the result's elements.
        insert: a function that inserts an op on scalars.
        """
        declared = self.SCALAR.get_irdl_definition().properties
        properties = {name: value for name, value in self.properties.items() if name in declared}
        return insert(self.SCALAR.create(operands=x, result_types=[element], properties=properties))

    @property
    def scalar_body(self) -> ScalarBody:
        """The computation of one element. Its ops are not part of the program."""
        block = Block(arg_types=[shaped(value).get_element_type() for value in self.inputs])

        def insert(op: Operation) -> SSAValue:
            block.add_op(op)
            return op.results[0]

        result = self.scalar(block.args, shaped(self.out).get_element_type(), insert)
        return ScalarBody(block.args, tuple(block.ops), expected(result, SSAValue, self.scalar))

    @property
    def is_affine(self) -> bool:
        """True if the computation is a single op that is declared `AFFINE` and reads each argument once."""
        body = self.scalar_body
        match body.steps:
            case [num.ScalarOp(AFFINE=True) as step] if body.result is step.results[0]:
                return len(step.operands) == len(body.arguments) and set(step.operands) == set(body.arguments)
            case _:
                return False

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        body, rank = self._body(arithmetic)
        values = dict(zip(body.arguments, (ranked(operand, rank) for operand in x), strict=True))
        for step in body.steps:
            values[step.results[0]] = arithmetic.scalar(step, [values[operand] for operand in step.operands])
        return values[body.result]

    def derivative(self, arithmetic: Arithmetic, x: Sequence[Any], y: Array, slope: Array) -> Sequence[Array | None]:
        """The gradient with respect to each operand, computed from the derivatives of the ops on scalars; None for an
        operand on which the result does not depend.
        """
        body, rank = self._body(arithmetic)
        values = dict(zip(body.arguments, (ranked(operand, rank) for operand in x), strict=True)) | {body.result: y}
        steps = cast("Sequence[num.ScalarOp]", body.steps)
        for step in steps:
            if step.results[0] not in values:
                values[step.results[0]] = step.real([values[operand] for operand in step.operands])
        slopes: dict[SSAValue, Array] = {body.result: slope}
        for step in reversed(steps):
            if (by := slopes.pop(step.results[0], None)) is None:
                continue
            derived = step.derivative([values[operand] for operand in step.operands], values[step.results[0]], by)
            for operand, part in zip(step.operands, derived, strict=True):
                slopes[operand] = slopes[operand] + part if operand in slopes else part
        return [
            summed_to(operand, slopes[argument]) if argument in slopes else None
            for operand, argument in zip(x, body.arguments, strict=True)
        ]

    def _body(self, arithmetic: Arithmetic) -> tuple[ScalarBody, int]:
        return arithmetic.once(self, lambda: (self.scalar_body, 1 + len(shape_of(self.out))))

    @property
    def interval(self) -> Interval:
        step = self.scalar_body.result.owner
        return step.interval if isinstance(step, num.ScalarOp) else super().interval

    def verify_more(self) -> None:
        key = type(self), tuple([value.type for value in (*self.inputs, self.out)]), tuple(self.properties.items())
        if key not in _VERIFIED_OPS:
            for step in self.scalar_body.steps:
                step.verify_()
            if len(_VERIFIED_OPS) == MOST_VERIFIED:
                _VERIFIED_OPS.clear()
            _VERIFIED_OPS.add(key)


MOST_VERIFIED = 1 << 12
"""Maximum number of verified computations that are cached, for processes that compile many programs."""

_VERIFIED_OPS: set[tuple[type[ElementwiseOp], tuple[Attribute, ...], tuple[tuple[str, Attribute], ...]]] = set()
"""The ops, types and properties whose computations of one element have been verified."""


ElementwiseOpT = TypeVar("ElementwiseOpT", bound=ElementwiseOp)


def elementwise_op_definition(scalar: type[num.ScalarOp]) -> Callable[[type[ElementwiseOpT]], type[ElementwiseOpT]]:
    """A class decorator that defines an op by the scalar op `scalar`, which is applied to each element.

    Both ops have the same operands and properties. If the class has no docstring, it inherits that of the scalar op.
    """

    def define(op: type[ElementwiseOpT]) -> type[ElementwiseOpT]:
        op.__doc__ = op.__doc__ or scalar.__doc__
        # Set last, since xDSL interprets a constant as a field unless the class itself annotates it.
        irdl_op_definition(op).SCALAR = scalar
        return op

    return define


class UnaryOp(ElementwiseOp, ABC):
    """The base class of ops with one operand: `result[..] = f(input[..])`, where the op defines f."""

    input = operand_def(SHAPED)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, element: Attribute | None = None):
        build(self, [input], TensorType(element or shaped(input).get_element_type(), shape_of(input)))

    def infer_shape(self) -> Shape:
        return shape_of(self.input)


class BinaryOp(ElementwiseOp, ABC):
    """The base class of ops with two operands: `result[..] = lhs[..] op rhs[..]` with numpy's broadcasting, rounded to
    the format of the result.
    """

    lhs = operand_def(SHAPED)
    rhs = operand_def(SHAPED)
    assembly_format = (
        "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, lhs: SSAValue, rhs: SSAValue, element: Attribute | None = None):
        shape = broadcast(shape_of(lhs), shape_of(rhs))
        build(self, [lhs, rhs], TensorType(element or shaped(lhs).get_element_type(), shape))

    def infer_shape(self) -> Shape:
        return broadcast(shape_of(self.lhs), shape_of(self.rhs))

    def other(self, value: SSAValue) -> SSAValue:
        return self.rhs if self.lhs is value else self.lhs


@elementwise_op_definition(num.AddOp)
class AddOp(BinaryOp):
    name = "tdsl.add"

    @property
    def addends(self) -> tuple[SSAValue, SSAValue]:
        return self.lhs, self.rhs


@elementwise_op_definition(num.SubOp)
class SubOp(BinaryOp):
    name = "tdsl.sub"

    @property
    def addends(self) -> tuple[SSAValue, SSAValue]:
        return self.lhs, self.rhs


@elementwise_op_definition(num.MulOp)
class MulOp(BinaryOp):
    """The product of corresponding elements, or of a tensor and a scalar, rounded to the format of the result."""

    name = "tdsl.mul"

    @property
    def pairs(self) -> Sequence[tuple[SSAValue, SSAValue]]:
        return [(self.lhs, self.rhs)]

    @property
    def macs(self) -> int:
        """The number of elements for the product of a vector and a 1 x 1 matrix, which counts as a matrix product;
        otherwise 0.
        """
        shapes = shape_of(self.lhs), shape_of(self.rhs)
        is_product = (1, 1) in shapes and shapes[0] != shapes[1] and () not in shapes
        return prod(shape_of(self.out)) if is_product else 0


@elementwise_op_definition(num.NegOp)
class NegOp(UnaryOp, HasFolderInterface, HasCanonicalizationPatternsInterface):
    name = "tdsl.neg"

    def fold(self) -> tuple[SSAValue] | None:
        # Only for reals: the negation of a format may round or saturate, so that -(-x) is not x.
        inner = self.input.owner
        return fold_to(self, inner.input) if isinstance(inner, NegOp) and format_of(self.out).type == f32 else None

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (NegativeOfConstant(),)


class FunctionOp(UnaryOp, ABC):
    """A transcendental function of each element, computed by a `num.FunctionOp`.

    `scheme` is one of the schemes that the result's format defines.
    """

    scheme = opt_prop_def(StringAttr)

    @property
    def function(self) -> Function:
        """The name of the function, which is applied to each element: one of `Function`."""
        assert issubclass(self.SCALAR, num.FunctionOp)
        return self.SCALAR.FUNCTION


@elementwise_op_definition(num.ConvertOp)
class CastOp(UnaryOp, HasFolderInterface):
    """The same numbers, rounded to another format."""

    name = "tdsl.cast"
    ONE_FAMILY: ClassVar[bool] = False

    def __init__(self, input: SSAValue, element: Attribute):
        super().__init__(input, element)

    def fold(self) -> tuple[SSAValue] | None:
        return fold_to(self, self.input)


@irdl_op_definition
class SelectOp(PointwiseOp, HasFolderInterface):
    """The operand `if_true` if the condition is true, otherwise the operand `if_false`. The condition selects a whole
    tensor.
    """

    name = "tdsl.select"
    MOVES_BITS: ClassVar[bool] = True
    condition = operand_def(i1)
    if_true = operand_def(SHAPED)
    if_false = operand_def(SHAPED)
    assembly_format = (
        "$condition `,` $if_true `,` $if_false attr-dict `:` type($if_true) `,` type($if_false)"
        " (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, condition: SSAValue, if_true: SSAValue, if_false: SSAValue):
        build(
            self,
            [condition, if_true, if_false],
            TensorType(shaped(if_true).get_element_type(), shape_of(if_true)),
        )

    def infer_shape(self) -> Shape:
        if shape_of(self.if_true) != shape_of(self.if_false):
            raise VerifyException(
                f"branches have shapes {spell(shape_of(self.if_true))} and {spell(shape_of(self.if_false))}"
            )
        return shape_of(self.if_true)

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        return selected(np.asarray(x[0]), x[1], x[2])

    def fold(self) -> tuple[SSAValue] | None:
        condition = const_evaluate_operand(self.condition)
        return None if condition is None else fold_to(self, self.if_true if condition else self.if_false)


class NegativeOfConstant(RewritePattern):
    """Replace the negation of a constant by a constant.

    The pattern matches only reals (f32), because the negation in a number format may round and saturate.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: NegOp, rewriter: PatternRewriter, /) -> None:
        if (constant := constant_input(op)) is not None and format_of(op.out).type == f32:
            replace_by_constant(op, constant, 0 - constant.raws, rewriter)


@irdl_op_definition
class MapOp(ElementwiseOp):
    """`result[..] = body(inputs[..])` with numpy's broadcasting. Each op of the body rounds its result, as the
    corresponding op on tensors does.

    The body has one scalar argument for each input, with the format of this input. It ends with `tdsl.yield`.
    """

    name = "tdsl.map"
    ONE_FAMILY: ClassVar[bool] = False
    FUSES: ClassVar[bool] = False
    operands_ = var_operand_def(SHAPED)
    body = region_def("single_block")
    assembly_format = (
        "$operands_ attr-dict `:` type($operands_) (`into` $dest^ `:` type($dest))? (`->` type($result)^)? $body"
    )

    def __init__(self, inputs: Sequence[SSAValue], body: Block, shape: Shape, element: Attribute):
        DialectOp.__init__(
            self, operands=[inputs, []], result_types=[TensorType(element, shape)], regions=[Region(body)]
        )

    def infer_shape(self) -> Shape:
        shape: Shape = ()
        for value in self.inputs:
            shape = broadcast(shape, shape_of(value))
        return shape

    @property
    def scalar_body(self) -> ScalarBody:
        block = self.body.block
        *steps, last = block.ops
        assert isinstance(last, YieldOp)
        return ScalarBody(block.args, steps, last.value)

    def scalar(self, x: Sequence[SSAValue], element: Attribute, insert: Insert) -> SSAValue:
        body = self.scalar_body
        scalars: dict[SSAValue, SSAValue] = dict(zip(body.arguments, x, strict=True))
        for step in body.steps:
            copy: Operation = step.clone(value_mapper=scalars)
            insert(copy)
            scalars.update(zip(step.results, copy.results, strict=True))
        return scalars[body.result]

    def verify_more(self) -> None:
        block = self.body.block
        elements = [shaped(value).get_element_type() for value in self.inputs]
        if list(block.arg_types) != elements:
            raise VerifyException("expected a block with one scalar for each input, in the input's format")
        last = block.last_op
        if not isinstance(last, YieldOp):
            raise VerifyException("the block ends in tdsl.yield")
        if last.value.type != shaped(self.out).get_element_type():
            raise VerifyException(f"yields {last.value.type}, the result has {shaped(self.out).get_element_type()}")


@irdl_op_definition
class YieldOp(DialectOp):
    """Yield the value of one element of a `tdsl.map`."""

    name = "tdsl.yield"
    value = operand_def(AnyAttr())
    traits = traits_def(IsTerminator(), HasParent(MapOp), Pure())
    assembly_format = "$value attr-dict `:` type($value)"

    def __init__(self, value: SSAValue):
        super().__init__(operands=[value])


class ClampOp(UnaryOp, HasFolderInterface, ABC):
    """Each element clamped to `limits`. The raws of elements within the limits do not change."""

    MOVES_BITS: ClassVar[bool] = True

    @property
    @abstractmethod
    def limits(self) -> tuple[float, float | None]:
        """The least and the greatest result. The second value is None if there is no upper limit."""

    def scalar(self, x: Sequence[SSAValue], element: Attribute, insert: Insert) -> SSAValue:
        return insert(num.ClampOp(x[0], *self.limits))

    def fold(self) -> tuple[SSAValue] | None:
        low, high = self.limits
        inside = isinstance(inner := self.input.owner, ClampOp) and _contains(self.limits, inner.limits)
        return fold_to(self, self.input) if inside or not format_of(self.input).binds(low, high) else None


def _contains(outer: tuple[float, float | None], inner: tuple[float, float | None]) -> bool:
    """True if the interval `outer` contains `inner`. The upper end None is infinity."""
    return outer[0] <= inner[0] and (outer[1] is None or (inner[1] is not None and inner[1] <= outer[1]))


@irdl_op_definition
class ReluOp(ClampOp):
    """max(x, 0)."""

    name = "tdsl.relu"

    @property
    def limits(self) -> tuple[float, float | None]:
        return 0.0, None


@irdl_op_definition
class Relu6Op(ClampOp):
    """min(max(x, 0), 6)."""

    name = "tdsl.relu6"

    @property
    def limits(self) -> tuple[float, float | None]:
        return 0.0, 6.0


@irdl_op_definition
class ClipOp(ClampOp):
    """min(max(x, low), high)."""

    name = "tdsl.clip"
    low = prop_def(FloatAttr)
    high = prop_def(FloatAttr)

    def __init__(self, input: SSAValue, low: float, high: float):
        super().__init__(input)
        self.low, self.high = FloatAttr(low, f64), FloatAttr(high, f64)

    @property
    def limits(self) -> tuple[float, float | None]:
        return self.low.value.data, self.high.value.data

    def verify_more(self) -> None:
        low, high = self.low.value.data, self.high.value.data
        if not -math.inf < low <= high < math.inf:
            raise VerifyException(f"clips to finite limits in order, got [{low}, {high}]")

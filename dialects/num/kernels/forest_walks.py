"""Decision forests on buffers: an input reaches one leaf of each tree, and the votes of these leaves are added."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrConstraint,
    ParsePropInAttrDict,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.layouts.dense import element_type
from tinyml.dialects.layouts.trees import FOREST, ForestCode
from tinyml.dialects.num.kernels.calls import MEMREF, CallOp
from tinyml.dialects.num.kernels.coded_sums import CodeAttr
from tinyml.dialects.operations import DialectOp
from tinyml.dialects.scratch.types import memref_type, packed_bits

__all__ = ["CodedForestAttr", "ForestOp"]


@irdl_op_definition
class ForestOp(DialectOp):
    """`outputs[k]` is the sum over all trees of `votes[leaf, k]`, where `leaf` is the leaf that the input reaches.

    The attributes are those of `ForestCode`. Thresholds are raws of the input's format. Votes have the element type of
    the results, which is a number format or a builtin type.
    """

    name = "num.forest"
    outputs = operand_def(MEMREF)
    input = operand_def(MEMREF)
    features = prop_def(DenseIntOrFPElementsAttr)
    thresholds = prop_def(DenseIntOrFPElementsAttr)
    children = prop_def(DenseIntOrFPElementsAttr)
    roots = prop_def(DenseIntOrFPElementsAttr)
    shares = opt_prop_def(DenseIntOrFPElementsAttr)
    votes = prop_def(DenseIntOrFPElementsAttr)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$outputs `,` $input attr-dict `:` type($outputs) `,` type($input)"

    def __init__(self, outputs: SSAValue, input: SSAValue, forest: ForestCode):
        super().__init__(operands=[outputs, input], properties=dict(forest.attributes))

    @property
    def forest(self) -> ForestCode:
        return ForestCode.of(self.properties)

    def verify_(self) -> None:
        _verify(ForestCode.of(self.properties), self.outputs, self.input)


@irdl_attr_definition
class CodedForestAttr(CodeAttr):
    """A `num.forest` that is compiled to a function. `constants` contains the attributes of `ForestCode`."""

    name = "num.coded_forest"
    OPERANDS: ClassVar[Sequence[AttrConstraint]] = (MEMREF, MEMREF)
    DECLARED_AS: ClassVar[str] = FOREST

    @property
    def forest(self) -> ForestCode:
        return ForestCode.of(self.constants)

    def verify_call(self, call: CallOp) -> None:
        _verify(self.forest, *call.arguments)


def _verify(forest: ForestCode, outputs: SSAValue, input: SSAValue) -> None:
    for value, array, what in ((input, forest.trees.thresholds, "thresholds"), (outputs, forest.votes, "votes")):
        type = memref_type(value)
        if packed_bits(type) is not None or len(type.get_shape()) != 1:
            raise VerifyException(f"expected contiguous elements that are not packed, got {type}")
        format = number_format(type.element_type)
        stored = type.element_type if format is None else format.storage
        if element_type(array) != stored:
            raise VerifyException(f"{what} are of {element_type(array)}, the elements of {stored}")
    forest.verify(prod(memref_type(input).get_shape()), prod(memref_type(outputs).get_shape()))

"""The storage types that replace number formats and accumulators."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DenseIntOrFPElementsAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import number_format


class ToStorage(RewritePattern):
    """Replaces formats and accumulators inside any type by their storage; data attributes are unchanged."""

    def __init__(self) -> None:
        self.memo: dict[Attribute, Attribute] = {}

    def convert(self, attribute: Attribute) -> Attribute:
        if (known := self.memo.get(attribute)) is not None:
            return known
        converted = self.memo[attribute] = self._convert(attribute)
        return converted

    def _convert(self, attribute: Attribute) -> Attribute:
        if isinstance(attribute, DenseIntOrFPElementsAttr):
            return cast(Attribute, attribute)
        if (format := number_format(attribute)) is not None:
            return format.storage
        if (accumulator := accumulator_of(attribute)) is not None:
            return accumulator.storage
        if isinstance(attribute, ParametrizedAttribute):
            new = [self.convert(parameter) for parameter in attribute.parameters]
            if any(a is not b for a, b in zip(attribute.parameters, new, strict=True)):
                return type(attribute).new(new)
        if isinstance(attribute, ArrayAttr):
            array = cast("ArrayAttr[Attribute]", attribute)
            new = [self.convert(element) for element in array.data]
            if any(a is not b for a, b in zip(array.data, new, strict=True)):
                return ArrayAttr(new)
        return cast(Attribute, attribute)

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        arguments = (argument for region in op.regions for block in region.blocks for argument in block.args)
        for value in (*op.results, *arguments):
            if (new := self.convert(value.type)) is not value.type:
                rewriter.replace_value_with_new_type(value, new)
        for attributes in (op.properties, op.attributes):
            for name, value in attributes.items():
                if (new := self.convert(value)) is not value:
                    attributes[name] = new
                    rewriter.notify_op_modified(op)

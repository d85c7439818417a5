"""xDSL's parser with bounds on time and memory, for untrusted text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    BytesAttr,
    ComplexType,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    RankedStructure,
    ShapedType,
    TensorType,
)
from xdsl.ir import TypeAttribute
from xdsl.irdl import base
from xdsl.parser import Parser
from xdsl.parser.attribute_parser import AttrParser
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer

from tinyml.dialects.limits import ELEMENT_LIMIT, counted_elements

_DENSE: Any = base(RankedStructure[IntegerType | IndexType | AnyFloat | ComplexType])  # pyright: ignore
"""The types of dense attributes. xDSL 0.74 builds this constraint for each attribute, which is slow."""


class LinearLexer(MLIRLexer):
    """xDSL's lexer, with a linear-time rule for unterminated string literals.

    The regular expression of xDSL 0.74 nests repetitions of a character class, `([^"]+|...)*`. For an unterminated
    literal of n characters, it therefore takes time proportional to 2^n.
    """

    _unescaped_characters_regex = re.compile(
        r'"[^"\\\n\v\f]*(?:\\(?:["nt\\]|[0-9A-Fa-f]{2})[^"\\\n\v\f]*)*"',
    )


@dataclass
class _BitPattern(AttrParser._TensorLiteralElement):  # pyright: ignore[reportPrivateUsage]
    """A hexadecimal integer in a dense attribute of floats. The integer is the bit pattern of a float.

    MLIR prints infinity and NaN in this form. xDSL 0.74 would convert the integer to a float of this value.
    """

    def to_type(self, parser: AttrParser, type: Any) -> Any:
        if not isinstance(type, AnyFloat):
            return super().to_type(parser, type)
        size = type.compile_time_size
        if not isinstance(self.value, int) or not 0 <= self.value < 1 << 8 * size:
            parser.raise_error(f"expected the bits of a number of {size} bytes", at_position=self.span)
        return type.unpack(self.value.to_bytes(size, "little"), 1)[0]


class GuardedParser(Parser):
    """A parser that uses `LinearLexer` and limits the sizes of tensors and constants.

    Raises `ParseError` for a type with more than `ELEMENT_LIMIT` elements. Also raises it, before any allocation,
    if all constants of the parsed module together have more than `ELEMENT_LIMIT` elements.
    """

    def __init__(self, ctx: Context, input: str | bytes, name: str = "<unknown>") -> None:
        super().__init__(ctx, "", name)
        text = input.decode("utf-8") if isinstance(input, bytes) else input
        self._parser_state = ParserState(LinearLexer(Input(text, name)))
        self._limit = ELEMENT_LIMIT.get()
        self._constant_elements = 0
        self._is_splat = False
        self._splat_type: Any = None

    def parse_optional_type(self) -> TypeAttribute | None:
        start = self.pos
        type = super().parse_optional_type()
        if isinstance(type, ShapedType) and counted_elements(type.get_shape()) > self._limit:
            self.raise_error(
                f"the type has more than {self._limit} elements; --max-elements raises the limit", start, self.pos
            )
        return type

    def parse_dense_int_or_fp_elements_attr(self, type: Any) -> DenseIntOrFPElementsAttr:
        """Parse a dense attribute and return it. If one value is given for all elements, it is converted only once.

        Raises `ParseError` where xDSL would fail an assertion: if an element of a complex type is not a pair of
        numbers.
        """
        start, outer = self.pos, self._splat_type
        if type is None:
            self._splat_type = None
        try:
            attribute = super().parse_dense_int_or_fp_elements_attr(type)
        except AssertionError:
            self.raise_error("expected complex numbers as (real, imaginary) in a dense attribute", start, self.pos)
        if type is not None:
            return attribute
        splat, self._splat_type = self._splat_type, outer
        if splat is None:
            return attribute
        return DenseIntOrFPElementsAttr(splat, BytesAttr(attribute.data.data * prod(splat.get_shape())))

    def _parse_tensor_literal(self) -> Any:
        values, shape = super()._parse_tensor_literal()
        self._is_splat = not shape
        return values, shape

    def _parse_tensor_literal_element(self) -> Any:
        element = super()._parse_tensor_literal_element()
        if not element.span.text.startswith("0x"):
            return element
        return _BitPattern(element.is_negative, element.value, element.span)

    def _parse_optional_complex(self) -> Any:
        """Parse a complex number, if there is one, and return it. Raises `ParseError` for a missing closing
        parenthesis, where xDSL would fail an assertion.
        """
        try:
            return super()._parse_optional_complex()
        except AssertionError:
            self.raise_error("expected ')' behind a complex number")

    def _parse_dense_literal_type(self) -> Any:
        start = self.pos
        type: Any = self.expect(self.parse_optional_type, "Dense attribute must be typed!")
        if not _DENSE.verifies(type):
            self.raise_error("Expected memref, vector or tensor type of integer, index, float, or complex type")
        if DYNAMIC_INDEX in type.get_shape():
            self.raise_error("Dense literal attribute should have a static shape.")
        self._constant_elements += counted_elements(type.get_shape())
        if self._constant_elements > self._limit:
            self.raise_error(
                f"the constants have more than {self._limit} elements; --max-elements raises the limit", start, self.pos
            )
        if self._is_splat:
            self._is_splat, self._splat_type = False, type
            return TensorType(type.element_type, [1])
        return type

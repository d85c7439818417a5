"""The guarded parser rejects text that would take exponential time or all memory, and otherwise agrees with xDSL's
parser.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer

from tinyml.dialects.context import context
from tinyml.dialects.guarded_parser import GuardedParser, LinearLexer

CONTEXT = context()


@pytest.mark.parametrize("text", ['"' + 60 * "a", '"' + 10**6 * "a", '"' + 10**5 * "a\\n", '@"' + 60 * "a" + "\n"])
def test_a_string_without_an_end_is_refused_at_once(text: str):
    with pytest.raises(ParseError, match="before closing string literal"):
        GuardedParser(CONTEXT, text).parse_module()


@given(st.text(st.sampled_from('ab\\"nt0fF\n\v é'), max_size=12))
def test_strings_are_xdsl_s(text: str):
    def token(lexer: type[MLIRLexer]) -> tuple[object, str] | None:
        try:
            found = lexer(Input(f'"{text}', "f")).lex()
            return found.kind, found.text
        except ParseError:
            return None

    assert token(LinearLexer) == token(MLIRLexer)


@pytest.mark.parametrize(
    "text",
    [
        "dense<3> : tensor<2x0xi8>",
        "dense<-1> : tensor<2x3xi8>",
        "dense<true> : vector<2xi1>",
        "dense<[1, 2]> : tensor<2xi8>",
        "dense<> : tensor<0xi8>",
        "dense<1.5> : memref<4xf32>",
        "dense<(1, 2)> : tensor<4xcomplex<i32>>",
        'dense<"0x01"> : tensor<4xi8>',
        "[dense<1> : tensor<2xi8>, dense<[1, 2]> : tensor<2xi8>, dense<7> : tensor<i32>]",
    ],
)
def test_constants_are_xdsl_s(text: str):
    assert GuardedParser(CONTEXT, text).parse_attribute() == Parser(CONTEXT, text).parse_attribute()


@pytest.mark.parametrize("type", ["tensor<?xi8>", "tensor<*xi8>", "i8", "", "!fixed.q<8, 4>"])
def test_other_types_of_constants_are_refused_as_by_xdsl(type: str):
    said: list[str] = []
    for parser in (GuardedParser, Parser):
        with pytest.raises(ParseError) as error:
            parser(CONTEXT, f"dense<1> : {type}").parse_attribute()
        said.append(str(error.value))
    assert said[0] == said[1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dense<0.0> : tensor<2xcomplex<f32>>", "expected complex numbers as"),
        ("dense<1> : tensor<200000000000xi8>", "the type has more than 50000000 elements"),
        ("dense<1> : tensor<18446744073709551616x3xi16>", "the type has more than 50000000 elements"),
        ("[dense<1> : tensor<30000000xi1>, dense<1> : tensor<30000000xi1>]", "the constants have more than 50000000"),
        ("dense<1> : tensor<0x4611686018427387904xf32>", "the type has more than 50000000 elements"),
        ("memref<10000x10000xf32>", "the type has more than 50000000 elements"),
    ],
)
def test_constants_are_limited_before_they_take_memory(text: str, said: str):
    with pytest.raises(ParseError, match=said):
        GuardedParser(CONTEXT, text).parse_attribute()


def test_dynamic_types_have_no_limit():
    assert str(GuardedParser(CONTEXT, "tensor<?x?xf32>").parse_type()) == "tensor<?x?xf32>"


def test_a_complex_number_without_an_end_is_refused():
    with pytest.raises(ParseError, match="expected '\\)' behind a complex number"):
        GuardedParser(CONTEXT, "dense<[0,(7, 0, 0]> : tensor<3xi16>").parse_attribute()

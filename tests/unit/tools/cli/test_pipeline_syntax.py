"""Pass pipelines are parsed in the syntaxes of xDSL and of MLIR."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.utils.arg_spec import ArgSpec, parse_pipeline

from tinyml.dialects.errors import InputError
from tinyml.lowering.pipelines import flatten
from tinyml.tools.driver.optimizer import to_xdsl_pipeline
from tinyml.transforms.reals.profile import ProfilePass


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("builtin.module()", ""),
        ("a,b", "a,b"),
        ("builtin.module(a,b{x=1 y=2})", "a,b{x=1 y=2}"),
        ("  builtin.module (\n  a ,\n  b { x = 1\n      y = 2, 3 } )\n", "a,b{x=1 y=2,3}"),
        ("any(a)", "a"),
        ('a{data="x, (y).npz" flag}', 'a{data="x, (y).npz" flag}'),
        ('a{s="one \\" two" t=1}', 'a{s="one \\" two" t=1}'),
        ("mlir-opt[cse, func.func(canonicalize{x=1})],b", "mlir-opt[cse, func.func(canonicalize{x=1})],b"),
        ("a{-flag  other}", "a{-flag other}"),
        ("a{f=../x.npz,b.c d=fixed.q e=1.}", 'a{f="../x.npz","b.c" d="fixed.q" e=1.0}'),
        ("a{t=1e-3 u=-.5 v=2.5E+7,-3 w=w8-1 n=+4}", "a{t=1.0e-3 u=-0.5 v=2.5E+7,-3 w=w8-1 n=+4}"),
    ],
)
def test_spelling(text: str, expected: str):
    assert to_xdsl_pipeline(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("builtin.module(func.func(cse))", "nested pipelines are not supported"),
        ("builtin.module(a", "nested pipelines are not supported"),
        ("a b", "a comma is missing before 'b'"),
        ("a{x=1} b", "a comma is missing before 'b'"),
        ("a{x=1", "unbalanced braces"),
        ("a}", "unbalanced braces"),
    ],
)
def test_complaints(text: str, message: str):
    with pytest.raises(InputError, match=message):
        to_xdsl_pipeline(text)


_names = st.from_regex(r"[a-z]+(-[a-z]+)*", fullmatch=True)
_values = st.lists(st.integers() | st.booleans() | st.text("abc ,(){}=.'", min_size=1), min_size=1, max_size=3).map(
    tuple
)
_specs = st.lists(st.builds(ArgSpec, _names, st.dictionaries(_names, _values, max_size=3)), max_size=3)


@given(_specs, st.sampled_from(["", " ", "\n  "]))
def test_what_xdsl_prints_comes_back(specs: list[ArgSpec], gap: str):
    """For any passes and options, MLIR's syntax with any spacing is parsed to the same pipeline as xDSL's."""
    text = f"builtin.module({gap}{f'{gap},{gap}'.join(map(str, specs))}{gap})"
    assert list(parse_pipeline(to_xdsl_pipeline(text))) == specs


@given(st.text(st.characters(exclude_categories=("C", "Z")), min_size=1))
def test_names_of_files_reach_passes(name: str):
    steps = flatten("reals-to-formats", {"data": name})
    assert [step.data for step in steps if isinstance(step, ProfilePass)] == [name]

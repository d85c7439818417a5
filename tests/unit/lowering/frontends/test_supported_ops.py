"""docs/importing.md lists the ops that frontends support."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from programs.paths import ROOT

from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.mlir import elementwise, scalars, stablehlo, tosa
from tinyml.lowering.frontends.mlir.importer import read_tensors
from tinyml.lowering.frontends.mlir.reader import supported_ops
from tinyml.lowering.frontends.onnx.importer import supported
from tinyml.lowering.frontends.tflite.operator_table import OPERATORS
from tinyml.runtime.evaluator.evaluator import evaluate_reals

PAGE = ROOT / "docs/importing.md"


def test_the_ops_of_onnx(request: pytest.FixtureRequest):
    before = PAGE.read_text(encoding="utf-8")
    listed = textwrap.fill(supported(), 120, break_on_hyphens=False)
    after = re.sub(r"<!-- ops: onnx -->\n.*?\n(?=###)", f"<!-- ops: onnx -->\n{listed}.\n\n", before, flags=re.DOTALL)
    if request.config.getoption("--update-docs"):
        PAGE.write_text(after, encoding="utf-8")
    else:
        assert after == before


def _in_words(computed: Sequence[str], of_constants: Sequence[str]) -> str:
    also = f"on constants and in decomposed layers also {', '.join(of_constants)}" if of_constants else ""
    return "; ".join(filter(None, [", ".join(computed), also]))


FLOATS, TRUTHS = "tensor<{}xf32>", "tensor<{}xi1>"
COMPARISONS = ("Equal", "NotEqual", "Greater", "GreaterOrEqual")
ELEMENTWISE = {
    **scalars.ELEMENTWISE,
    **{op.name: name for op, name in stablehlo.ELEMENTWISE.items()},
    **tosa.UNARY,
    **tosa.BINARY,
    "tosa.reciprocal": "Exp",
    "tosa.select": "Where",
    "chlo.square": "Exp",
    "chlo.erfc": "Exp",
}
"""Elementwise ops, by the name of one that takes as many operands of the same types."""


def _reads(op: str, computed: Sequence[bool], shape: str) -> bool:
    """Whether the frontend accepts a module with one op.

    op: the name of the op, with its dialect.
    computed: for each operand, True for a variable and False for a constant.
    shape: the shape of the operands.
    """
    name, floats, truths = ELEMENTWISE[op], FLOATS.format(shape), TRUTHS.format(shape)
    types = [truths if name in ("And", "Or", "Not") or (name, at) == ("Where", 0) else floats for at in range(3)]
    lines = [
        f'%k{at} = "stablehlo.constant"() <{{value = dense<{2 - at}.0> : {floats}}}> : () -> {floats}'
        for at in range(3)
    ]
    given: list[str] = []
    for at, is_computed in enumerate(computed):
        if types[at] == truths:
            sides = "%x, %k1" if is_computed else "%k0, %k1"
            direction = "<{comparison_direction = #stablehlo<comparison_direction GT>}>"
            lines.append(f'%a{at} = "stablehlo.compare"({sides}) {direction} : ({floats}, {floats}) -> {truths}')
        elif is_computed:
            lines.append(f'%a{at} = "stablehlo.tanh"(%x) : ({floats}) -> {floats}')
        given.append(f"%a{at}" if is_computed or types[at] == truths else f"%k{at}")
    is_true = (types[0] == truths and name != "Where") or name in COMPARISONS
    result = truths if is_true else floats
    lines.append(f'%r = "{op}"({", ".join(given)}) : ({", ".join(types[: len(given)])}) -> {result}')
    if is_true:
        lines.append(f'%o = "stablehlo.select"(%r, %k0, %k1) : ({truths}, {floats}, {floats}) -> {floats}')
    lines.append(f'"func.return"(%{"o" if is_true else "r"}) : ({floats}) -> ()')
    body = "\n".join(lines)
    text = f""""builtin.module"() ({{
  "func.func"() <{{function_type = ({floats}) -> {floats}, sym_name = "main"}}> ({{
  ^bb0(%x: {floats}):
{body}
  }}) : () -> ()
}}) : () -> ()"""
    try:
        module = read_tensors(text, "m.mlir")
    except InputError:
        return False
    x = np.full((1, int(shape.partition("x")[2])), 0.5, np.float32)
    return evaluate_reals(module, x).scores is not None


@pytest.mark.long
def test_the_elementwise_ops_of_computed_tensors():
    """An op is listed if and only if it is accepted with at least one variable operand."""
    arity = {"Where": 3} | dict.fromkeys(elementwise.BINARY, 2)
    read = {
        op
        for op, name in ELEMENTWISE.items()
        if any(
            _reads(op, computed, shape)
            for computed in product([True, False], repeat=arity.get(name, 1))
            for shape in ("1x4", "1x1")
            if any(computed)
        )
    }
    listed = {f"{dialect}.{op}" for dialect, (ops, _) in supported_ops().items() for op in ops}
    assert read - {*scalars.INTEGERS} == listed & ELEMENTWISE.keys()


def test_the_ops_of_mlir(request: pytest.FixtureRequest):
    page = ROOT / "docs/mlir.md"
    before = page.read_text(encoding="utf-8")
    listed = "\n".join(
        textwrap.fill(f"* `{dialect}`: {_in_words(*ops)}", 120, subsequent_indent="  ", break_on_hyphens=False)
        for dialect, ops in supported_ops().items()
    )
    after = re.sub(r"<!-- ops: mlir -->\n.*?(?=##)", f"<!-- ops: mlir -->\n{listed}\n\n", before, flags=re.DOTALL)
    if request.config.getoption("--update-docs"):
        page.write_text(after, encoding="utf-8")
    else:
        assert after == before


def test_the_operators_of_tensorflow_lite():
    page = PAGE.read_text(encoding="utf-8")
    section = page.partition("### Operators")[2].partition("##")[0]
    # Files do not contain the operators that the importer writes for the parts of loops.
    listed = {name.removeprefix("CUSTOM ") for name in OPERATORS if not name.startswith("LOOP_")}
    assert listed <= set(re.findall(r"\w{3,}", section))

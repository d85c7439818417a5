"""docs/importing.md lists what frontends read."""

from __future__ import annotations

import re
import textwrap

import pytest
from programs.paths import ROOT

from tinyml.lowering.frontends.mlir.reader import supported_ops
from tinyml.lowering.frontends.onnx.importer import supported
from tinyml.lowering.frontends.tflite.importer import OPERATORS

PAGE = ROOT / "docs/importing.md"


def test_the_ops_of_onnx(request: pytest.FixtureRequest):
    before = PAGE.read_text(encoding="utf-8")
    listed = textwrap.fill(supported(), 120, break_on_hyphens=False)
    after = re.sub(r"<!-- ops: onnx -->\n.*?\n(?=###)", f"<!-- ops: onnx -->\n{listed}.\n\n", before, flags=re.DOTALL)
    if request.config.getoption("--update-docs"):
        PAGE.write_text(after, encoding="utf-8")
    else:
        assert after == before


def test_the_ops_of_mlir(request: pytest.FixtureRequest):
    page = ROOT / "docs/mlir.md"
    before = page.read_text(encoding="utf-8")
    listed = "\n".join(
        textwrap.fill(f"* `{dialect}`: {', '.join(ops)}", 120, subsequent_indent="  ", break_on_hyphens=False)
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
    assert OPERATORS.keys() <= set(re.findall(r"[A-Z0-9_]{3,}", section))

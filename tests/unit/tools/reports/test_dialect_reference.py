"""`docs/dialects/` has one page for each dialect. Examples on the pages are parts of the dialect's FileCheck tests."""

from __future__ import annotations

import re
import sys
from functools import cache
from unittest.mock import patch

import pytest
from programs.paths import FILECHECK, ROOT
from programs.plugins import entry_points_of, installed
from xdsl.dialects.builtin import IndexType, MemRefType, TensorType
from xdsl.irdl import AnyAttr, AnyOf, BaseAttr, ParamAttrConstraint, VarConstraint

from tinyml.dialects.c.types import VariableType
from tinyml.tools.reports.dialect_reference import (
    PAGES,
    attributes_page,
    dialect_page,
    dialects_of,
    example_of,
    words_of,
)
from tinyml.tools.universe import DIALECTS


@cache
def page(name: str) -> str:
    files = [file for folder in ("dialects", "lowering") for file in sorted((FILECHECK / folder).rglob("*.mlir"))]
    files.sort(key=lambda file: (file.parent.name != name, file.name != "ops.mlir"))
    return dialect_page(name, (file.read_text(encoding="utf-8") for file in files if "invalid" not in file.name))


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_current(name: str, request: pytest.FixtureRequest):
    file = ROOT / f"docs/dialects/{name}.md"
    if request.config.getoption("--update-docs"):
        file.write_text(page(name), encoding="utf-8")
    assert file.read_text(encoding="utf-8") == page(name)


def test_the_page_of_attributes_is_current(request: pytest.FixtureRequest):
    file = ROOT / "docs/dialects/attributes.md"
    if request.config.getoption("--update-docs"):
        file.write_text(attributes_page(), encoding="utf-8")
    assert file.read_text(encoding="utf-8") == attributes_page()


def test_every_dialect_has_a_page():
    assert sorted(dialect for name in PAGES for dialect in dialects_of(name)) == sorted(DIALECTS)


def test_dialects_of_other_packages_are_beside_the_formats():
    folder = str(ROOT / "tests/plugins/gated")
    with patch.object(sys, "path", [folder, *sys.path]), installed(*entry_points_of("gated")):
        assert "gated" in dialects_of("formats")
        assert "\n## gated.blend\n" in dialect_page("formats", ())
    assert "gated" not in dialects_of("formats")


@pytest.mark.parametrize("name", PAGES)
def test_every_op_has_a_description_and_an_example(name: str):
    sections = page(name).split("\n## ")[1:]
    assert sections
    for section in sections:
        heading, text = section.split("\n", 1)
        assert re.match(r"(?!Syntax:|\|)\S.{5}", text.lstrip()), heading
        assert heading.startswith(("!", "#")) or "```mlir" in text, heading


def test_constraints_in_words():
    image = AnyOf((BaseAttr(TensorType), BaseAttr(MemRefType)))
    assert words_of(image) == "`tensor` or `memref`"
    assert words_of(VarConstraint("T", BaseAttr(IndexType))) == "`index` (*t*)"
    assert words_of(ParamAttrConstraint(VariableType, (BaseAttr(IndexType),))) == "`!c.var` of `index`"
    assert words_of(AnyAttr()) == "any"


def test_an_example_ends_where_its_regions_do():
    lines = ["// c.if %x {", "  c.if %c {", "    // CHECK: {", "    c.return", "  } else {", "  }", "  c.return"]
    assert example_of("c.if", lines) == "c.if %c {\n  c.return\n} else {\n}"
    assert example_of("c.return_value", lines) is None

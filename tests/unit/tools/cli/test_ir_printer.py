"""The fast printer of IR prints the same text as xDSL's."""

from __future__ import annotations

import io

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.printer import Printer

from tinyml.tools.cli.ir_printer import IRPrinter
from tinyml.tools.driver.stages import print_ir


def test_string_literals_are_xdsl_s():
    """Literals with every byte, and characters of two, three and four bytes, are printed as by xDSL."""
    for content in (bytes(range(256)), "é日本😀".encode(), b""):
        ours, theirs = io.StringIO(), io.StringIO()
        IRPrinter(ours).print_bytes_literal(content)
        Printer(theirs).print_bytes_literal(content)
        assert ours.getvalue() == theirs.getvalue()


def test_a_module_is_printed_as_by_xdsl():
    module = ModuleOp([], {"header": StringAttr('#include "a.h"\n\tint π;\\\n')})
    theirs = io.StringIO()
    Printer(theirs).print_op(module)
    assert print_ir(module) == f"{theirs.getvalue()}\n"

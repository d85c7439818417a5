"""FileCheck tests of lowering for every registered format; the type of the format is substituted into the test."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest
from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import parse_argv_options
from filecheck.parser import Parser, pattern_for_opts
from programs.number_formats import SORTS, Sort
from programs.paths import FILECHECK
from programs.spread import spread_product

from tinyml.lowering.pipelines import flatten
from tinyml.tools.tinyml_opt import main

TEMPLATE = FILECHECK / "dialects" / "formats" / "Inputs" / "lowering.mlir"
STEPS = {
    "LOOPS": ("formats-to-buffers", "buffers-to-loops"),
    "BITS": ("formats-to-buffers", "buffers-to-loops", "loops-to-bits"),
}


@pytest.mark.long
@pytest.mark.parametrize(("sort", "prefix"), spread_product(25, SORTS, STEPS), ids=str)
def test_lowering(sort: Sort, prefix: str, tmp_path: Path):
    format = sort.variants[-1]
    text = TEMPLATE.read_text().replace("TYPE", str(format.type)).replace("STORAGE", str(format.storage))
    program = tmp_path / "program.mlir"
    program.write_text(text)
    passes = ",".join(["fuse-elementwise", *(str(step) for name in STEPS[prefix] for step in flatten(name, {}))])
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        assert not main([str(program), "-p", passes])
    options = parse_argv_options(["filecheck", str(program), "--check-prefix", prefix])
    with program.open() as checks:
        matcher = Matcher(options, FInput("-", output.getvalue()), Parser(options, checks, *pattern_for_opts(options)))
        assert matcher.run() == 0

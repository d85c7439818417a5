"""A chip of a test package whose compiler is clang: programs compute the evaluator's bits and compile without a
warning.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from programs.paths import MODELS, NETWORK
from programs.plugins import package_of
from programs.printed import WARNINGS
from programs.spread import spread

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.devices.toolchain import MODEL_FLAGS, call_tool
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate
from tinyml.runtime.model.headers import include_folders
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.chip import Chip
from tinyml.targets.registry import chips
from tinyml.tools.driver.stages import compile_stages, load_program

SAMPLES = 50


@pytest.fixture(scope="module", autouse=True)
def chip() -> Iterator[Chip]:
    with package_of("clang") as chip:
        yield chip


@pytest.mark.long
@pytest.mark.parametrize(
    ("model", "target", "format", "width", "weights"),
    spread(
        [
            ("protonn", "clang", "fixed", 16, "posit:8"),
            ("protonn", "clang", "posit", 10, None),
            ("bonsai", "clang", "f32", None, None),
            ("bonsai", "cortex-m0", "fixed", 8, None),
            ("fastgrnn", "cortex-m4", "fixed", 16, "fixed:4"),
            ("fastgrnn", "riscv", "affine", 8, None),
            ("network", "clang", "affine", 8, None),
        ],
        2,
    ),
)
def test_programs_have_the_bits_of_the_evaluator(
    model: str, target: str, format: str, width: int | None, weights: str | None, tmp_path: Path
):
    """Programs for the chip of the package compute the evaluator's bits, as do programs for other chips, which are
    compiled by clang and use the plain C versions of their kernels.
    """
    ctx, program = context(), {**MODELS, "network": NETWORK}[model]
    val = program.with_name("val.npz")
    packed = "never" if weights is None else "always"
    options = PipelineOptions(data=str(val), format=format, width=width, target=target, weights=weights, packed=packed)
    compiled = compile_stages(load_program(program, ctx), ctx, options)
    interface = interface_of(compiled.formats)
    for suffix, text in (("c", compiled.source), ("h", compiled.header)):
        (tmp_path / f"{interface.name}.{suffix}").write_text(text)
    with np.load(val) as data:
        inputs = encode_inputs(compiled.formats, data["x"][:SAMPLES])
    runner = runner_for("clang")
    result = runner.run(runner.build(tmp_path, interface, tmp_path, extra_flags=WARNINGS), interface, inputs)
    expected = evaluate(compiled.formats, inputs)
    if expected.labels is not None:
        np.testing.assert_array_equal(result.labels, expected.labels)
    if expected.scores is not None:
        assert result.scores is not None
        np.testing.assert_array_equal(result.scores.view(np.uint8), np.asarray(expected.scores).view(np.uint8))


@pytest.mark.long
def test_headers_have_no_unused_functions(chip: Chip, tmp_path: Path):
    """Every runtime header compiles as a source file without a warning. In a source file clang also reports unused
    inline functions, and programs contain the texts of headers.
    """
    for folder in dict.fromkeys(folder for each in chips() for folder in include_folders(each)):
        for header in folder.glob("tinyml/*.h"):
            source = tmp_path / f"{header.stem}.c"
            source.write_text(header.read_text("utf-8"))
            call_tool(
                chip,
                "cc",
                [*MODEL_FLAGS[:3], *WARNINGS, "-Os", f"-I{header.parent}", "-c", source, "-o", tmp_path / "strict.o"],
            )


def test_its_compiler_is_named_where_it_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="'clang-19' is not installed; on Debian or Ubuntu: apt install clang-19"):
        call_tool(runner_for("clang").chip, "cc", [])

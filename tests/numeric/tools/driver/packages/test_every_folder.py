"""The C in the folder of every `--package` compiles without warnings and computes what the evaluator computes.

What a folder does with its own tool is the subject of the other files of this directory; `TOOLS` lists them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numeric.tools.driver.packages.test_built_folders import BUILDS
from programs.other_tools import passed
from programs.sensor_models import NAME, inputs, sensor_model

from tinyml.dialects.context import context
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate
from tinyml.targets.registry import board
from tinyml.tools.driver.packages.packaging_table import PACKAGINGS, packaging_names
from tinyml.tools.driver.stages import load_program

BOARD = "esp32-c3"
"""A board that most tools support."""

TOOLS = {
    "c": "test_built_folders.py",
    "arduino": "test_arduino_builder.py",
    "cmake": "test_cmake.py",
    "platformio": "test_platformio.py",
    "header": "test_header.py",
    "micropython": "test_micropython.py",
    "rust": "test_rust.py",
    "zephyr": "test_zephyr.py",
    "idf": "test_idf.py",
    "esphome": "test_esphome.py",
    "bitstream": "test_built_folders.py",
    "mlir": "test_mlir.py",
    "circt": "test_circt.py",
    "mlperf": "test_mlperf.py",
}
"""The tests of each folder with its own tool."""

WITHOUT_C = ("bitstream", "circt", "mlir", "mlperf")
"""Folders of hardware and upstream dialects, and that of a benchmark whose networks are given."""

CALLS = 10_000

CHECK = """\
#include "gestures.h"
#include <stdio.h>

static gestures_ctx models[2];
static const float inputs[{rows}][6] = {{
{inputs}
}};

int main(void)
{{
    for (int call = 0; call < {calls}; call++) {{
        const int row = call / 2 % {rows};
        gestures_ctx *const model = &models[call % 2];
        const int label = gestures_predict_floats(model, inputs[row]);
        printf("%d", label);
        for (int i = 0; i < gestures_OUTPUT_LENGTH; i++)
            printf(" %d", gestures_scores(model)[i]);
        printf("\\n");
    }}
    return 0;
}}
"""

LANGUAGES = {"c99": ["gcc", "-std=c99"], "c11": ["gcc", "-std=c11"], "c++17": ["g++", "-std=c++17"]}
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"]


def test_every_package_has_a_test_of_its_tool():
    assert {*TOOLS} == {*packaging_names()}
    here = Path(__file__).parent
    for name, file in TOOLS.items():
        assert f'"{name}"' in (here / file).read_text(), name
    assert {name for _, names, _ in BUILDS.values() for name in names} >= {*packaging_names()} - {"mlperf"}


@pytest.mark.long(seconds=20)
def test_the_c_of_every_folder_computes_what_the_evaluator_does(tmp_path: Path):
    """Ten thousand calls of two instances in turn, compiled as C99 and C11, and called from C++17."""
    names = [
        name
        for name in PACKAGINGS.built_in
        if name not in WITHOUT_C and PACKAGINGS.get(name).lacks(board(BOARD)) is None
    ]
    assert {*names} == {*packaging_names()} - {*WITHOUT_C, "c"}
    out = sensor_model(tmp_path, BOARD, packages=tuple(names), instances=True, width=16).out
    x = inputs(20)
    formats = load_program(out / "ir" / "1-formats.mlir", context())
    found = evaluate(formats, encode_inputs(formats, x.astype(np.float32)))
    assert found.scores is not None
    expected = [
        " ".join(map(str, [label, *scores.ravel().tolist()]))
        for label, scores in zip(found.classes.tolist(), found.scores, strict=True)
    ]
    rows = ",\n".join(f"    {{{', '.join(f'{value!r}f' for value in row)}}}" for row in x.tolist())
    text = CHECK.format(rows=len(x), inputs=rows, calls=CALLS)
    for name in ("c", *names):
        folder, pattern = (out, "{}") if name == "c" else (out / name, "**/{}")
        [header] = folder.glob(pattern.format(f"{NAME}.h"))
        source = next(folder.glob(pattern.format(f"{NAME}.c")), None)
        assert (source is None) == (name == "header")
        for language, compiler in LANGUAGES.items():
            check = tmp_path / f"check.{'cpp' if language == 'c++17' else 'c'}"
            check.write_text(text)
            objects: list[Path] = []
            if source is not None:
                objects.append(tmp_path / "model.o")
                standard = "-std=c99" if language == "c++17" else compiler[1]
                passed(["gcc", standard, *WARNINGS, "-O1", "-c", "-I", header.parent, source, "-o", objects[0]])
            program = tmp_path / "check"
            passed([*compiler, *WARNINGS, "-O1", "-I", header.parent, check, *objects, "-o", program, "-lm"])
            said = passed([program]).splitlines()
            assert said == [expected[call // 2 % len(x)] for call in range(CALLS)], (name, language)

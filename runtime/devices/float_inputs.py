"""Runs of a model on real inputs through its C function NAME_predict_floats, on any device."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.dialects.plugins import expected
from tinyml.runtime.devices.device import Build, RunResult
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.model.interface import Interface

if TYPE_CHECKING:
    import numpy as np


_AROUND = """\
#include <stdint.h>
#include "{name}.h"
{instance}{result} floats_predict(const float *X) {{ {returns}{name}_predict_floats({given}X); }}
"""
_SCORES = """\
const {scores} *floats_scores(void) {{ return {name}_scores({alone}); }}
"""
_HEADER = """\
#include <stdint.h>
#define floats_INPUT_LENGTH {inputs}
#define floats_OUTPUT_LENGTH {outputs}
{result} floats_predict(const float *X);
const {scores} *floats_scores(void);
"""


def run_on_floats(
    folder: Path,
    model: Interface,
    x: np.ndarray,
    device: str,
    temporary: Path,
    optimize: str | None = None,
) -> tuple[Build, RunResult]:
    """The built program, and the result of its run on real inputs in single precision.

    folder: the folder with NAME.c and NAME.h.
    model: the interface of the model.
    x: the inputs as real numbers, of shape (samples, elements).
    device: the name of the device.
    temporary: an empty folder.
    optimize: the optimization level; by default that of the runner.

    Raises the same errors as `Runner.build` and `Runner.run`.
    """
    for suffix in (".c", ".h"):
        shutil.copy(folder / f"{model.name}{suffix}", temporary)
    instances = model.instances
    names = {
        "name": model.name,
        "scores": model.output_ctype or "int8_t",
        "inputs": model.input_length,
        "outputs": model.output_length,
        "instance": f"static {model.name}_ctx instance;\n" if instances else "",
        "given": "&instance, " if instances else "",
        "alone": "&instance" if instances else "",
        "result": "int16_t" if model.has_label else "void",
        "returns": "return " if model.has_label else "",
    }
    around = _AROUND + (_SCORES if model.output_length else "")
    (temporary / "floats.c").write_text(around.format(**names), encoding="utf-8")
    (temporary / "floats.h").write_text(_HEADER.format(**names), encoding="utf-8")
    interface = Interface(
        "floats", "float", model.input_length, model.output_ctype, model.output_length, has_label=model.has_label
    )
    runner = runner_for(device)
    build = runner.build(temporary, interface, temporary, optimize)
    return build, expected(runner.run(build, interface, x.astype("<f4")), RunResult, type(runner))

"""Programs that give a model real numbers, by NAME_predict_floats, on any device."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tinyml.runtime.devices.device import RunResult
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.model.interface import Interface

_AROUND = """\
#include <stdint.h>
#include "{name}.h"
int16_t floats_predict(const float *X) {{ return {name}_predict_floats(X); }}
const {scores} *floats_scores(void) {{ return {name}_scores(); }}
"""
_HEADER = """\
#include <stdint.h>
#define floats_INPUT_LENGTH {inputs}
#define floats_OUTPUT_LENGTH {outputs}
int16_t floats_predict(const float *X);
const {scores} *floats_scores(void);
"""


def run_on_floats(folder: Path, model: Interface, x: NDArray[np.float32], device: str, temporary: Path) -> RunResult:
    """Labels and scores of a model with both, for real inputs (samples, elements).

    folder: has NAME.c and NAME.h. temporary: an empty folder.
    """
    assert model.has_label
    assert model.output_ctype is not None
    for suffix in (".c", ".h"):
        shutil.copy(folder / f"{model.name}{suffix}", temporary)
    names = {"name": model.name, "scores": model.output_ctype, "inputs": x.shape[1], "outputs": model.output_length}
    (temporary / "floats.c").write_text(_AROUND.format(**names))
    (temporary / "floats.h").write_text(_HEADER.format(**names))
    interface = Interface("floats", "float", x.shape[1], model.output_ctype, model.output_length, has_label=True)
    runner = runner_for(device)
    return runner.run(runner.build(temporary, interface, temporary), interface, x.astype(np.float32))

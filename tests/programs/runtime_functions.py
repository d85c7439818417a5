"""Functions of the runtime on bytes, called by a program of their own on any device."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from programs.printed import WARNING_FLAGS
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.model.interface import Interface
from tinyml.tools.calibration.programs.measured_programs import include_flags


def run_figure(
    source: str, inputs: NDArray[np.int8], length: int, device: str, folder: Path, optimize: str = "-Os"
) -> NDArray[np.int8]:
    """The bytes of `figure_scores()`, `length` of them, after `figure_predict(row)` for each row of the inputs.

    source: C that defines both functions and includes "figure.h", their declarations. folder: an empty one.
    """
    (folder / "figure.h").write_text(
        "#include <stdint.h>\n"
        f"#define figure_INPUT_LENGTH {inputs.shape[1]}\n#define figure_OUTPUT_LENGTH {length}\n"
        "void figure_predict(const int8_t *X);\nconst int8_t *figure_scores(void);\n"
    )
    (folder / "figure.c").write_text(source)
    interface = Interface("figure", "int8_t", inputs.shape[1], "int8_t", length, has_label=False)
    runner = runner_for(device)
    build = runner.build(folder, interface, folder, optimize, [*WARNING_FLAGS, *include_flags(runner.chip)])
    scores = runner.run(build, interface, inputs).scores
    assert scores is not None
    return scores

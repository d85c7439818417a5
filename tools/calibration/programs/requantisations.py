"""The costs of functions that only imported models call, measured in isolation, since no fitted program calls them."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.model.interface import Interface
from tinyml.targets.costs import OPTIMIZE
from tinyml.tools.calibration.checkpoints import remembered
from tinyml.tools.calibration.programs.measured_programs import include_flags

SAMPLES = 64

FUNCTIONS = {
    "tm_requantize_even_s32": ("tinyml/requantize.h", "tm_requantize_even_s32(X[0], X[1], (int8_t)X[2])"),
}
"""The header and a call of each function. The arguments are elements of a row of `_inputs`."""

_PROGRAM = """\
#include "figure.h"
#include "{header}"
static int32_t y[3];
const int32_t *figure_scores(void) {{ return y; }}
void figure_predict(const int32_t *X)
{{
    y[2] = X[0];
{calls}}}
"""


def function_rows(device: str) -> dict[str, list[float]]:
    """The rows of a cost table for `FUNCTIONS`: time and code of a call; flash and stack of the function."""
    return {name: _row(device, name) for name in FUNCTIONS}


def _row(device: str, name: str) -> list[float]:
    # The first call adds the function, the second one only another call.
    none, one, two = (_measured(device, name, calls) for calls in range(3))
    time, code, stack = two[0] - one[0], two[1] - one[1], one[2] - none[2]
    return [round(time, 2), float(code), float(one[1] - none[1] - code), float(max(stack, 0))]


def _measured(device: str, name: str, calls: int) -> Sequence[float]:
    """The mean time, the flash and the stack of a program with some calls of a function."""
    header, call = FUNCTIONS[name]
    source = _PROGRAM.format(header=header, calls="".join(f"    y[{number}] = {call};\n" for number in range(calls)))

    def measured() -> Sequence[float]:
        interface = Interface("figure", "int32_t", 3, "int32_t", 3, has_label=False)
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "figure.c").write_text(source)
            (Path(folder) / "figure.h").write_text(
                "#include <stdint.h>\n#define figure_INPUT_LENGTH 3\n#define figure_OUTPUT_LENGTH 3\n"
                "void figure_predict(const int32_t *X);\nconst int32_t *figure_scores(void);\n"
            )
            runner = runner_for(device)
            build = runner.build(Path(folder), interface, Path(folder), OPTIMIZE, include_flags(runner.chip))
            result = runner.run(build, interface, _inputs())
        assert result.cycles is not None
        return [float(result.cycles.mean()), build.flash_bytes, result.stack_bytes]

    return remembered((device, source), measured)


def _inputs() -> np.ndarray:
    """Sums of products of layers of all sizes, multipliers, and the shifts with which the results are bytes."""
    random = np.random.default_rng(0)
    bits = random.integers(10, 22, SAMPLES)
    sums = random.integers(-(1 << 22), 1 << 22, SAMPLES) >> 22 - bits
    return np.stack([sums, random.integers(1 << 30, 1 << 31, SAMPLES), 8 - bits], axis=1).astype(np.int32)

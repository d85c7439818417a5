"""Time of exp on a device: two tables (SeeDot 5.3.1), our scheme, `math.h` and Schraudolph's (1999)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from papers.row import Values
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.model.interface import Interface
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.calibration.programs.function_programs import LENGTH, program, write

REALS = np.random.default_rng(0).uniform(-8, 0, (2, LENGTH)).astype(np.float32)
"""128 arguments, as in figure 9's programs not above zero; the paper has 100 random ones."""

ARGUMENT, RESULT = FixedType(16, 11), FixedType(16, 14)
"""The scales of Shiftry 5.4 for exp of what is not above zero."""

SCHRAUDOLPH = f"""\
#include "schraudolph.h"
#include <string.h>
static float out[{LENGTH}];
const float *schraudolph_scores(void) {{ return out; }}
/* The exponent and the mantissa of 2^(x / ln 2), linear in between: 2^23 / ln 2 and 127 * 2^23 - 366393. */
static float fast_exp(float x)
{{
    int32_t bits = (int32_t)(12102203.0f * x) + 1064986823L;
    float y;
    memcpy(&y, &bits, sizeof y);
    return y;
}}
void schraudolph_predict(const float *X)
{{
    for (uint8_t i = 0; i < {LENGTH}; i++)
        out[i] = {{body}};
}}
"""
"""The approximation in single precision, in C, or a copy of its argument."""


def exponentials(device: str) -> Callable[[Path | None], Values]:
    """Measures cycles (AVR) or instructions per exp, less those of a loop that copies, and the greatest errors."""
    return lambda _models: _exponentials(device)


def _exponentials(device: str) -> Values:
    found: dict[str, float] = {}
    for name, in_fixed_point, scheme in (("seedot", True, "seedot"), ("ours", True, None), ("math", False, None)):
        cycles, scores = _run(device, "exp", in_fixed_point, scheme)
        found[name] = cycles - _run(device, "cast", in_fixed_point)[0]
        found[f"{name}_error"] = float(np.abs(scores - np.exp(REALS)).max())
    cycles, scores = _schraudolph(device, "fast_exp(X[i])")
    found["schraudolph"] = cycles - _schraudolph(device, "X[i]")[0]
    found["schraudolph_error"] = float(np.abs(scores - np.exp(REALS)).max())
    found["beside_math"] = found["math"] / found["seedot"]
    found["beside_schraudolph"] = found["schraudolph"] / found["seedot"]
    found["ours_beside_math"] = found["math"] / found["ours"]
    found["ours_beside_schraudolph"] = found["schraudolph"] / found["ours"]
    return {name: round(value, 5 if name.endswith("error") else 1) for name, value in found.items()}


def _run(
    device: str, function: str, in_fixed_point: bool, scheme: str | None = None
) -> tuple[float, NDArray[np.floating]]:
    """Time per element of a loop that applies a function, and its results as reals."""
    source, result = ARGUMENT, ARGUMENT if function == "cast" else RESULT
    context, module = program(function, *((str(source), str(result)) if in_fixed_point else ("f32", "f32")), scheme)
    interface, runner = interface_of(module), runner_for(device)
    inputs = source.encode(REALS.astype(np.float64)) if in_fixed_point else REALS
    with tempfile.TemporaryDirectory() as name:
        folder = write(context, module, device, Path(name))
        ran = runner.run(runner.build(folder, interface, folder), interface, inputs)
    assert ran.cycles is not None
    assert ran.scores is not None
    return float(ran.cycles.mean()) / LENGTH, result.decode(ran.scores) if in_fixed_point else ran.scores


def _schraudolph(device: str, body: str) -> tuple[float, NDArray[np.floating]]:
    interface, runner = Interface("schraudolph", "float", LENGTH, "float", LENGTH, has_label=False), runner_for(device)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "schraudolph.h").write_text(
            "#include <stdint.h>\n"
            f"#define schraudolph_INPUT_LENGTH {LENGTH}\n#define schraudolph_OUTPUT_LENGTH {LENGTH}\n"
            "void schraudolph_predict(const float *X);\nconst float *schraudolph_scores(void);\n"
        )
        (folder / "schraudolph.c").write_text(SCHRAUDOLPH.replace("{body}", body))
        ran = runner.run(runner.build(folder, interface, folder), interface, REALS)
    assert ran.cycles is not None
    assert ran.scores is not None
    return float(ran.cycles.mean()) / LENGTH, ran.scores

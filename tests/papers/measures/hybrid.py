"""A product by weights of 8 bits that are converted to floats, as TensorFlow Lite's hybrid does (SeeDot, figure 8)."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np

from papers.measures.classifiers import compiled
from papers.row import Values
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.model.interface import Interface

ROWS, COLUMNS, DEVICE = 16, 64, "uno"
"""A matrix of the size of a small ProtoNN's projection, and the board."""

MODEL = f"""\
func.func @product(%x: tensor<{COLUMNS}x1xf32>) -> tensor<{ROWS}x1xf32> {{
  %w = tdsl.const dense<{{weights}}> : tensor<{ROWS}x{COLUMNS}xf32> -> tensor<{ROWS}x{COLUMNS}xf32>
  %y = tdsl.matmul %w, %x : tensor<{ROWS}x{COLUMNS}xf32>, tensor<{COLUMNS}x1xf32> -> tensor<{ROWS}x1xf32>
  func.return %y : tensor<{ROWS}x1xf32>
}}
"""

HYBRID = f"""\
#include "hybrid.h"
#include <avr/pgmspace.h>
static const int8_t W[{ROWS}][{COLUMNS}] PROGMEM = {{weights}};
static float out[{ROWS}];
const float *hybrid_scores(void) {{ return out; }}
void hybrid_predict(const float *X)
{{
    for (uint8_t i = 0; i < {ROWS}; i++) {{
        float sum = 0;
        for (uint8_t j = 0; j < {COLUMNS}; j++)
            sum += (float)(int8_t)pgm_read_byte(&W[i][j]) * {{scale}}f * X[j];
        out[i] = sum;
    }}
}}
"""


def hybrid(_models: Path | None) -> Values:
    """Cycles of a multiply-accumulate on an Uno: by the hybrid, in floats, and in fixed point of 16 bits."""
    random = np.random.default_rng(0)
    weights, inputs = random.uniform(-1, 1, (ROWS, COLUMNS)), random.uniform(-1, 1, (20, COLUMNS)).astype(np.float32)
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.savez(folder / "val.npz", x=inputs)
        (folder / "product.mlir").write_text(MODEL.replace("{weights}", str(weights.round(4).tolist())))
        for kind, options in (("floats", ["--format", "f32"]), ("fixed_16", ["--width", "16"])):
            command = ["compile", str(folder / "product.mlir"), "--val", str(folder / "val.npz"), *options]
            assert compiled([*command, "--target", DEVICE, "-o", str(folder / kind)])
            cycles = json.loads((folder / kind / "report.json").read_text())["cycles_per_inference"]
            found[kind] = cycles / weights.size
        found["hybrid"] = _hybrid(folder, weights, inputs) / weights.size
    found["times"] = found["hybrid"] / found["fixed_16"]
    return {name: round(value, 1) for name, value in found.items()}


def _hybrid(folder: Path, weights: np.ndarray, inputs: np.ndarray) -> float:
    """Cycles of the product; its results have to be those of the rounded weights."""
    scale = float(np.abs(weights).max()) / 127
    raws = np.round(weights / scale).astype(int)
    interface, runner = Interface("hybrid", "float", COLUMNS, "float", ROWS, has_label=False), runner_for(DEVICE)
    (folder / "hybrid.h").write_text(
        f"#include <stdint.h>\n#define hybrid_INPUT_LENGTH {COLUMNS}\n#define hybrid_OUTPUT_LENGTH {ROWS}\n"
        "void hybrid_predict(const float *X);\nconst float *hybrid_scores(void);\n"
    )
    rows = ", ".join("{" + ", ".join(map(str, row)) + "}" for row in raws.tolist())
    (folder / "hybrid.c").write_text(HYBRID.replace("{weights}", "{" + rows + "}").replace("{scale}", repr(scale)))
    ran = runner.run(runner.build(folder, interface, folder), interface, inputs)
    assert ran.cycles is not None
    assert ran.scores is not None
    np.testing.assert_allclose(ran.scores, inputs @ (raws * scale).T, rtol=1e-3, atol=1e-3)
    return float(ran.cycles.mean())

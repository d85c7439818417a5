"""NAME_push_floats converts real samples in the unit of a sensor, as NAME_set does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from oracles.onnx_models import model, node
from programs.runtime_functions import run_figure

import tinyml
from tinyml.targets.registry import HOST

_AROUND = """\
#include "figure.h"
#include "{program}"
static int32_t out[1];
const int32_t *figure_scores(void) {{ return out; }}
void figure_predict(const int32_t *X)
{{
    union {{ int32_t bits; float real; }} x;
    net_reset();
    for (int i = 0; i < {length}; i++) {{
        x.bits = X[i];
        net_push_floats(&x.real, 1);
    }}
    net_predict();
    x.real = net_score(0);
    out[0] = x.bits;
}}
"""


@pytest.mark.long
@pytest.mark.parametrize("unit", ["0.01-4:int16", "0.01:int16"])
def test_streams_in_the_unit_of_a_sensor(unit: str, tmp_path: Path):
    random = np.random.default_rng(0)
    nodes = [node("Transpose", "x", "image", perm=[0, 3, 1, 2]), node("Conv", "image f", "c")]
    nodes += [node("Relu", "c", "r"), node("Flatten", "r", "flat"), node("MatMul", "flat w")]
    constants = {name: random.normal(size=shape) for name, shape in (("f", (4, 1, 3, 3)), ("w", (336, 3)))}
    singles = {name: array.astype(np.float32) for name, array in constants.items()}
    (tmp_path / "net.onnx").write_bytes(model(nodes, [1, 16, 8, 1], singles).SerializeToString())
    x = random.normal(size=(100, 128)).astype(np.float32)
    file = tmp_path / "net.onnx"
    program = tinyml.compile(file, x, board=HOST, input="push", format="fixed", width=16, input_unit=unit)
    program.save(tmp_path / "saved")
    (tmp_path / "pushed").mkdir()
    source = _AROUND.format(program=tmp_path / "saved" / "net.c", length=x.shape[1])
    found = run_figure(source, x.view(np.int32), 1, HOST, tmp_path / "pushed", output="int32_t")
    np.testing.assert_array_equal(found.ravel().astype(np.int32).view(np.float32), program.scores(x)[:, 0])

"""Several instances of a program: each has separate memory and computes the results of a single instance."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.devices import BOARDS, DEVICES
from programs.paths import MODELS
from programs.printed import WARNING_FLAGS
from programs.sensor_models import sensor_model
from programs.spread import spread, spread_product

from tinyml.dialects.context import context
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import Interface, runner_for
from tinyml.runtime.devices.toolchain import call_tool
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate
from tinyml.runtime.model.data import load_data
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.registry import HOST, board, chip_of
from tinyml.tools.driver.compile_model import compile_model
from tinyml.tools.driver.program_in_folder import program_in
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest
from tinyml.tools.driver.stages import load_program

HEADER = """\
#include <stdint.h>
#define pair_INPUT_LENGTH {inputs}
#define pair_OUTPUT_LENGTH 2
int16_t pair_predict(const {type} *X);
const int16_t *pair_scores(void);
"""

PAIR = """\
#include "{name}.h"
#include "pair.h"

static {name}_ctx first, second;
static int16_t labels[2];

static void spoil({name}_ctx *ctx)
{{
    for (uint16_t i = 0; i < sizeof *ctx; i++)
        ((unsigned char *)ctx)[i] = 0xa5;
}}

/* Each step is done for both instances before the next one. */
int16_t pair_predict(const {type} *X)
{{
    spoil(&first);
    spoil(&second);
    for (uint16_t i = 0; i < {name}_INPUT_LENGTH; i++) {{
        {name}_input(&first)[i] = X[i];
        {name}_input(&second)[i] = X[{name}_INPUT_LENGTH + i];
    }}
    int16_t answers[2] = {{{name}_run(&first), {name}_run(&second)}};
    for (int i = 0; i < 2; i++)
        labels[i] = answers[i];
    /* The scores of the first instance outlive the run of the second. */
    return (int16_t)(labels[0] * 256 + ({name}_score(&first, 0) > {name}_score(&second, 0)));
}}

const int16_t *pair_scores(void) {{ return labels; }}
"""


@pytest.mark.long
@pytest.mark.parametrize(("options", "device"), spread_product(3, [{}, {"reuse_input": True}], DEVICES))
def test_interleaved_instances_compute_what_each_does_alone(device: str, options: dict[str, Any], tmp_path: Path):
    out = sensor_model(tmp_path, device, outputs="scores", instances=True, **options).out
    formats = load_program(out / "ir" / "1-formats.mlir", context())
    model = interface_of(formats)
    raws = encode_inputs(formats, np.load(tmp_path / "val.npz")["x"].astype(np.float32))
    alone = evaluate(formats, raws)
    assert alone.scores is not None
    source = tmp_path / "source"
    source.mkdir()
    for suffix in (".c", ".h"):
        shutil.copy(out / f"{model.name}{suffix}", source)
    words = {"name": model.name, "type": model.input_ctype, "inputs": 2 * model.input_length}
    (source / "pair.h").write_text(HEADER.format(**words))
    (source / "pair.c").write_text(PAIR.format(**words))
    pair = Interface("pair", model.input_ctype, 2 * model.input_length, "int16_t", 2, has_label=True)
    runner = HostRunner(sanitize=True) if device == HOST else runner_for(device)
    build = runner.build(source, pair, tmp_path, extra_flags=WARNING_FLAGS)
    half = len(raws) // 2
    result = runner.run(build, pair, np.hstack([raws[:half], raws[half:]]))
    assert result.scores is not None
    np.testing.assert_array_equal(result.scores, np.stack([alone.classes[:half], alone.classes[half:]], axis=1))
    greater = alone.scores[:half, 0] > alone.scores[half:, 0]
    np.testing.assert_array_equal(result.labels, alone.classes[:half] * 256 + greater)


@pytest.mark.long(seconds=5)
def test_a_program_with_instances_runs_on_every_device(tmp_path: Path):
    """A program with instances computes the evaluator's bits on every device. The caller's input array is part of the
    instance, which needs no more RAM than a separate arena and array.
    """
    data = MODELS["protonn"].parent / "val.npz"
    request = Request(model=MODELS["protonn"], val=data, width=16, out=tmp_path / "out", instances=True)
    report = compile_model(request)
    ram = report["ram_bytes"]
    assert report["instances"]
    assert ram["static"] == ram["arena"] + ram["input"]
    [keywords] = (tmp_path / "out/arduino").glob("*/keywords.txt")
    assert "protonn_gesturepod_ctx\tKEYWORD1\n" in keywords.read_text()
    assert len(load_data(str(data)).x) > 3
    program = program_in(request.out)
    for device in spread(DEVICES, 3):
        result = run_model(RunRequest(folder=request.out, data=data, device=device, limit=3), program)
        assert result["mismatch"] is None


@pytest.mark.long
@pytest.mark.parametrize("target", spread(BOARDS, 3))
def test_nothing_static_is_written(target: str, tmp_path: Path):
    chip, kinds = chip_of(target), dict[bool, str]()
    for instances in (False, True):
        folder = tmp_path / str(instances)
        folder.mkdir()
        out = sensor_model(folder, target, instances=instances, packages=()).out
        flags = [*board(target).flags, *chip.flags, *WARNING_FLAGS]
        call_tool(chip, "cc", [*flags, "-Os", "-c", out / "gestures.c", "-o", folder / "model.o"])
        kinds[instances] = "".join(re.findall(r" (\w) \w+$", call_tool(chip, "nm", [folder / "model.o"]), re.MULTILINE))
    assert set("bB") & set(kinds[False])
    assert not set("bBcCdDsS") & set(kinds[True])

"""Programs with integers of sensors as inputs return the results for the reals that these integers represent, on every
device.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.compiled import compile_without_pictures
from programs.sensor_cases import CASES, DEVICES, CompiledCase
from programs.spread import spread

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.fixed.type import ByteType, SignedType
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.tdsl.sensor_units import InputUnit
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.targets.registry import HOST
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest
from tinyml.tools.driver.stages import load_program

FLOAT_SAMPLES, CHOSEN_FROM = 8, 60
SAMPLES = {"protonn-gesturepod": 300, "bonsai-mnist16": 100, "fastgrnn-mnist16": 30, "pruned-lenet": 10}
"""Samples on each device."""


@pytest.fixture(scope="module", params=spread(CASES, 2))
def compiled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> CompiledCase:
    """A program whose formats are chosen on reals and whose input consists of integers of a sensor."""
    name = request.param
    folder = tmp_path_factory.mktemp("out") / name
    compiled = CASES[name].compiled(folder, integers=True, limit=SAMPLES[name], chosen_from=CHOSEN_FROM)
    assert compiled.report["sensor"]["unit"] == CASES[name].unit
    assert compiled.report["sensor"]["clipped"] == 0
    assert compiled.report["accuracy"] >= compiled.report["accuracy_float"] - 5
    return compiled


@pytest.mark.long
def test_integers_and_their_reals_have_the_same_answers(compiled: CompiledCase) -> None:
    """Integers and the reals that they represent become the same raws. The raws are the integers themselves, as
    unsigned bytes or signed integers of other widths.
    """
    raws = compiled.raws("raws")
    np.testing.assert_array_equal(raws, compiled.raws("reals"))
    with np.load(compiled.folder / "raws.npz") as data:
        given = data["x"]
    np.testing.assert_array_equal(raws.view(np.uint8) if compiled.case.unit == "uint8:1" else raws, given)
    assert (compiled.expected.classes == compiled.classes).mean() > 0.85


@pytest.mark.long
@pytest.mark.parametrize("device", spread(DEVICES, 3))
def test_devices_equal_the_evaluator(compiled: CompiledCase, device: str) -> None:
    data = compiled.folder / "raws.npz"
    result = run_model(RunRequest(folder=compiled.out(device), data=data, device=device))
    assert result["samples"] == len(compiled.classes)
    assert result["mismatch"] is None


@pytest.mark.long
@pytest.mark.parametrize("device", spread(DEVICES, 4))
def test_floats_have_the_same_answers_on_devices(compiled: CompiledCase, device: str, tmp_path: Path) -> None:
    """NAME_predict_floats, which converts reals to the sensor's integers, returns the evaluator's results."""
    found, expected = compiled.on_floats(device, tmp_path, FLOAT_SAMPLES), compiled.expected
    assert expected.scores is not None
    np.testing.assert_array_equal(found.labels, expected.classes[:FLOAT_SAMPLES])
    np.testing.assert_array_equal(found.scores, expected.scores[:FLOAT_SAMPLES])


@pytest.mark.long
def test_the_header_says_what_comes_in(compiled: CompiledCase) -> None:
    [header] = compiled.out(HOST).glob("*.h")
    assert f'#define {header.stem}_INPUT_UNIT "{compiled.case.unit}"' in header.read_text("utf-8")


LIMITS = """
func.func @limits(%X: tensor<4x1xf32>) -> (index, tensor<2x1xf32>) {{
  %W = tdsl.const dense<[[1.0, -0.75, 0.5, -1.0], [0.25, 1.0, -1.0, 0.5]]> : tensor<2x4xf32> -> tensor<2x4xf32>
  %y = {body}
  %label = tdsl.argmax %y : tensor<2x1xf32>
  func.return %label, %y : index, tensor<2x1xf32>
}}
"""
BODIES = {
    "dense": "tdsl.matmul %W, %X : tensor<2x4xf32>, tensor<4x1xf32> -> tensor<2x1xf32>",
    "tanh": """tdsl.matmul %W, %t : tensor<2x4xf32>, tensor<4x1xf32> -> tensor<2x1xf32>""",
}
FIRST = {"dense": "", "tanh": "%t = tdsl.tanh %X : tensor<4x1xf32> -> tensor<4x1xf32>\n  "}


@pytest.mark.long
@pytest.mark.parametrize(
    ("body", "unit", "options", "entry"),
    spread(
        [
            ("dense", "int16", {"width": 16}, "read"),
            ("dense", "g16384,2x0.001+0.5,q15", {"width": 16}, "read"),
            ("dense", "g16384", {"width": 8}, "cast"),
            ("dense", "adc10:5", {"format": "zeroskew", "width": 8}, "cast"),
            ("dense", "uint8", {"format": "zeroskew", "width": 8}, "cast"),
            ("tanh", "0.0001-1:int16", {"width": 16}, "computed"),
            ("tanh", "uint8:1", {"width": 16}, "computed"),
            ("dense", "adc12", {"format": "posit", "width": 16}, "read"),
        ],
        4,
    ),
)
def test_every_integer_may_come(body: str, unit: str, options: dict[str, Any], entry: str, tmp_path: Path) -> None:
    """If each element is the least or the greatest integer of its unit, the program computes the evaluator's bits,
    since proofs of sums include these integers.
    """
    text = LIMITS.format(body=BODIES[body]).replace("%y = ", f"{FIRST[body]}%y = ")
    (tmp_path / "limits.mlir").write_text(text)
    units = list(InputUnit.parse(unit, 4).units)
    limits = [(one.low, one.high) for one in (units * 4)[:4]]
    ends = np.array(list(product(*limits)))
    np.savez(tmp_path / "x.npz", x=np.concatenate([ends, ends // 3, ends // 100]))
    out, val = tmp_path / "out", tmp_path / "x.npz"
    asked: dict[str, Any] = {"format": "fixed", "target": "uno", "input_unit": unit, **options}
    report = compile_without_pictures(Request(model=tmp_path / "limits.mlir", val=val, out=out, **asked))
    assert report["sensor"]["entry"] == entry
    assert report["mismatch"] is None
    assert run_model(RunRequest(folder=out, data=val))["mismatch"] is None
    argument = predict_function(load_program(out / "ir/1-formats.mlir", context())).body.block.args[0]
    assert tdsl.format_of(argument) == InputUnit.parse(unit, 4).format


def test_bytes_are_signed_integers_with_the_upper_bit_flipped() -> None:
    raws = np.arange(256).astype(np.uint8).view(np.int8)
    bytes, signed, machine = ByteType(8, 3), SignedType(8, 3), NumpyMachine()
    np.testing.assert_array_equal(bytes.decode(raws), (np.arange(256) - 128) / 8)
    np.testing.assert_array_equal(bytes.encode(bytes.decode(raws)), raws)
    np.testing.assert_array_equal(signed.recode(machine, raws, bytes), np.arange(256) - 128)
    np.testing.assert_array_equal(bytes.recode(machine, np.arange(-128, 128).astype(np.int8), signed), raws)
    pairs = np.repeat(raws, 256), np.tile(raws, 256)
    expected = bytes.decode(pairs[0]) > bytes.decode(pairs[1])
    np.testing.assert_array_equal(bytes.greater(machine, *pairs), expected)

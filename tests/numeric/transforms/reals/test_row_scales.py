"""A separate scale for each row of weights: rewrites of reals are exact, 8-bit weights are more accurate, and every
device computes the same bits.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from programs.devices import DEVICES
from programs.spread import spread

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.exact.accumulator import AccumulatorType
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.runtime.evaluator.evaluator import evaluate_reals
from tinyml.runtime.model.data import load_data
from tinyml.targets.registry import HOST, board
from tinyml.tools.driver.compile_model import build_folder
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest
from tinyml.tools.driver.stages import load_program
from tinyml.transforms.reals.scale_rows import ScaleRowsPass

PROGRAM = """
let X = (20, 1) in [-1.0, 1.0] in
let W = (16, 20) in [-4.0, 4.0] in
let S = (16, 20) in [-4.0, 4.0] in
let V = (2, 5, 16) in [-40.0, 40.0] in
let H = tanh(W * X) + tanh(S |*| X) in
let n = (V[0] * H) <*> (V[1] * H) in
argmax(n)
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a model whose rows of weights differ in magnitude by up to 2^6. The columns of the matrix that
    multiplies the results differ inversely, by up to 2^4.
    """
    random = np.random.default_rng(7)
    folder = tmp_path_factory.mktemp("model")
    sizes = 2.0 ** -np.arange(16).clip(0, 6)[:, None]
    sparse = random.random((16, 20)) < 0.3
    weights = {
        "W": random.normal(0.0, 1.0, (16, 20)) * sizes,
        "S": random.normal(0.0, 1.0, (16, 20)) * sizes * sparse,
        "V": random.normal(0.0, 1.0, (2, 5, 16)) * np.minimum(1 / sizes.T, 16.0),
    }
    for name, values in weights.items():
        np.save(folder / f"{name}.npy", values.astype(np.float32))
    (folder / "model.sd").write_text(PROGRAM)
    np.savez(folder / "val.npz", x=random.uniform(-1.0, 1.0, (300, 20)).astype(np.float32))
    return folder / "model.sd"


def test_reals_do_not_change(model: Path) -> None:
    ctx = context()
    plain = load_program(model, ctx)
    scaled = plain.clone()
    ScaleRowsPass().apply(ctx, scaled)
    assert "row_shifts" in str(scaled)
    x = load_data(str(model.parent / "val.npz")).x
    expected, found = (evaluate_reals(program, x) for program in (plain, scaled))
    np.testing.assert_array_equal(found.classes, expected.classes)


@pytest.fixture(scope="module")
def compiled(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compiled")
    asked = Request(model=model, val=model.parent / "val.npz", width=8, out=folder, row_scales=True)
    plain = tmp_path_factory.mktemp("plain")
    without = Request(model=model, val=model.parent / "val.npz", width=8, out=plain)
    report = build_folder(asked, board("uno"), folder, must_fit=True).report.as_json()
    before = build_folder(without, board("uno"), plain, must_fit=True).report.as_json()
    assert report["disagreements"] < before["disagreements"]
    assert report["row_scales"]
    assert not before["row_scales"]
    return folder


@pytest.mark.long
@pytest.mark.parametrize(("device", "limit"), [(name, 300 if name == HOST else 10) for name in spread(DEVICES, 4)])
def test_device_equals_evaluator(compiled: Path, model: Path, device: str, limit: int) -> None:
    result = run_model(RunRequest(folder=compiled, data=model.parent / "val.npz", device=device, limit=limit))
    assert result["mismatch"] is None


def test_formats_without_a_scale_have_none(model: Path, tmp_path: Path) -> None:
    asked = Request(model=model, val=model.parent / "val.npz", format="f32", out=tmp_path, row_scales=True)
    with pytest.raises(InputError, match="per-row scales are for formats that have a scale"):
        build_folder(asked, board("uno"), tmp_path, must_fit=True)


@pytest.mark.parametrize("places", range(16))
def test_a_shift_before_rounding_loses_nothing(places: int) -> None:
    """floor((floor(x / 2^s) + h) / 2^r) is floor((x + h 2^s) / 2^(s + r)): the sum is rounded once."""
    machine, format = NumpyMachine(), FixedType(16, 2)
    sums = np.arange(-(1 << 18), 1 << 18, 7).astype("i4")
    shifted = AccumulatorType(32, 6).shifted(machine, sums, np.array(places, np.int8))
    found = format.finish(machine, shifted, AccumulatorType(32, 6), (-(1 << 18), 1 << 18))
    exact = np.floor(sums / 2.0 ** (4 + places) + 0.5)
    np.testing.assert_array_equal(found, np.clip(exact, *format.limits))

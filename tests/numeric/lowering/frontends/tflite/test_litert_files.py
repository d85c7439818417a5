"""Files of litert-torch and litert-quantizer compute the outputs of LiteRT's interpreter."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.devices import DEVICES
from programs.on_boards import difference, printed
from programs.paths import ROOT
from programs.spread import spread
from programs.tflite_models import computed_by_tflm
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.tflite import model
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import evaluate, evaluate_reals

FOLDER = ROOT / "tests/models/litert"

MOST = {
    "float": 1e-6,
    "weights8": 1e-6,
    "weights4": 1e-6,
    "pt2e-int8": 0,
    "int8": 0,
    "int8-weights4": 1,
    "16x8": 1,
    "16x8-weights4": 1,
    "pt2e-dynamic8": 0.01,
    "dynamic8": 0.01,
    "dynamic4": 0.01,
    "dynamic2": 0.01,
    "dynamic-blocks4": 0.01,
}
"""The greatest difference from LiteRT's interpreter, which rounds sums of dense layers once where TFLM rounds twice,
and, in dynamic range, rounds activations to 8 bits where the program computes in floats."""

OF_TFLM = ("float", "pt2e-int8", "int8", "16x8")
"""The files of which TFLM computes the outputs of the program. It refuses the others, except `weights8`, of which it
computes other outputs."""

PACKED = ("int8-weights4", "16x8-weights4")


def imported(name: str) -> tuple[bytes, ModuleOp]:
    content = (FOLDER / f"{name}.tflite").read_bytes()
    return content, read_tflite(content, f"{name}.tflite")


def recorded(name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    with np.load(FOLDER / "expected.npz") as arrays:
        x = arrays[f"x_{arrays[name].dtype}"]
        return x, arrays[name]


def test_each_file_has_its_bound():
    assert sorted(MOST) == sorted(file.stem for file in FOLDER.glob("*.tflite"))


@pytest.mark.long
@pytest.mark.parametrize("name", MOST)
def test_recorded_outputs(name: str):
    content, module = imported(name)
    module.verify()
    x, expected = recorded(name)
    compute = evaluate if tdsl.has_formats(module) else evaluate_reals
    got = compute(module, x.reshape(len(x), -1)).scores
    assert got is not None
    assert got.std() > 20 * MOST[name]
    assert np.abs(got.astype(np.float64) - expected).max() <= MOST[name]
    if name in OF_TFLM:
        [theirs] = computed_by_tflm(content, x)
        assert np.abs(got.astype(np.float64) - theirs).max() <= (1e-6 if got.dtype.kind == "f" else 0)


@pytest.mark.parametrize("name", sorted(MOST.keys() - {*OF_TFLM, "weights8"}))
def test_files_that_tflm_refuses(name: str):
    content, _ = imported(name)
    with pytest.raises(RuntimeError, match="TFLM failed to allocate tensors"):
        computed_by_tflm(content, recorded(name)[0][:1])


@pytest.mark.long
@pytest.mark.parametrize("number", spread(range(2 * len(DEVICES)), 4))
def test_packed_weights_of_4_bits_on_devices(number: int, tmp_path: Path):
    name, device = PACKED[number // len(DEVICES)], DEVICES[number % len(DEVICES)]
    _, module = imported(name)
    assert "!zeroskew.q<4" in str(module)
    x, _ = recorded(name)
    source = printed(module, device, tmp_path / "source", {"packed": "always"})
    found = difference(module, x[:6].reshape(6, -1), source, runner_for(device), tmp_path / "build")
    assert found is None


def test_constants_of_unknown_types_are_refused(monkeypatch: pytest.MonkeyPatch):
    """In a model with activations in floating point, a weight constant of an unsupported type is rejected and not read
    as zeros.
    """
    monkeypatch.setitem(model.TYPES, 17, "uint4")
    with pytest.raises(
        InputError, match=r"^dynamic4.tflite: operator 8 \(FULLY_CONNECTED, .* is of type uint4, which is"
    ):
        imported("dynamic4")


def test_zero_points_that_a_table_omits_are_tensor_0():
    """If a table of blocks omits the index of the tensor of zero points, the index is 0, because FlatBuffers omit
    zeros. The model is then rejected, since blocks with zero points are not supported. A table without zero points
    has the index -1.
    """
    content = bytearray((FOLDER / "dynamic-blocks4.tflite").read_bytes())
    fields = content.index(struct.pack("<3i", 32, -1, 20))
    entries = fields - 4 - struct.unpack_from("<i", content, fields - 4)[0]
    assert struct.unpack_from("<5H", content, entries) == (10, 16, 12, 8, 4)
    struct.pack_into("<H", content, entries + 6, 0)
    with pytest.raises(InputError, match="has blocks with zero points, expected 0"):
        read_tflite(bytes(content), "dynamic-blocks4.tflite")

"""The memory that the evaluation of samples needs is estimated before it is allocated. If the estimate is too large,
the samples are rejected.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from programs.paths import ROOT

from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.runtime.model import memory
from tinyml.runtime.model.data import load_data
from tinyml.runtime.model.memory import RESERVE, free_memory
from tinyml.transforms.formats.constants import input_moments
from tinyml.transforms.formats.constants.input_moments import InputMoments


def test_too_many_samples_are_refused_with_the_number_that_fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "x.npz"
    np.savez(file, x=np.zeros((100, 250), np.float32))
    monkeypatch.setattr(memory, "free_memory", lambda: RESERVE + 41 * 4000)
    with pytest.raises(InputError, match=r"reading 100 samples takes about .* are free: give at most 41 samples"):
        load_data(str(file))
    np.savez(file, x=np.zeros((41, 250), np.float32))
    assert len(load_data(str(file))) == 41


def test_the_limit_of_the_process_counts(monkeypatch: pytest.MonkeyPatch):
    assert free_memory() != 0

    def no_room(limit: int) -> tuple[int, int]:
        return 1 << 20, 1 << 20

    monkeypatch.setattr(memory.resource, "getrlimit", no_room)
    assert free_memory() == 0


def test_what_rounding_keeps_of_a_large_data_set_is_bounded(monkeypatch: pytest.MonkeyPatch):
    """For the rounding of constants, the stored inputs of products are limited to `MAX_VALUES` numbers. The mean
    squares of this selection are within 20 % of those of all inputs. If even the selection exceeds the free memory,
    an error is raised.
    """
    file = ROOT / "examples/pruned-lenet/lenet.onnx"
    function = predict_function(read_onnx(file.read_bytes(), str(file)))
    inputs = np.random.default_rng(0).random((64, 784))

    def kept(moments: InputMoments) -> int:
        return sum(part.size for windows in moments.windows.values() for part in windows.vectors)

    whole = InputMoments(function, inputs)
    monkeypatch.setattr(input_moments, "MAX_VALUES", 200_000)
    some = InputMoments(function, inputs)
    assert 50_000 < kept(some) <= 200_000 < kept(whole)
    for op, windows in some.windows.items():
        np.testing.assert_allclose(windows.mean_squares, whole.windows[op].mean_squares, rtol=0.2, atol=0.01)
    monkeypatch.setattr(memory, "free_memory", lambda: RESERVE)
    with pytest.raises(InputError, match=r"rounding constants on .* samples takes about"):
        InputMoments(function, inputs)

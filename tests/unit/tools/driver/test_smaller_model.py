"""Advice on models and front ends that do not fit a board: what it names fits."""

from __future__ import annotations

import re
import warnings
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from programs.signals import noise, tones

import tinyml
from tinyml import features

LogisticRegression: Any = import_module("sklearn.linear_model").LogisticRegression

SAMPLES = 1024


def compiled_for_uno(frame: int, hop: int) -> tinyml.Program:
    """A program on spectra of frames. An Uno has 2,048 bytes of RAM."""
    quiet = np.arange(40) % 2
    x = 0.7 * tones(40, SAMPLES, 1) + 0.1 * noise(40, SAMPLES, 1)
    x = (x * (1 - 0.7 * quiet)[:, None]).clip(-1, 1).astype(np.float32)
    spectra = features.Spectrogram(samples=SAMPLES, frame=frame, hop=hop, rate=4000.0, bands=4)
    front_end = features.for_device(spectra, x)
    model = front_end.followed_by(LogisticRegression().fit(front_end(x), quiet))
    with warnings.catch_warnings(action="ignore"):
        return tinyml.compile(model, x[::4], quiet[::4], board="uno", input="push", format="fixed", width=16)


def test_a_front_end_that_fills_the_ram_gets_a_shorter_frame_that_fits() -> None:
    with pytest.raises(tinyml.InputError, match="buffers of a frame of 512 numbers take 2,048 bytes of RAM") as refused:
        compiled_for_uno(512, 512)
    said = re.search(r"a shorter one fits, such as frame=(\d+), hop=(\d+)", str(refused.value))
    assert said is not None
    assert "n_estimators" not in str(refused.value)
    compiled_for_uno(int(said[1]), int(said[2]))

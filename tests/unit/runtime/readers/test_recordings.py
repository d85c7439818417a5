"""WAV files become samples from -1 to 1, the mean of all channels. Files of more than 16 bits, damaged files, files
that are not WAV files, and recordings beyond the limit on elements are rejected.
"""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import pytest

from tinyml.dialects.errors import InputError
from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.runtime.readers.recordings import read_wav


def written(file: Path, data: bytes, *, width: int = 2, channels: int = 1) -> Path:
    with wave.open(str(file), "wb") as to:
        to.setparams((channels, width, 8000, 0, "NONE", ""))
        to.writeframes(data)
    return file


def test_samples_lie_from_minus_one_to_one(tmp_path: Path):
    raws = np.array([-32768, 0, 16384, 32767], "<i2")
    read = read_wav(written(tmp_path / "a.wav", raws.tobytes()))
    assert read.rate == 8000
    np.testing.assert_array_equal(read.samples, (raws / 32768).astype(np.float32))
    read = read_wav(written(tmp_path / "b.wav", bytes([0, 128, 192]), width=1))
    assert read.samples.tolist() == [-1, 0, 0.5]
    read = read_wav(written(tmp_path / "c.wav", raws.tobytes(), channels=2))
    assert read.samples.tolist() == [-0.5, np.float32((16384 + 32767) / 65536)]


def complaint(file: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_wav(file)
    assert caught.value.file == str(file)
    return caught.value.message


def test_refusals(tmp_path: Path):
    file = written(tmp_path / "a.wav", bytes(96), width=3)
    assert complaint(file) == "cannot read the recording, a WAV file of 8 or 16 bits: its samples have 24 bits"
    content = written(tmp_path / "b.wav", bytes(100)).read_bytes()
    for end in range(len(content)):
        (tmp_path / "c.wav").write_bytes(content[:end])
        assert complaint(tmp_path / "c.wav").startswith("cannot read the recording")
    for chunk in (b"JUNK", b"fmt ", b"data", b"LIST"):
        for at in (12, 36):
            (tmp_path / "c.wav").write_bytes(content[:at] + chunk + b"\xff\xff\xff\xff" + content[at:])
            assert complaint(tmp_path / "c.wav").startswith("cannot read the recording"), (chunk, at)
    assert "No such file" in complaint(tmp_path / "none.wav")
    token = ELEMENT_LIMIT.set(49)
    try:
        assert "it has 50 samples; --max-elements raises the limit" in complaint(tmp_path / "b.wav")
    finally:
        ELEMENT_LIMIT.reset(token)

"""Sound recordings: WAV files with samples of 8 or 16 bits."""

from __future__ import annotations

import wave
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.runtime.readers.regular_files import open_regular

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WHAT = "recording"

_SCALES = {1: ("<u1", 128, 128), 2: ("<i2", 0, 32768)}
"""By bytes per sample: the sample type, the value of silence, and its distance from full scale."""


@dataclass(frozen=True, eq=False)
class Recording:
    """A sound recording of one channel.

    samples: an array of shape (samples,) with values in [-1, 1].
    rate: the number of samples per second.
    """

    samples: NDArray[np.float32]
    rate: int


def read_wav(path: Path) -> Recording:
    """The recording in a WAV file. Several channels are averaged.

    Raises `InputError` for a file that is not a WAV file, is truncated, has samples other than 8-bit or 16-bit
    integers, a rate of less than one sample per second, or more samples than the limit on elements.
    """
    try:
        with open_regular(path, _WHAT) as stream, wave.open(stream) as sound:
            channels, width, rate, frames, *_ = sound.getparams()
            if rate < 1:
                raise wave.Error(f"its rate is {rate} samples per second")
            if width not in _SCALES:
                raise wave.Error(f"its samples have {8 * width} bits")
            if frames * channels > ELEMENT_LIMIT.get():
                raise wave.Error(f"it has {frames * channels} samples; --max-elements raises the limit")
            data = sound.readframes(frames)
    # `wave` raises a bare `RuntimeError` for a chunk that would end beyond the file.
    except (wave.Error, EOFError, RuntimeError) as error:
        reason = str(error) or "the file is truncated"
        raise InputError(f"cannot read the {_WHAT}, a WAV file of 8 or 16 bits: {reason}", file=str(path)) from error
    if len(data) < frames * channels * width:
        raise InputError(f"cannot read the {_WHAT}: the file is truncated", file=str(path))
    dtype, zero, scale = _SCALES[width]
    sums = np.frombuffer(data, dtype).reshape(frames, channels).mean(axis=1, dtype=np.float64)
    return Recording(((sums - zero) / scale).astype(np.float32), rate)

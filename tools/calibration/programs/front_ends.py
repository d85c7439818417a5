"""Front ends of audio, whose programs measure the runtime functions of Fourier transforms and of mel channels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinyml.lowering.frontends.signals.front_ends import FrontEnd, Spectrogram
from tinyml.lowering.frontends.signals.micro_frontend import MicroFrontend

STEPS = (
    "tm_butterflies",
    "tm_channel",
    "tm_noise",
    "tm_real_spectrum",
    "tm_reverse_bits",
    "tm_scaled_spectrum",
    "tm_taper",
)
"""The beginnings of the names of the steps that front ends measure."""

FRAMES = 2
"""The number of frames of each program."""

LEVELS = 0.02, 0.1, 0.4
"""The standard deviations of the noise in each signal, which precedes a tone."""


@dataclass(frozen=True)
class MadeFrontEnd:
    """A front end and signals from -1 to 1, of shape (n, samples)."""

    front_end: FrontEnd
    x: np.ndarray[tuple[int, int], np.dtype[np.float32]]

    def write(self, folder: Path) -> Path:
        """Write the program and its validation data to a folder and return the program's file."""
        folder.mkdir()
        np.savez(folder / "val.npz", x=self.x)
        (folder / "program.mlir").write_text(str(self.front_end.module()))
        return folder / "program.mlir"


def front_ends() -> Iterator[MadeFrontEnd]:
    """Yield front ends with different lengths of frames and numbers of channels, in a fixed order."""
    for frame, channels, scale in ((480, 40, 26 / 255), (480, 16, None), (128, 24, 26 / 255), (128, 8, None)):
        hop = frame // 3
        samples = frame + (FRAMES - 1) * hop
        front_end = MicroFrontend(samples=samples, frame=frame, hop=hop, channels=channels, scale=scale)
        yield MadeFrontEnd(front_end, _signals(samples))
    for frame in (32, 64, 256):
        spectrogram = Spectrogram(samples=FRAMES * frame, frame=frame, hop=frame, bands=4, floor=0.1)
        yield MadeFrontEnd(spectrogram, _signals(spectrogram.samples))


def _signals(samples: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    random = np.random.default_rng(samples)
    tone = np.sin(np.arange(samples) * 0.37)
    return np.stack([(level * (random.normal(size=samples) + tone)).clip(-1, 1) for level in LEVELS]).astype("f4")

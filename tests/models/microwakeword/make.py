"""Store the results of pymicro-features and pymicro-wakeword for sounds; `make wake-words` runs this script."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).parent
UNIT = 0.0390625
HOP = 160
WORDS = "hey_jarvis", "okay_nabu"


def features(samples: NDArray[np.int16]) -> NDArray[np.uint16]:
    """The integer features of all frames, of shape (frames, channels)."""
    front_end: Any = import_module("pymicro_features").MicroFrontend()
    rows: list[NDArray[np.uint16]] = []
    for start in range(0, len(samples), HOP):
        output = front_end.process_samples(samples[start : start + HOP].astype("<i2").tobytes())
        if output.features:
            rows.append(np.round(np.array(output.features) / UNIT).astype(np.uint16))
    return np.array(rows)


def means(name: str, samples: NDArray[np.int16]) -> NDArray[np.float64]:
    """The mean probability that the model of a word computes after each of its steps."""
    package: Any = import_module("pymicro_wakeword")
    library = next((Path(package.__file__).parent / "lib").glob("*tensorflowlite_c.*"))
    word = package.MicroWakeWord.from_config(HERE / f"{name}.json", library)
    front_end = package.MicroWakeWordFeatures()
    found: list[float] = []
    for number, row in enumerate(front_end.process_streaming(samples.astype("<i2").tobytes()), 1):
        mean = word.process_streaming_prob(row)
        if number % word.stride == 0:
            found.append(mean)
    return np.array(found)


def main() -> None:
    """Write expected.npz."""
    sys.path.append(str(HERE.parents[1]))
    programs = import_module("programs.sounds")
    expected: dict[str, Any] = {name: features(samples) for name, samples in programs.sounds().items()}
    expected |= {name: means(name, programs.wake_word(name)) for name in WORDS}
    np.savez_compressed(HERE / "expected.npz", **expected)


if __name__ == "__main__":
    main()

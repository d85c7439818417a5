"""Wake words of microWakeWord: `tinyml.compile` with `features`, `cutoff` and `window`."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.boosted.json_files import parse_json
from tinyml.lowering.frontends.signals.micro_frontend import MicroFrontend
from tinyml.lowering.frontends.signals.wake_words import USUAL_WINDOW, WakeWord, described, wake_word
from tinyml.runtime.readers.regular_files import read_bytes
from tinyml.tools.api.arguments import python_terms
from tinyml.tools.api.features import DeviceFeatures
from tinyml.tools.api.loading import Model


def wake_word_of(source: object, features: object, cutoff: float | None, window: int | None) -> Model:
    """The program from samples to a trigger, for a wake word in a .tflite file or a .json file of microWakeWord.

    features: a `MicroFrontend` or the result of `for_device`; None for the usual one. cutoff, window: as in `WakeWord`;
    None for those of the .json file, and for a .tflite file a window of 5. Raises `InputError` for another source and
    without a cutoff.
    """
    if not isinstance(source, str | os.PathLike):
        raise InputError("features, cutoff and window belong to a wake word in a .tflite or .json file")
    front_end = features.front_end if isinstance(features, DeviceFeatures) else features
    if front_end is None:
        front_end = MicroFrontend()
    if not isinstance(front_end, MicroFrontend):
        raise InputError(f"the front end of a wake word: expected a MicroFrontend, got {type(front_end).__name__}")
    file = Path(os.fspath(source))
    with python_terms({}):
        if file.suffix == ".json":
            wanted = described(parse_json(read_bytes(file, "model"), str(file)), str(file))
        elif cutoff is None:
            raise InputError("cutoff is missing: the probability above which the word is detected", file=str(file))
        else:
            wanted = WakeWord(file, cutoff, USUAL_WINDOW)
        changes: dict[str, Any] = {"cutoff": cutoff, "window": window}
        wanted = replace(wanted, **{name: value for name, value in changes.items() if value is not None})
        return Model(wanted.file.stem, wake_word(front_end, wanted), file)

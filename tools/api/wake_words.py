"""Wake words of microWakeWord: `tinyml.compile` with `features`, `cutoff` and `window`, and several words at once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.signals.convolved_words import convolved_word
from tinyml.lowering.frontends.signals.log_mel import LogMel
from tinyml.lowering.frontends.signals.micro_frontend import MicroFrontend
from tinyml.lowering.frontends.signals.wake_words import USUAL_WINDOW, WakeWord, described, wake_word
from tinyml.runtime.readers.json_text import parse_json
from tinyml.runtime.readers.regular_files import read_bytes
from tinyml.tools.api.arguments import python_terms
from tinyml.tools.api.loading import Model

_NO_CUTOFF = "cutoff is missing: the probability above which the word is detected"


def wake_word_of(source: object, features: object, cutoff: float | None, window: int | None) -> Model:
    """The program from samples to a trigger, for a wake word in a .tflite file or a .json file of microWakeWord.

    features: a `MicroFrontend` or the result of `for_device`; None for microWakeWord's default front end. With a
        `LogMel`, the .tflite file is a network without states, such as that of MLPerf Tiny.
    cutoff, window: as in `WakeWord`. None selects the values in the .json file, and for a .tflite file a window of 5.
        With a `LogMel`, a window is an error.

    Raises `InputError` for any other source or front end, and if neither `cutoff` nor a .json file specifies a cutoff.
    """
    if not isinstance(source, str | os.PathLike):
        raise InputError("features, cutoff and window belong to a wake word in a .tflite or .json file")
    front_end = getattr(features, "front_end", features)
    if front_end is None:
        front_end = MicroFrontend()
    file = Path(os.fspath(source))
    if isinstance(front_end, LogMel):
        return _convolved(front_end, file, cutoff, window)
    if not isinstance(front_end, MicroFrontend):
        kind = type(front_end).__name__
        raise InputError(f"the front end of a wake word: expected a MicroFrontend or a LogMel, got {kind}")
    with python_terms({}):
        if file.suffix == ".json":
            wanted = described(parse_json(read_bytes(file, "model"), str(file)), str(file))
        elif cutoff is None:
            raise InputError(_NO_CUTOFF, file=str(file))
        else:
            wanted = WakeWord(file, cutoff, USUAL_WINDOW)
        changes: dict[str, Any] = {"cutoff": cutoff, "window": window}
        wanted = replace(wanted, **{name: value for name, value in changes.items() if value is not None})
        return Model(wanted.file.stem, wake_word(front_end, wanted), file)


def _convolved(front_end: LogMel, file: Path, cutoff: float | None, window: int | None) -> Model:
    with python_terms({}):
        if window is not None:
            raise InputError("with LogMel, each probability is compared with the cutoff: omit window", file=str(file))
        if cutoff is None:
            raise InputError(_NO_CUTOFF, file=str(file))
        return Model(file.stem, convolved_word(front_end, file, cutoff), file)


def wake_words(
    files: Sequence[str | os.PathLike[str]], *, features: MicroFrontend | None = None, name: str | None = None
) -> Model:
    """The program that detects several wake words with one front end, for `tinyml.compile`.

    The class is 0, or the number of the first word whose mean exceeds its cutoff. The scores are the means of all
    words.

    files: the .json files of the words.
    features: the front end; None for microWakeWord's default front end.
    name: the name of the program; by default the names of the models, joined by underscores.

    Raises `InputError` for fewer than two files, and for words whose features or windows differ.
    """
    with python_terms({}):
        if isinstance(files, str | os.PathLike) or len(files) < 2:
            raise InputError("expected the .json files of two wake words or more")
        paths = [Path(os.fspath(file)) for file in files]
        words = [described(parse_json(read_bytes(path, "model"), str(path)), str(path)) for path in paths]
        module = wake_word(features or MicroFrontend(), *words)
        return Model(name or "_".join(word.file.stem for word in words), module)

"""A writer of an output folder that contains a list of the values with which package templates are filled, and the
samples in C.
"""

from __future__ import annotations

from collections.abc import Mapping

from tinyml.extend.programs import PackagedModel, Packaging, model_words, stored_samples


def _files(model: PackagedModel) -> Mapping[str, str]:
    words = "".join(f"{word}\n" for word in sorted(model_words(model)))
    return {"words.txt": words, "samples.h": stored_samples(model)}


LISTING = Packaging("listing", _files)

"""Blobs of weights with a valid CRC-32 and other content, which a program under the address sanitizer binds."""

from __future__ import annotations

import warnings
from pathlib import Path
from random import Random
from typing import Any

from programs.hostile_blobs import CONTENT, LENGTH, OK, bound, caller_of, hostile_blob
from programs.random_models import cnn, estimator

import tinyml
from fuzz.verdicts import ACCEPTED, REFUSED, Harm
from tinyml.dialects.errors import InputError

BLOBS = 200
"""The changed blobs of each program."""

FORMATS: tuple[tuple[str, int | None], ...] = (
    *[("fixed", 8)] * 4, ("fixed", 16), ("fixed", 32), ("posit", 8), ("posit", 16), ("affine", 8), ("affine", 16),
    ("bf16", None), ("minifloat", 8), ("f32", None), ("codebook", 8),
)  # fmt: skip
"""The formats and widths from which a program has one."""


def blobs(number: int, random: Random, folder: Path) -> str:
    """Compile a random model with its weights in a blob, and bind changed blobs. Return the verdict on the compilation.

    Raises `Harm` if the program with its own blob is rejected, or if an access out of bounds, an overflow or an endless
    inference occurs with a blob that the program accepts.
    """
    made = cnn(random) if random.random() < 0.2 else estimator(random)
    format, width = random.choice(FORMATS)
    options: dict[str, Any] = {"weights_at": ".weights", "format": format, "width": width, "name": "model"}
    if random.random() < 0.6:
        options["weights_margin"] = random.choice([1.5, 2.0, 4.0])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = tinyml.compile(made.save(folder), made.x, made.y, board="host", **options)
    except InputError:
        return REFUSED
    out = program.folder
    blob = (out / "model.blob").read_bytes()
    caller = caller_of(out, "model", folder)
    try:
        if bound(caller, [blob]).keys() != {OK}:
            raise Harm("mismatch", f"{made.family}, {options}: the program rejects its own blob")
        results = bound(caller, [hostile_blob(blob, random) for _ in range(BLOBS)])
    except AssertionError as error:
        raise Harm("sanitizer", f"{made.family}, {options}: {error}") from error
    if not results.keys() <= {OK, LENGTH, CONTENT}:
        raise Harm("mismatch", f"{made.family}, {options}: other reasons of rejection: {results}")
    return ACCEPTED

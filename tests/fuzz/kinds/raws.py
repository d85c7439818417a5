"""Raws of 32 bits, whose low bits must reach the device: from arrays, files and standard types of integers."""

from __future__ import annotations

import warnings
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tinyml
from fuzz.verdicts import ACCEPTED, Harm
from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest
from tinyml.tools.driver.stages import load_program

FORMATS = ("fixed", "seedot", "posit")
"""Formats of 32 bits."""

BOARDS = ("host", "host", "cortex-m4", "uno", "riscv")
LENGTH = 4


def raws(number: int, random: Random, folder: Path) -> str:
    """Run relu, whose result has the raw of a positive input, on raws of 32 bits: from an array, and from a file on a
    device. Return the verdict.

    Raises `Harm` if a result is not the raw of the input, or zero for a negative number.
    """
    format, board, type = random.choice(FORMATS), random.choice(BOARDS), random.choice(["i4", "i8"])
    (folder / "line.sd").write_text(f"let X = ({LENGTH}, 1) in [-1.0, 1.0] in\nrelu(X)\n")
    numbers = np.random.default_rng(number)
    x = numbers.uniform(-1, 1, (40, LENGTH))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = tinyml.compile(folder / "line.sd", x, board=board, format=format, width=32)
    program.save(folder / "out")
    given = _raws_of(program.folder, numbers).astype(type)
    expected, told = np.maximum(given, 0), f"{format} 32 on {board} from {type}"
    np.savez(folder / "raws.npz", x=given)
    request = RunRequest(
        folder=folder / "out", device=board, data=folder / "raws.npz", save=folder / "saved.npz", optimize="O1"
    )
    try:
        got: dict[str, NDArray[Any]] = {"predict": program.raw_scores(given, raw=True)}
        result = run_model(request)
        with np.load(folder / "saved.npz") as saved:
            got["run"] = saved["scores"]
    except InputError as error:
        raise Harm("mismatch", f"{told}: raws of the format are refused: {error}") from error
    if result["mismatch"] is not None:
        raise Harm("mismatch", f"{told}: {result['mismatch']}")
    for way, scores in got.items():
        if not np.array_equal(scores.reshape(given.shape).astype(np.int64), expected):
            at = np.argwhere(scores.reshape(given.shape) != expected)[0]
            raise Harm("mismatch", f"{told}, {way}: {given[*at]} becomes {scores.reshape(given.shape)[*at]}")
    return ACCEPTED


def _raws_of(folder: Path, numbers: np.random.Generator) -> NDArray[np.int64]:
    """Random raws of the input's format, whose low bits are random, shape (samples, LENGTH)."""
    module = load_program(folder / "ir" / "1-formats.mlir", context())
    format = tdsl.format_of(predict_function(module).body.block.args[0])
    exponents = numbers.integers(-20, 0, (6, LENGTH)).astype(float)
    return np.asarray(format.encode(numbers.uniform(-1, 1, (6, LENGTH)) * 2.0**exponents)).astype(np.int64)

"""Estimated and measured times of networks on a board.

The networks are of the kinds to which the cost tables are fitted, but have other sizes. The models in the repository
contain further ops.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from programs.devices import roomy
from programs.paths import TESTS

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.targets.costs import cost_table
from tinyml.targets.registry import board
from tinyml.tools.calibration.costs import measure
from tinyml.tools.calibration.programs.networks import FITTED, KINDS, SAMPLES, network
from tinyml.tools.driver.stages import load_program
from tinyml.transforms.ir.cost.estimate import estimate_of

FORMATS = (
    ("fixed", 8, None),
    ("zeroskew", 8, None),
    ("fixed", 16, None),
    ("f32", None, None),
    ("posit", 8, None),
    ("fixed", 8, "fixed:4"),
)
"""Formats, widths and formats of weights, of which each network is compiled in one."""

BOARDS = "uno", "cortex-m0", "cortex-m4", "cortex-m33", "cortex-m55", "riscv", "esp32-c3"

STORED = (
    *(f"pt2e/{name}.onnx" for name in ("cnn", "residual")),
    *(f"qonnx/{name}.onnx" for name in ("depthwise", "residual")),
    *(f"keras/{name}-int8.tflite" for name in ("images", "lstm")),
    "litert/int8.tflite",
)
"""Quantised models of the repository."""

WITHIN = 0.1


def estimates(target: str) -> dict[str, Any]:
    """The ratios of estimated and measured times on a board by program, and a summary of them.

    target: one of `BOARDS`, of which the variant with more memory is measured. Its position determines the sizes and
    the formats of the networks.
    """
    ratios: dict[str, float] = {}
    guessed = set[str]()
    for name, program, format, width, weights in _programs(BOARDS.index(target)):
        try:
            found = measure(
                program,
                board(roomy(target)),
                format,
                width,
                weights,
                "always" if weights else "never",
                False,
                {},
            )
        except InputError:
            # The program does not fit the memory, or the board lacks an operation.
            continue
        table = cost_table(target)
        assert found is not None
        assert table is not None
        estimated = estimate_of(found.demand, table)
        measured = found.call[0] + sum(time for time, _ in found.operations.values())
        ratios[name] = round(estimated.time / measured, 3)
        guessed |= {*estimated.guessed}
    errors = sorted(abs(ratio - 1) for ratio in ratios.values())
    return {
        "programs": len(errors),
        "within": sum(error <= WITHIN for error in errors),
        "median": 100 * float(np.median(errors)),
        "worst": 100 * errors[-1],
        "guessed": len(guessed),
        "ratios": ratios,
    }


def _programs(number: int) -> Iterator[tuple[str, Path, str, int | None, str | None]]:
    """Yield the name, the file, the format, the width and the format of weights of each program of a board.

    number: the number of the board.
    """
    with tempfile.TemporaryDirectory() as folder:
        for position, kind in enumerate(KINDS):
            made = network(kind, FITTED.stop + number)
            format, width, weights = FORMATS[(position + number) % len(FORMATS)]
            spelled = f"{format} {width}" if width else format
            label = kind if made.is_quantised else f"{kind}, {spelled}{' packed' if weights else ''}"
            if made.is_quantised:
                format, width, weights = FORMATS[0]
            yield label, made.write(Path(folder, kind)), format, width, weights
        for name in STORED:
            path = Path(folder, name.replace("/", "-").replace(".", "-"))
            path.mkdir()
            program = Path(shutil.copy(TESTS / "models" / name, path))
            [argument] = predict_function(load_program(program, context())).args
            elements = prod(tdsl.shape_of(argument))
            x = np.random.default_rng(number).normal(0, 1, (SAMPLES, elements)).astype(np.float32)
            np.savez(path / "val.npz", x=x)
            yield name, program, *FORMATS[0]

"""The costs of C programs on simulated devices."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tinyml.dialects.layouts.sparse_rows import compress, delta_rows
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.devices.toolchain import call_tool
from tinyml.runtime.model.headers import include_folders
from tinyml.runtime.model.interface import Interface
from tinyml.targets.chip import Chip
from tinyml.tools.calibration.checkpoints import remembered

N = 64
"""The length of the rows and vectors for which costs have limits."""

LEVELS = ("-Os", "-O2", "-O3")

_HEADER = """\
#include <stdint.h>
#define figure_INPUT_LENGTH {x_length}
#define figure_OUTPUT_LENGTH {y_length}
void figure_predict(const {x} *X);
const {y} *figure_scores(void);
"""


@dataclass(frozen=True)
class InferenceCost:
    """The cost of an inference.

    time: in the unit of the device.
    stack: in bytes.
    code: the bytes of runtime functions.
    """

    time: int
    stack: int
    code: int


def include_flags(chip: Chip) -> Sequence[str]:
    return [f"-I{folder}" for folder in include_folders(chip)]


def measure(device: str, optimize: str, source: str, interface: Interface) -> InferenceCost:
    """Measure the cost of one inference of a C program, on random values within 8 bits."""

    def measured() -> dict[str, int]:
        return asdict(_measure(device, optimize, source, interface))

    return InferenceCost(**remembered((device, optimize, source, interface), measured))


def _measure(device: str, optimize: str, source: str, interface: Interface) -> InferenceCost:
    types = {"x": interface.input_ctype, "y": interface.output_ctype}
    lengths = {"x_length": interface.input_length, "y_length": interface.output_length}
    inputs = np.random.default_rng(0).integers(-128, 128, (1, interface.input_length)).astype(interface.input_dtype)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "figure.c").write_text(source)
        (folder / "figure.h").write_text(_HEADER.format(**types, **lengths))
        runner = runner_for(device)
        build = runner.build(folder, interface, folder, optimize, include_flags(runner.chip))
        result = runner.run(build, interface, inputs)
        table = call_tool(runner.chip, "nm", ["-S", build.elf])
    assert result.cycles is not None
    rows = [line.split() for line in table.splitlines()]
    code = sum(
        int(row[1], 16)
        for row in rows
        if len(row) == 4 and (row[3].startswith(("tm_products", "tm_near", "tm_axpy")) or row[3].endswith("_steps"))
    )
    return InferenceCost(int(result.cycles[0]), result.stack_bytes, code)


def near_row(values: NDArray[np.int64], width: int) -> bytes:
    """Encode values as a delta-coded row of entries without gaps, padded with zeros to a whole group.

    width: the bits of an entry.
    """
    row = np.concatenate([values, np.zeros(8, np.int64)]).astype("<i1" if width <= 8 else "<i2")
    rows = delta_rows(compress(row[np.newaxis]), len(row), width)
    assert rows is not None
    return rows.stream().tobytes()

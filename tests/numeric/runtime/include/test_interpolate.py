"""`tm_interpolate_s16` and `tm_interpolate_odd_s16` give the bits of their numpy reference on every chip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.devices import DEVICES
from programs.printed import WARNING_FLAGS

from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.model.interface import Interface
from tinyml.tools.calibration.programs.measured_programs import include_flags

NAMES = ("tm_interpolate_s16", "tm_interpolate_odd_s16")
COUNT = 64
INTERFACE = Interface("figure", "int16_t", COUNT, "int16_t", 2 * COUNT, has_label=False)
HEADER = f"""\
#include <stdint.h>
#define figure_INPUT_LENGTH {COUNT}
#define figure_OUTPUT_LENGTH {2 * COUNT}
void figure_predict(const int16_t *X);
const int16_t *figure_scores(void);
"""
SOURCE = """\
#include "figure.h"
#include "tinyml/interpolate.h"
#ifdef __AVR__
#define FLASH __attribute__((__progmem__))
#else
#define FLASH
#endif
static const int16_t table[] FLASH = {{{table}}};
static int16_t out[{count} * 2];
const int16_t *figure_scores(void) {{ return out; }}
void figure_predict(const int16_t *X)
{{
    for (uint8_t i = 0; i < {count}; i++) {{
        out[i] = tm_interpolate_s16(table, X[i] < {last} ? X[i] : {last}, {last}, {scale});
        out[i + {count}] = tm_interpolate_odd_s16(table, X[i], {odd_last}, {scale});
    }}
}}
"""


def arguments(last: int) -> NDArray[np.int16]:
    """(n, COUNT): every 16-bit number a few times over."""
    edges = [0, 1, -1, 255, 256, -256, last, last - 1, -last, 32767, -32767]
    random = np.random.default_rng(last & 255).integers(-32768, 32768, 3 * COUNT - len(edges))
    values = np.concatenate([edges, random])
    return values.astype(np.int16).reshape(-1, COUNT)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("optimize", ["-Os", "-O3"])
@pytest.mark.parametrize(
    ("last", "scale"), [(32767, 1), (20000, 3), (5678, 11), (0, 2), (-7, 1), (-32000, 127), (-32767, 100), (32767, 5)]
)
def test_interpolation(device: str, optimize: str, last: int, scale: int, tmp_path: Path):
    odd_last = max(last, 1)
    entries = (max(last + 32768, odd_last) * scale >> 8) + 2
    # Rising, falling and, on the way, with the greatest slopes that a 16-bit difference can have.
    table = np.random.default_rng(scale).integers(-16384, 16384, entries).astype(np.int16)
    table[::7] = 16383
    table[1::7] = -16384
    (tmp_path / "figure.h").write_text(HEADER)
    text = ", ".join(map(str, table))
    (tmp_path / "figure.c").write_text(
        SOURCE.format(table=text, count=COUNT, last=f"(int16_t){last}", odd_last=odd_last, scale=scale)
    )
    runner = runner_for(device)
    x = arguments(last)
    build = runner.build(tmp_path, INTERFACE, tmp_path, optimize, [*WARNING_FLAGS, *include_flags(runner.chip)])
    scores = runner.run(build, INTERFACE, x).scores
    references = [RUNTIME_FUNCTIONS[name].reference for name in NAMES]
    expected = [
        references[0](table, np.minimum(x, np.int16(last)), np.int16(last), np.int8(scale)),
        references[1](table, x, np.int16(odd_last), np.int8(scale)),
    ]
    np.testing.assert_array_equal(scores, np.concatenate(expected, axis=1))

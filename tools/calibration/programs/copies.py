"""The time of `tm_copy`, measured in isolation.

In whole programs, copies always run together with loops and products, so that a fit cannot separate their costs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tinyml.lowering.c.moves import COPY
from tinyml.runtime.model.interface import Interface
from tinyml.targets.costs import OPTIMIZE
from tinyml.tools.calibration.programs.measured_programs import measure

BYTES = (3, 8, 9, 16, 27, 48, 64, 96)
"""Lengths of runs in windows: columns times channels."""

WORD = 4
OFFSETS = tuple((start, to) for start in range(WORD) for to in range(WORD))
"""Byte offsets, from aligned addresses, of the sources and targets of copies."""

_PROGRAM = """\
#include "figure.h"
#include "tinyml/copy.h"
static uint8_t from[{space}] __attribute__((aligned(4)));
static int32_t to[{space} / 4 + 1];
const int32_t *figure_scores(void) {{ return to; }}
void figure_predict(const int8_t *X)
{{
    from[0] = (uint8_t)X[0];
{calls}
}}
"""


def copy_equations(device: str) -> list[tuple[Mapping[str, float], float]]:
    """Equations for copies: each consists of the numbers of copies and of copied units, and the measured time.

    For each length there is an equation in bytes, whose time is the mean over all offsets. For each length in whole
    words there is also an equation in words, for copies between aligned addresses.
    """
    empty = _time(device, 0, ())
    anywhere = [(_time(device, bytes, OFFSETS) - empty) / len(OFFSETS) for bytes in BYTES]
    words = [bytes // WORD for bytes in BYTES if bytes % WORD == 0]
    aligned = [_time(device, WORD * count, OFFSETS[:1]) - empty for count in words]
    return [
        *(({COPY: 1, f"{COPY} byte": bytes}, time) for bytes, time in zip(BYTES, anywhere, strict=True)),
        *(({COPY: 1, f"{COPY} word": count}, float(time)) for count, time in zip(words, aligned, strict=True)),
    ]


def _time(device: str, bytes: int, offsets: Sequence[tuple[int, int]]) -> int:
    # Keep the compiler from removing overwritten copies and from specializing the function for one length.
    calls = [
        f'    {{\n        int n = {bytes};\n        __asm__ volatile("" : "+r"(n) : : "memory");\n'
        f"        {COPY}((uint8_t *)to + {to}, from + {start}, n);\n    }}"
        for start, to in offsets
    ]
    source = _PROGRAM.format(space=max(BYTES) + WORD, calls="\n".join(calls))
    return measure(device, OPTIMIZE, source, Interface("figure", "int8_t", 1, "int32_t", 1, has_label=False)).time

"""`tm_interpolate_s16` and `tm_interpolate_odd_s16` return the same bits as their numpy references on every chip."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.devices import DEVICES
from programs.runtime_functions import run_cases
from programs.spread import spread

from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS

EVEN, ODD = (RUNTIME_FUNCTIONS[name].reference for name in ("tm_interpolate_s16", "tm_interpolate_odd_s16"))
COUNT = 64
STATEMENT = """\
for (uint8_t i = 0; i < {count}; i++) {{
    out[i] = tm_interpolate_s16(table{number}, X[i] < {last} ? X[i] : {last}, {last}, {scale});
    out[i + {count}] = tm_interpolate_odd_s16(table{number}, X[i], {odd_last}, {scale});
}}"""
LAST_AND_SCALE = ((32767, 1), (20000, 3), (5678, 11), (0, 2), (-7, 1), (-32000, 127), (-32767, 100), (32767, 5))


def arguments(last: int) -> NDArray[np.int16]:
    """Raws of shape (n, COUNT): the ends of some intervals of the table, and random 16-bit numbers.

    last: the greatest argument within the table.
    """
    edges = [0, 1, -1, 255, 256, -256, last, last - 1, -last, 32767, -32767]
    random = np.random.default_rng(last & 255).integers(-32768, 32768, 3 * COUNT - len(edges))
    values = np.concatenate([edges, random])
    return values.astype(np.int16).reshape(-1, COUNT)


@pytest.mark.long
@pytest.mark.parametrize(("device", "optimize"), spread([*product(DEVICES, ("-Os", "-O3")), ("avr35", "-Os")], 8))
def test_interpolation(device: str, optimize: str, tmp_path: Path):
    definitions = '#include "tinyml/interpolate.h"\n'
    cases: list[tuple[str, NDArray[np.int16]]] = []
    expected: list[NDArray[np.int16]] = []
    for number, (last, scale) in enumerate(LAST_AND_SCALE):
        odd_last = max(last, 1)
        entries = (max(last + 32768, odd_last) * scale >> 8) + 2
        # Rising, falling and, on the way, with the greatest slopes that a 16-bit difference can have.
        table = np.random.default_rng(scale).integers(-16384, 16384, entries).astype(np.int16)
        table[::7] = 16383
        table[1::7] = -16384
        definitions += f"static const int16_t table{number}[] FLASH = {{{', '.join(map(str, table))}}};\n"
        x, words = arguments(last), {"last": f"(int16_t){last}", "odd_last": odd_last, "scale": scale}
        cases.append((STATEMENT.format(number=number, count=COUNT, **words), x))
        even = EVEN(table, np.minimum(x, np.int16(last)), np.int16(last), np.int8(scale))
        odd = ODD(table, x, np.int16(odd_last), np.int8(scale))
        expected.append(np.concatenate([even, odd], axis=1))
    found = run_cases(cases, definitions, ("int16_t", 2 * COUNT), device, tmp_path, optimize)
    np.testing.assert_array_equal(np.concatenate(found), np.concatenate(expected))

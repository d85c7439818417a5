"""`tm_limit_iN_iM`, `tm_multiply_i16` and `tm_add_i16` return the same bits as their numpy references on every chip;
`tm_mul16_8` computes exact products.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.devices import DEVICES, roomy
from programs.runtime_functions import run_cases
from programs.spread import spread

from tinyml.dialects.machine.runtime_functions import ADD_SHIFTS, LIMITS, MULTIPLY_SHIFTS, add, limit, multiply
from tinyml.targets.avr.chip import CHIP

COUNT = 4
CASES = [
    (width, result, right, bits)
    for width, result in LIMITS
    for bits in (result, result - 1, result - 3, result - 6)
    for right in range(width - bits + 1)
]
ADDS = [
    (left, right, bits)
    for left in ADD_SHIFTS
    for right in ADD_SHIFTS
    for bits in (16, 15, 14, 12)
    if bits <= 16 - max(right - left, 0)
]
MIXED = (0, 8)
"""Shifts of a product of 16 and 8 bits."""
OUTPUTS = (len(CASES) + len(MULTIPLY_SHIFTS) + len(ADDS) + len(MIXED)) * COUNT
DEFINITIONS = f"""\
#include "tinyml/add.h"
#include "tinyml/limit.h"
#include "tinyml/multiply.h"
#ifdef __AVR__
typedef __int24 int24;
#else
typedef int32_t int24;
#endif
typedef int16_t int16;
typedef int32_t int32;
{CHIP.int24 + CHIP.prelude + CHIP.helpers["tm_mul16_8"]}"""


def calls() -> list[str]:
    """C expressions that call every function with every tested shift. Their arguments are the 16-bit factors a and b,
    or the 32-bit number x.
    """
    limits = [
        f"tm_limit_i{width}_i{result}((int{width})(x >> {32 - width}), {right}, {bits})"
        for width, result, right, bits in CASES
    ]
    products = [f"tm_multiply_i16(a, b, {right})" for right in MULTIPLY_SHIFTS]
    sums = [f"tm_add_i16(a, b, {left}, {right}, {bits})" for left, right, bits in ADDS]
    mixed = [f"(int16_t)(tm_mul16_8(a, (int8_t)b) >> {right})" for right in MIXED]
    return [*limits, *products, *sums, *mixed]


AT_ONCE = 32
"""Calls in one function of C: compilers take far longer for one with all of them."""


def parts() -> str:
    """The text of C functions, each of which computes some of the calls and writes the results to `y`."""
    all_calls = calls()
    starts = range(0, len(all_calls), AT_ONCE)
    bodies = ["".join(f" *y++ = {call};\n" for call in all_calls[start:][:AT_ONCE]) for start in starts]
    parameters = "int16_t *y, int16_t a, int16_t b, int32_t x"
    functions = [
        f"static __attribute__((noinline)) int16_t *part_{number}({parameters})\n{{\n (void)a, (void)b, (void)x;\n"
        f"{body} return y;\n}}\n"
        for number, body in enumerate(bodies)
    ]
    return "".join(functions)


def statement() -> str:
    """The C statement that computes all calls for COUNT pairs of factors."""
    parts = "\n".join(f"        y = part_{number}(y, a, b, x);" for number in range(-(-len(calls()) // AT_ONCE)))
    return f"""
    int16_t *y = out;
    for (uint8_t i = 0; i < {COUNT}; i++) {{
        const int16_t a = X[2 * i], b = X[2 * i + 1];
        const int32_t x = (int32_t)((uint32_t)(uint16_t)a | (uint32_t)(uint16_t)b << 16);
{parts}
    }}
"""


def numbers() -> NDArray[np.int32]:
    """32-bit integers near powers of two of either sign, and random ones, of shape (n, COUNT). Neither 16-bit half of
    an integer is -32768.
    """
    powers = [sign << place for place in range(32) for sign in (1, -1)]
    near = [power + offset for power in powers for offset in (-65536, -256, -1, 0, 1, 255)]
    random = np.random.default_rng(0).integers(-(1 << 31), 1 << 31, 600).tolist()
    values = np.array([*near, *random]).astype(np.int64).astype(np.int32)
    pairs = values.view(np.int16)
    pairs[pairs == -32768] = -32767
    return np.resize(values, len(values) // COUNT * COUNT).reshape(-1, COUNT)


@pytest.mark.long
@pytest.mark.parametrize(
    ("device", "optimize"),
    # How a level treats shifts is the same on machines of 32 bits.
    spread(
        [*((device, "-Os") for device in DEVICES), *((device, "-O3") for device in DEVICES[:2]), ("avr35", "-Os")], 3
    ),
)
def test_every_shift(device: str, optimize: str, tmp_path: Path):
    x = numbers()
    factors = x.view(np.int16).reshape(*x.shape, 2)
    cases = [(statement(), factors.reshape(len(x), -1))]
    [scores] = run_cases(cases, DEFINITIONS + parts(), ("int16_t", OUTPUTS), roomy(device), tmp_path, optimize)
    limited = [
        limit(x >> 32 - width, np.array(right, np.int8), np.array(bits, np.int8)) for width, _, right, bits in CASES
    ]
    products = [multiply(factors[..., 0], factors[..., 1], np.array(right, np.int8)) for right in MULTIPLY_SHIFTS]
    sums = [add(factors[..., 0], factors[..., 1], *(np.array(n, np.int8) for n in case)) for case in ADDS]
    product = factors[..., 0].astype(np.int32) * factors[..., 1].astype(np.int8)
    mixed = [(product >> right).astype(np.int16) for right in MIXED]
    np.testing.assert_array_equal(scores, np.stack([*limited, *products, *sums, *mixed], axis=-1).reshape(len(x), -1))

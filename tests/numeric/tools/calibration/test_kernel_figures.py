"""The kernels reach the figures that they are made for; counts of simulated chips, so the same on every machine."""

from __future__ import annotations

import pytest

from tinyml.targets.registry import kernels_of
from tinyml.tools.calibration.kernel_calls import KERNELS, NEAR, NEAR_PACKED, PACKED, TABLE, Kernel
from tinyml.tools.calibration.kernel_costs import (
    AVR_LIMITS,
    CORTEX_M_LIMITS,
    LEVELS,
    PRODUCT_LIMITS,
    N,
    cycles_in_loop,
    instructions_per_mac,
    time_of_product,
)

AVR = (*KERNELS, *PACKED, *TABLE, *NEAR, *NEAR_PACKED)
KNOWN = [kernel for kernel in AVR if kernel.form in ("dense", "strided", "row", "near", "near packed")]
"""Kernels whose steps the chip's list gives; all kernels with a limit are among them."""


FASTER = [level for level in LEVELS if level != "-Os"]
"""The levels that take turns: what a kernel takes hardly depends on them."""


@pytest.mark.parametrize("name", AVR_LIMITS)
def test_cycles_in_the_loop(name: str):
    [kernel] = [kernel for kernel in AVR if kernel.name == name]
    optimize = FASTER[[*AVR_LIMITS].index(name) % len(FASTER)]
    assert cycles_in_loop(kernel, N, optimize) <= AVR_LIMITS[name]


@pytest.mark.parametrize("kernel", KNOWN, ids=lambda k: k.name)
def test_the_compiler_knows_the_cycles_in_the_loop(kernel: Kernel):
    """The limit at -Os, the level of the chip's list, holds for the same measurement."""
    [known] = [one for one in kernels_of("uno") if one.symbol == f"tm_dot_{kernel.name}"]
    cycles = cycles_in_loop(kernel, N, "-Os")
    assert known.step == pytest.approx(cycles, rel=0.02)
    assert cycles <= AVR_LIMITS.get(kernel.name, cycles)


def test_every_limit_is_asserted_at_every_level():
    assert {*AVR_LIMITS} <= {kernel.name for kernel in KNOWN}


@pytest.mark.parametrize(("device", "kernel"), CORTEX_M_LIMITS)
def test_instructions_per_multiply_accumulate(device: str, kernel: str):
    turn = [*CORTEX_M_LIMITS].index((device, kernel)) % len(FASTER)
    for optimize in ("-Os", FASTER[turn]):
        assert instructions_per_mac(kernel, device, optimize) <= CORTEX_M_LIMITS[device, kernel]


@pytest.mark.parametrize(("device", "formats"), PRODUCT_LIMITS)
def test_time_per_product_in_generated_code(device: str, formats: str):
    turn = [*PRODUCT_LIMITS].index((device, formats)) % len(FASTER)
    for optimize in ("-Os", FASTER[turn]):
        assert time_of_product(device, formats, optimize) <= PRODUCT_LIMITS[device, formats]

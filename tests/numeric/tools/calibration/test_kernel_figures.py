"""Cycles and instructions of kernels are within recorded limits. Simulated chips count the same numbers on every
machine.
"""

from __future__ import annotations

import pytest
from programs.kernel_calls import KERNELS
from programs.spread import spread

from tinyml.targets.registry import known_kernel
from tinyml.tools.calibration import avr, cortex_m
from tinyml.tools.calibration.avr import NEAR, NEAR_PACKED, PACKED, TABLE, KernelSignature, attribute_of, cycles_in_loop
from tinyml.tools.calibration.cortex_m import instructions_per_mac
from tinyml.tools.calibration.programs.generated_code import time_of_product
from tinyml.tools.calibration.programs.measured_programs import LEVELS, N

PRODUCT_LIMITS = avr.PRODUCT_LIMITS | cortex_m.PRODUCT_LIMITS
AVR = (*KERNELS, *PACKED, *TABLE, *NEAR, *NEAR_PACKED)


FASTER = [level for level in LEVELS if level != "-Os"]
"""The levels that take turns: what a kernel takes hardly depends on them."""


@pytest.mark.long
@pytest.mark.parametrize("name", avr.LIMITS)
def test_cycles_in_the_loop(name: str):
    [kernel] = [kernel for kernel in AVR if kernel.name == name]
    optimize = FASTER[[*avr.LIMITS].index(name) % len(FASTER)]
    assert cycles_in_loop(kernel, N, optimize) <= avr.LIMITS[name]


@pytest.mark.long
@pytest.mark.parametrize("kernel", spread(AVR, 20), ids=lambda k: k.name)
def test_the_compiler_knows_the_cycles_in_the_loop(kernel: KernelSignature):
    """The cycles of a kernel's loop, measured with -Os as for the chip's kernel list, equal those of the list within 2
    % and do not exceed the recorded limit.
    """
    known = known_kernel(attribute_of(kernel), "uno")
    assert known is not None
    cycles = cycles_in_loop(kernel, N, "-Os")
    assert known.step == pytest.approx(cycles, rel=0.02)
    assert cycles <= avr.LIMITS.get(kernel.name, cycles)


def test_the_table_knows_cycles_unless_they_depend_on_the_entry():
    assert {kernel.name for kernel in avr.KERNELS if not avr.known_step(kernel)} == {"r16_s16_s64"}


def test_every_limit_is_asserted_at_every_level():
    assert {*avr.LIMITS} <= {kernel.name for kernel in AVR}


@pytest.mark.long
@pytest.mark.parametrize(("device", "kernel"), spread(cortex_m.LIMITS, 7))
def test_instructions_per_multiply_accumulate(device: str, kernel: str):
    turn = [*cortex_m.LIMITS].index((device, kernel)) % len(FASTER)
    for optimize in ("-Os", FASTER[turn]):
        assert instructions_per_mac(kernel, device, optimize) <= cortex_m.LIMITS[device, kernel]


@pytest.mark.long
@pytest.mark.parametrize(("device", "formats"), spread(PRODUCT_LIMITS, 4))
def test_time_per_product_in_generated_code(device: str, formats: str):
    turn = [*PRODUCT_LIMITS].index((device, formats)) % len(FASTER)
    for optimize in ("-Os", FASTER[turn]):
        assert time_of_product(device, formats, optimize) <= PRODUCT_LIMITS[device, formats]

"""The kernels for RISC-V are exact: on the emulated chip and in plain C on the host, compared with numpy."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs.chip_kernels import RISCV, built, check, extreme_calls, short_calls
from programs.watched_riscv import Watch

from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import runner_for

DEVICE = "riscv"


@pytest.mark.long
def test_extremes_on_the_chip(tmp_path: Path):
    runner = runner_for(DEVICE)
    check(runner, built(runner, RISCV, "-Os", tmp_path), [call for kernel in RISCV for call in extreme_calls(kernel)])


@pytest.mark.long
def test_plain_c_gives_the_same_on_the_host(tmp_path: Path):
    runner = HostRunner(sanitize=True)
    check(runner, built(runner, RISCV, "-O2", tmp_path), [call for kernel in RISCV for call in extreme_calls(kernel)])


@pytest.mark.long
@pytest.mark.parametrize("optimize", ["-O0", "-O3"])
def test_optimisation_changes_nothing(optimize: str, tmp_path: Path):
    runner = runner_for(DEVICE)
    check(runner, built(runner, RISCV, optimize, tmp_path), short_calls(RISCV))


@pytest.mark.long
def test_calls_preserve_registers(tmp_path: Path):
    watch, calls = Watch(built(runner_for(DEVICE), RISCV, "-O2", tmp_path), "kernels"), short_calls(RISCV)[::5]
    for call in calls:
        watch.check(call.input())
    assert watch.returned == len(calls)

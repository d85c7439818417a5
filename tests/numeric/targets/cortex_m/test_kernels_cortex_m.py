"""The kernels for Cortex-M are exact: on the emulated chips and in plain C on the host, compared with numpy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs.chip_kernels import (
    CORTEX_M,
    LENGTHS,
    PATTERNS,
    Call,
    Kernel,
    built,
    check,
    extreme_calls,
    make_call,
    short_calls,
)
from programs.spread import examples, spread
from programs.watched_cores import Watch

from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import Build, Runner, runner_for

ARM = ("cortex-m0", "cortex-m3", "cortex-m4")
DEVICES = ("host", *ARM)
LEVELS = ("-O0", "-O2", "-O3")
"""Beside -Os, at which `test_extremes` runs; cores take turns."""
BUFFERS = {"weights": 2560, "vector": 640}
"""The arrays in which the program puts w and x, and their bytes."""

RunCalls = Callable[[list[Call]], None]


@pytest.fixture(scope="module", params=DEVICES)
def run_calls(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> RunCalls:
    runner = runner_for(request.param)
    build = built(runner, CORTEX_M, "-Os", tmp_path_factory.mktemp("kernels"))
    return lambda calls: check(runner, build, calls)


@pytest.mark.long
@pytest.mark.parametrize("kernel", spread(CORTEX_M, len(CORTEX_M) // 2), ids=lambda kernel: kernel.name)
def test_extremes(run_calls: RunCalls, kernel: Kernel):
    run_calls(extreme_calls(kernel))


@st.composite
def drawn_call(draw: st.DrawFn) -> Call:
    n = draw(st.integers(0, 80) | st.sampled_from(LENGTHS))
    return make_call(
        draw(st.sampled_from(CORTEX_M)),
        n,
        np.random.default_rng(draw(st.integers(0, 2**32))),
        patterns=(draw(st.sampled_from(PATTERNS)), draw(st.sampled_from(PATTERNS))),
        offsets=(draw(st.integers(0, 3)), draw(st.integers(0, 3))),
    )


@pytest.fixture(scope="module")
def small_builds(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Runner, Build]]:
    runners = [HostRunner(sanitize=True), *map(runner_for, ARM)]
    folder = tmp_path_factory.mktemp("small")
    return [(runner, built(runner, CORTEX_M, "-Os", folder)) for runner in runners]


@pytest.mark.long
@settings(max_examples=examples(5, 120))
@given(st.lists(drawn_call(), min_size=1, max_size=12))
def test_any_calls(small_builds: list[tuple[Runner, Build]], calls: list[Call]):
    for runner, build in small_builds:
        check(runner, build, calls)


@pytest.mark.long
@pytest.mark.parametrize(("device", "optimize"), [*zip(ARM, LEVELS, strict=True)])
def test_optimisation_changes_nothing(device: str, optimize: str, tmp_path: Path):
    runner = runner_for(device)
    check(runner, built(runner, CORTEX_M, optimize, tmp_path), spread(short_calls(CORTEX_M), 300))


@pytest.mark.long
@pytest.mark.parametrize("device", ARM)
def test_loads_and_registers(device: str, tmp_path: Path):
    """Loads of several words are aligned, which an M4 requires and the emulator does not check. Nothing beside the
    operands is read, and every call preserves the registers that the calling convention requires.
    """
    watch = Watch(device, built(runner_for(device), CORTEX_M, "-O2", tmp_path), "kernels", BUFFERS, "tm_cm_dot")
    for call in spread(short_calls(CORTEX_M), 500):
        watch.check(
            call.input(), {"weights": (call.offsets[0], len(call.weights)), "vector": (call.offsets[1], call.x.nbytes)}
        )
    assert min(watch.seen.values()) > examples(30, 100)

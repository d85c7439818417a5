"""The kernels for Cortex-M are exact: on the emulated chips, and plain C on the host, against numpy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs.kernels_cortex_m import INTERFACE, KERNELS, LENGTHS, PATTERNS, Call, Kernel, make_call
from programs.printed import WARNING_FLAGS
from programs.watched_cores import Watch

from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import Build, Runner, runner_for
from tinyml.runtime.model.headers import definition_of

PROGRAM = Path(__file__).parent / "kernels_cortex_m"
ARM = ("cortex-m0", "cortex-m3", "cortex-m4")
DEVICES = ("host", *ARM)
LEVELS = ("-O0", "-Os", "-O2", "-O3")
BUFFERS = {"weights": 2560, "vector": 640}
"""The arrays in which the program puts w and x, and their bytes."""

EXTREMES = [(w, x) for w in ("lowest", "highest") for x in ("lowest", "highest")]
PAIRS = [*EXTREMES, ("alternating", "alternating"), ("random", "random")]
"""Patterns of the weights and of the vector."""

RunCalls = Callable[[list[Call]], None]


def build_kernels(runner: Runner, optimize: str, folder: Path) -> Build:
    texts = {name: text for kernel in KERNELS for name, text in definition_of(kernel.name)}
    (folder / "composed.h").write_text("\n".join(texts.values()))
    return runner.build(PROGRAM, INTERFACE, folder, optimize, [*WARNING_FLAGS, f"-I{folder}"])


def check(runner: Runner, build: Build, calls: list[Call]) -> None:
    result = runner.run(build, INTERFACE, np.stack([call.input() for call in calls]))
    assert result.scores is not None
    for call, scores in zip(calls, result.scores, strict=True):
        np.testing.assert_array_equal(scores, call.expected(), err_msg=str(call))


@pytest.fixture(scope="module", params=DEVICES)
def run_calls(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> RunCalls:
    runner = runner_for(request.param)
    build = build_kernels(runner, "-Os", tmp_path_factory.mktemp("kernels"))
    return lambda calls: check(runner, build, calls)


def extreme_calls(kernel: Kernel) -> list[Call]:
    """Every length with the extremes of both operands, the alignments in turn."""
    random = np.random.default_rng(1)
    calls: list[Call] = []
    for n in LENGTHS:
        for patterns in PAIRS:
            turn = len(calls)
            calls.append(
                make_call(
                    kernel,
                    n,
                    random,
                    patterns=patterns,
                    offsets=(turn % 4, turn // 4 % 4),
                )
            )
    return calls


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_extremes(run_calls: RunCalls, kernel: Kernel):
    run_calls(extreme_calls(kernel))


@st.composite
def drawn_call(draw: st.DrawFn) -> Call:
    n = draw(st.integers(0, 80) | st.sampled_from(LENGTHS))
    return make_call(
        draw(st.sampled_from(KERNELS)),
        n,
        np.random.default_rng(draw(st.integers(0, 2**32))),
        patterns=(draw(st.sampled_from(PATTERNS)), draw(st.sampled_from(PATTERNS))),
        offsets=(draw(st.integers(0, 3)), draw(st.integers(0, 3))),
    )


@pytest.fixture(scope="module")
def small_builds(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Runner, Build]]:
    runners = [HostRunner(sanitize=True), *map(runner_for, ARM)]
    folder = tmp_path_factory.mktemp("small")
    return [(runner, build_kernels(runner, "-Os", folder)) for runner in runners]


@settings(max_examples=25)
@given(st.lists(drawn_call(), min_size=1, max_size=12))
def test_any_calls(small_builds: list[tuple[Runner, Build]], calls: list[Call]):
    for runner, build in small_builds:
        check(runner, build, calls)


def short_calls() -> list[Call]:
    """Every kernel with every rest of its unrolled loops, at several alignments."""
    random = np.random.default_rng(2)
    return [
        make_call(kernel, n, random, offsets=offsets)
        for kernel in KERNELS
        for n in range(10)
        for offsets in [(0, 0), (1, 0), (0, 1), (2, 3), (3, 2)]
    ]


@pytest.mark.parametrize("optimize", LEVELS)
@pytest.mark.parametrize("device", ARM)
def test_optimisation_changes_nothing(device: str, optimize: str, tmp_path: Path):
    runner = runner_for(device)
    check(runner, build_kernels(runner, optimize, tmp_path), short_calls())


@pytest.mark.parametrize("device", ARM)
def test_loads_and_registers(device: str, tmp_path: Path):
    """Loads of several words are aligned (an M4 faults, the emulator does not), nothing beside the operands is read and
    every call preserves the registers that the calling convention says."""
    watch = Watch(device, build_kernels(runner_for(device), "-O2", tmp_path), "kernels", BUFFERS, "tm_cm_dot")
    for call in short_calls():
        watch.check(
            call.input(), {"weights": (call.offsets[0], call.w.nbytes), "vector": (call.offsets[1], call.x.nbytes)}
        )
    assert min(watch.seen.values()) > 100

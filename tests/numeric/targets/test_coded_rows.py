"""Rows of constant matrices as code are exact on simulated chips and on the host, and take the predicted time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs.coded_rows import TWICE, CodedProgram, expected, kernels, random_rows, vectors
from programs.devices import roomy

from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import runner_for

TARGETS = pytest.mark.parametrize("target", ["uno", "cortex-m4"])
SHAPES = ((1, [1]), (5, [70]), (6, [9, 4]), (7, [30, 12, 5]), (13, [66]), (70, [3]))
"""Rows and lengths: of blocks of few and of six rows, out of the reach of pointers, and of several vectors."""


@pytest.mark.long
@TARGETS
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 1 << 32))
def test_random_rows_are_exact(tmp_path_factory: pytest.TempPathFactory, target: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    some = [random_rows(random, rows, lengths) for rows, lengths in SHAPES]
    some.append(random_rows(random, int(random.integers(1, 20)), [int(random.integers(1, 40))]))
    calls = [(number, vector) for number, rows in enumerate(some) for vector in vectors(random, rows, 6)]
    for runner in (runner_for(roomy(target)), HostRunner()):
        program = CodedProgram(target, runner, tmp_path_factory.mktemp("coded"), some)
        results, _ = program.run(calls)
        for (number, vector), result in zip(calls, results, strict=True):
            np.testing.assert_array_equal(result, expected(some[number], vector))


@TARGETS
def test_the_time_of_a_call_is_known(target: str, tmp_path: Path):
    """A call without saturated results takes the predicted number of cycles up to a difference of two cycles for each
    matrix.
    """
    random = np.random.default_rng(3)
    some = [random_rows(random, rows, lengths) for rows, lengths in SHAPES]
    vectors = [np.zeros(sum(matrix.shape[1] for matrix in rows.weights), np.int8) for rows in some]
    some = [replace(rows, starts=rows.starts % (1 << rows.right)) for rows in some]
    program = CodedProgram(target, runner_for(roomy(target)), tmp_path, some)
    calls = [(number | twice, vector) for number, vector in enumerate(vectors) for twice in (0, TWICE)]
    _, cycles = program.run(calls)
    assert cycles is not None
    for rows, once, twice, kernel in zip(some, cycles[::2], cycles[1::2], kernels(target, some), strict=True):
        assert kernel.composed is not None
        assert abs(kernel.composed.costs[""] - (twice - once)) <= 2 * len(rows.weights)

"""Rows of constant matrices as code are exact on the simulated chip and on the host, and take the time foretold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs.coded_rows import CodedProgram, expected, random_rows, vectors

from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import runner_for

SHAPES = ((1, [1]), (5, [70]), (6, [9, 4]), (7, [30, 12, 5]), (13, [66]), (70, [3]))
"""Rows and lengths: of blocks of few and of six rows, out of the reach of pointers, and of several vectors."""


@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 1 << 32))
def test_random_rows_are_exact(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    random = np.random.default_rng(seed)
    some = [random_rows(random, rows, lengths) for rows, lengths in SHAPES]
    some.append(random_rows(random, int(random.integers(1, 20)), [int(random.integers(1, 40))]))
    calls = [(number, vector) for number, rows in enumerate(some) for vector in vectors(random, rows, 6)]
    for runner in (runner_for("atmega1284p"), HostRunner()):
        program = CodedProgram(runner, tmp_path_factory.mktemp("coded"), some)
        results, _ = program.run(calls)
        for (number, vector), result in zip(calls, results, strict=True):
            np.testing.assert_array_equal(result, expected(some[number], vector))

"""Counts of elements, compared with numpy on reals and in fixed point, and with the evaluator's bits on devices."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from programs.devices import DEVICES, roomy
from programs.on_boards import difference, printed
from programs.signals import with_format
from xdsl.dialects.builtin import ModuleOp, TensorType, f32

from tinyml.dialects import tdsl
from tinyml.dialects.tdsl import signals
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.signals.front_ends import joined
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals, predict_function

ROWS, COLUMNS = 12, 2
EDGES = np.array([[-3.0, -1.5, 0.0, 0.5, 1.0, 2.0], [-90.0, -8.0, 0.25, 0.25, 7.0, 90.0]])
"""Two are equal, and some lie outside of all numbers of most formats."""


def counts(edges: NDArray[np.float64] = EDGES, threshold: float = 0.25, least: int = 2) -> ModuleOp:
    """A program that computes a histogram of its input, and the longest runs of elements below and not below a
    threshold.

    edges: the edges of the histogram's bins.
    least: the minimum length of a run.
    """
    to = ModelBuilder("counts.py")
    x = to.argument(TensorType(f32, (ROWS, COLUMNS)), "x")
    histogram = to.reshape(to.op(signals.HistogramOp, x, edges), (1, edges.size + COLUMNS))
    runs = [to.op(signals.LongestRunOp, x, threshold, least, below=below) for below in (False, True)]
    return to.module([joined(to, [histogram, *runs])])


def expected(x: NDArray[np.float64], edges: NDArray[np.float64], threshold: float, least: int) -> list[float]:
    """The counts for one matrix, computed by numpy and itertools."""
    ends = [np.array([-np.inf, *row, np.inf]) for row in edges]
    bins = [np.histogram(column, end)[0] for column, end in zip(x.T, ends, strict=True)]
    result = [*np.concatenate(bins)]
    for side in (x.ravel() >= threshold, x.ravel() < threshold):
        runs = [(list(run), key) for key, run in groupby(range(x.size), side.tolist().__getitem__)]
        counted = [run for run, key in runs if key and len(run) >= least]
        longest = max(counted, key=len, default=None)
        result += [-1, 0] if longest is None else [longest[0], len(longest)]
    return result


def matrices(count: int, seed: int) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(0, 2, (count, ROWS * COLUMNS)).astype(np.float32)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.integers(-4, 4), min_size=ROWS * COLUMNS, max_size=ROWS * COLUMNS),
    st.lists(st.integers(-5, 5), min_size=2, max_size=2 * 9).filter(lambda some: len(some) % 2 == 0),
    st.integers(-4, 4),
    st.integers(1, 8),
)
def test_counts_are_those_of_numpy(x: list[int], edges: list[int], threshold: int, least: int):
    """Histograms and longest runs equal numpy's on reals, also if elements equal edges or the threshold. In 16-bit
    fixed point, they equal numpy's counts of the rounded elements, rounded once.
    """
    ascending = np.sort(np.array(edges, np.float64).reshape(2, -1))
    module, rows = counts(ascending, threshold, least), np.array([x], np.float32)
    found = evaluate_reals(module, rows).scores
    assert found is not None
    wanted = expected(rows.astype(np.float64).reshape(ROWS, COLUMNS), ascending, threshold, least)
    np.testing.assert_array_equal(found.reshape(-1), wanted)
    module = with_format(module, rows, "fixed", 16)
    block, raws = predict_function(module).body.block, encode_inputs(module, rows)
    numbers = tdsl.format_of(block.args[0]).decode(raws).reshape(ROWS, COLUMNS)
    scores, last = evaluate(module, raws).scores, block.last_op
    assert scores is not None
    assert last is not None
    wanted = expected(numbers, ascending, threshold, least)
    np.testing.assert_array_equal(scores.reshape(-1), tdsl.format_of(last.operands[0]).encode(np.array(wanted, "f8")))


@pytest.mark.long
@pytest.mark.parametrize(("format", "width"), [("fixed", 5), ("f32", None), ("posit", 8), ("zeroskew", 8)])
def test_the_host_gives_the_same_bits(format: str, width: int | None, tmp_path: Path):
    """The host computes the evaluator's bits, also if elements or, in narrow formats, counts saturate."""
    module, x = with_format(counts(), matrices(20, 0), format, width), matrices(20, 1)
    source = printed(module, "host", tmp_path / "c")
    assert difference(module, encode_inputs(module, np.concatenate([x, 3 * x])), source, HostRunner(), tmp_path) is None


@pytest.mark.long
@pytest.mark.parametrize("device", DEVICES)
def test_devices_give_the_same_bits(device: str, tmp_path: Path):
    width = 8 if device in DEVICES[::2] else 16
    module, x = with_format(counts(), matrices(20, 0), "fixed", width), matrices(5, 1)
    source = printed(module, device, tmp_path / "c")
    raws = encode_inputs(module, np.concatenate([x, 3 * x]))
    assert difference(module, raws, source, runner_for(roomy(device)), tmp_path) is None

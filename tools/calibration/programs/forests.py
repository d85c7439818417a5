"""The time of forests in plain C, measured in isolation on random trees whose paths are known."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tinyml.dialects.layouts.trees import ForestCode, Trees
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.model.interface import Interface
from tinyml.targets.c.composer.forests_in_c import ctype
from tinyml.targets.costs import OPTIMIZE
from tinyml.targets.registry import chip_of
from tinyml.tools.calibration.checkpoints import remembered

THRESHOLDS = "int8", "int16", "int32", "float32"
VOTES = "int8", "int16", "int32", "float32"
FORESTS = 8
"""Forests generated for each type of threshold."""
SAMPLES = 8
INPUTS = 6

_HEADER = """\
#include <stdint.h>
#define figure_INPUT_LENGTH {inputs}
#define figure_OUTPUT_LENGTH {results}
void figure_predict(const {input} *X);
const {output} *figure_scores(void);
"""
_PROGRAM = """\
#include "figure.h"
#define TM_SHARED __attribute__((noinline, unused))
static {output} out[{results}];
const {output} *figure_scores(void) {{ return out; }}
{function}
void figure_predict(const {input} *X) {{ {call}; }}
"""


def forest_equations(device: str) -> list[tuple[Mapping[str, float], float]]:
    """Equations of the time of forests over some inputs: executions of the steps of their functions, and the time."""
    equations: list[tuple[Mapping[str, float], float]] = []
    for number in range(FORESTS * len(THRESHOLDS)):
        random = np.random.default_rng(number)
        thresholds = number % len(THRESHOLDS)
        votes = (number // len(THRESHOLDS) + thresholds) % len(VOTES)
        forest, inputs = _forest(random, THRESHOLDS[thresholds], VOTES[votes])
        empty = _time(device, forest, inputs, "", "(void)X")
        for coder in chip_of(device).forests:
            kernel = coder.kernel(forest)
            if kernel is not None and kernel.composed is not None and kernel.composed.counts:
                call = f"{kernel.symbol}(X, out)"
                time = _time(device, forest, inputs, kernel.composed.text, call) - empty
                equations.append((kernel.composed.counts, time))
    return equations


def _forest(random: np.random.Generator, thresholds: str, votes: str) -> tuple[ForestCode, NDArray[Any]]:
    """A random forest with the shares of random inputs, (SAMPLES, INPUTS), which it walks for the equation."""
    trees, depth, results = int(random.integers(1, 12)), int(random.integers(1, 6)), int(random.integers(1, 5))
    features: list[int] = []
    children: list[list[int]] = []
    leaves = 0

    def grown(below: int) -> int:
        nonlocal leaves
        if below == 0 or (below < depth and random.random() < 0.15):
            leaves += 1
            return -leaves
        node = len(features)
        features.append(int(random.integers(INPUTS)))
        children.append([0, 0])
        children[node] = [grown(below - 1), grown(below - 1)]
        return node

    roots = [grown(depth) for _ in range(trees)]
    numbers = np.array(random.normal(0, 40, len(features)).clip(-120, 120), thresholds)
    scale = 1 if votes == "int8" else 50
    added = np.array(random.uniform(-9, 9, (leaves, results)) * scale, votes)
    if random.random() < 0.5:
        added *= (random.random(added.shape) < 0.4).astype(votes)
    made = Trees(np.array(features), numbers, np.array(children), np.array(roots))
    inputs = np.array(random.normal(0, 50, (SAMPLES, INPUTS)).clip(-120, 120), thresholds)
    passed, rows = np.zeros((made.inner, 2), np.int64), np.arange(SAMPLES)[:, None]
    made.walk(lambda nodes, columns: inputs[rows, columns] <= numbers[nodes], SAMPLES, passed)
    return ForestCode(replace(made, shares=passed / SAMPLES), added), inputs


def _time(device: str, forest: ForestCode, inputs: NDArray[Any], function: str, call: str) -> float:
    input, output = ctype(inputs), ctype(forest.votes)
    interface = Interface("figure", input, INPUTS, output, forest.results, has_label=False)
    given = {"input": input, "output": output, "inputs": INPUTS, "results": forest.results}
    source = _PROGRAM.format(function=function, call=call, **given)

    def measured() -> float:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "figure.c").write_text(source)
            (folder / "figure.h").write_text(_HEADER.format(**given))
            runner = runner_for(device)
            cycles = runner.run(runner.build(folder, interface, folder, OPTIMIZE), interface, inputs).cycles
        assert cycles is not None
        return float(cycles.mean())

    return remembered((device, OPTIMIZE, source, inputs.tobytes()), measured)

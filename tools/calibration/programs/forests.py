"""The time of forests in plain C, measured in isolation on trained estimators and on random trees.

Trees of trained forests compare the same features with similar thresholds, which C compilers exploit. Random forests
cover numbers of results and types of votes that are rare in trained forests. The share of inputs that reaches each
branch is known.
"""

from __future__ import annotations

import tempfile
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tinyml.dialects import num
from tinyml.dialects.context import context
from tinyml.dialects.layouts.trees import ForestCode, Trees
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs
from tinyml.runtime.model.interface import Interface
from tinyml.targets.c.composer.forests_in_c import TABLES, ctype
from tinyml.targets.costs import OPTIMIZE
from tinyml.targets.kernel_table import ForestCoder
from tinyml.targets.registry import chip_of
from tinyml.tools.api.loading import load
from tinyml.tools.calibration.checkpoints import remembered
from tinyml.tools.calibration.fitting import Equation, fit
from tinyml.tools.calibration.formats import FOREST_FORMATS
from tinyml.tools.calibration.programs.estimators import MadeEstimator
from tinyml.tools.driver.stages import compile_stages

EQUATIONS = 390
"""The number of measured functions. On chips whose forests are rarely plain C, this takes several times as many forests
as functions. Odd forests are trained, the others random.
"""
RARE = 8
"""The equations below which the time of a step is not determined by them."""
GROUP_SIZE = 4
"""The group size: half of the forests in each group are also measured as tables, whose loop has the same time for every
node.
"""
REPEATED = 2
"""The inputs from which the thresholds of forests with repeated comparisons are drawn."""
SAMPLES = 40
"""The inputs of a forest; its time is their mean."""
TRAINING = 300
"""Samples for training an estimator, in addition to those of the program."""

THRESHOLDS = "int8", "int16", "int32", "float32"
VOTES = "int8", "int16", "int16", "int32", "int32", "float32"
SCALES = {"int16": (1, 250), "int32": (1, 250, 1e7), "float32": (1e-2, 1)}
"""The magnitudes of the inputs of random forests, by input type."""
RESULTS = 1, 1, 2, 3, 4, 5, 6, 7, 10

_KINDS: tuple[tuple[str, str, dict[str, Any], int], ...] = (
    ("tree.DecisionTreeClassifier", "", {}, 9),
    ("tree.DecisionTreeRegressor", "", {}, 9),
    ("ensemble.RandomForestClassifier", "n_estimators", {}, 7),
    ("ensemble.RandomForestRegressor", "n_estimators", {}, 6),
    ("ensemble.ExtraTreesClassifier", "n_estimators", {}, 7),
    ("ensemble.GradientBoostingClassifier", "n_estimators", {}, 4),
    ("ensemble.GradientBoostingRegressor", "n_estimators", {}, 4),
    ("ensemble.ExtraTreesRegressor", "n_estimators", {}, 6),
    ("ensemble.HistGradientBoostingClassifier", "max_iter", {"min_samples_leaf": 5}, 5),
)
"""Estimators of scikit-learn: the parameter for the number of trees, other parameters, and a depth that none
reaches.
"""

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


def forest_times(equations: Sequence[Equation]) -> dict[str, float]:
    """The time of each step of forests, fitted to equations.

    The time of a step in fewer than `RARE` equations is the mean of the times of the same step with numbers of other
    types, unless all of them are rare.

    equations: as `forest_equations` returns them.
    """
    times = fit(equations, {})
    occurrences = Counter(step for counts, _ in equations for step, number in counts.items() if number)
    of_kind: dict[str, list[float]] = {}
    for step, time in times.items():
        if occurrences[step] >= RARE:
            of_kind.setdefault(_without_type(step), []).append(time)
    rare = {step for step in times if occurrences[step] < RARE and _without_type(step) in of_kind}
    return fit(equations, {step: float(np.mean(of_kind[_without_type(step)])) for step in rare})


def _without_type(step: str) -> str:
    return step.rpartition(" ")[0]


def forest_equations(device: str) -> list[Equation]:
    """For each measured function of a forest, the counts of its steps over some inputs, and its measured time."""
    equations: list[Equation] = []
    numbers = count()
    while len(equations) < EQUATIONS:
        number = next(numbers)
        forest, inputs = _compiled(trained(number), format_of(number), device) if number % 2 else _drawn(number)
        forest = _with_shares(forest, inputs)
        empty = _time(device, forest, inputs, "", "(void)X")
        for coder in chip_of(device).entries_of(ForestCoder):
            if coder.name == TABLES and number % GROUP_SIZE >= GROUP_SIZE // 2:
                continue
            kernel = coder.kernel(forest)
            if kernel is not None and kernel.composed is not None and kernel.composed.counts:
                call = f"{kernel.symbol}(X, out)"
                time = _time(device, forest, inputs, kernel.composed.text, call) - empty
                equations.append((kernel.composed.counts, time))
    return equations


def trained(number: int) -> MadeEstimator:
    """Train estimator `number`, and return it with samples that were not used for training."""
    random = np.random.default_rng(4000 + number)
    kind, number_of_trees, more, deepest = _KINDS[number % len(_KINDS)]
    features, classes, samples = int(random.choice((2, 3, 5, 8, 13, 24))), int(random.integers(2, 6)), TRAINING + 100
    x = random.normal(0, 1, (samples, features)) @ random.normal(0, 1, (features, features))
    weights, noise = random.normal(0, 1, (features, classes)), random.normal(0, 0.5, (samples, classes))
    y: Any = np.argmax(x @ weights + noise, axis=1)
    if "Regress" in kind:
        y = np.sin(x).sum(1) + x @ random.normal(0, 1, features)
    match int(random.integers(4)):
        case 1:
            x = x * np.power(10, random.uniform(-2, 2, features)) + random.uniform(-3, 3, features)
        case 2:
            x = np.round(3 * x)
        case 3:
            x = np.abs(x)
        case _:
            pass
    x = x.astype(np.float32)
    module, _, name = kind.rpartition(".")
    trees = {number_of_trees: int(random.integers(1, 13))} if number_of_trees else {}
    depth = int(random.integers(1, deepest))
    model = getattr(import_module(f"sklearn.{module}"), name)(max_depth=depth, random_state=0, **trees, **more)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(x[:TRAINING], y[:TRAINING])
    return MadeEstimator(model, x[TRAINING:])


def format_of(number: int) -> tuple[str, int | None]:
    return FOREST_FORMATS[(number + number // len(FOREST_FORMATS)) % len(FOREST_FORMATS)]


def _compiled(made: MadeEstimator, format: tuple[str, int | None], device: str) -> tuple[ForestCode, NDArray[Any]]:
    """Compile an estimator, and return the forest of its program and the program's inputs (SAMPLES, features)."""
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder) / "val.npz", x=made.x)
        options = PipelineOptions(data=f"{folder}/val.npz", format=format[0], width=format[1], target=device)
        compiled = compile_stages(load(made.estimator).module, context(), options)
    calls = [op.routine for op in compiled.loops.walk() if isinstance(op, num.CallOp)]
    forest = next(routine.forest for routine in calls if isinstance(routine, num.CodedForestAttr))
    inputs = encode_inputs(compiled.formats, made.x[:SAMPLES])
    return forest, inputs.reshape(SAMPLES, -1)


def _drawn(number: int) -> tuple[ForestCode, NDArray[Any]]:
    """Draw a random forest and its inputs, (SAMPLES, features), and return both. Each threshold is a feature of one of
    the inputs, in every other group of forests that of one of `REPEATED` inputs: trees of boosted forests repeat the
    comparisons of earlier trees.
    """
    random = np.random.default_rng(9000 + number)
    thresholds, votes = THRESHOLDS[number // 2 % len(THRESHOLDS)], str(random.choice(VOTES))
    columns, trees = int(random.integers(2, 13)), int(random.integers(1, 13))
    depth, results = int(random.integers(1, 6)), int(random.choice(RESULTS))
    scales = {name: random.choice(scales) for name, scales in SCALES.items()}
    reals = random.normal(0, 40, (SAMPLES, columns)).clip(-120, 120)
    reals = np.abs(reals) if random.random() < 0.3 else reals
    inputs = (reals * scales.get(thresholds, 1)).astype(thresholds)
    features, bounds = list[int](), list[Any]()
    children: list[list[int]] = []
    leaves = 0

    def grown(below: int, rows: NDArray[np.int64]) -> int:
        nonlocal leaves
        if below == 0 or len(rows) < 2 or (below < depth and random.random() < 0.15):
            leaves += 1
            return -leaves
        node, feature = len(features), int(random.integers(columns))
        repeats = number // (2 * len(THRESHOLDS)) % 2
        bound = inputs[random.integers(REPEATED) if repeats else rows[random.integers(len(rows))], feature]
        features.append(feature)
        bounds.append(bound)
        children.append([0, 0])
        left = inputs[rows, feature] <= bound
        children[node] = [grown(below - 1, rows[left]), grown(below - 1, rows[~left])]
        return node

    roots = [grown(depth, np.arange(SAMPLES)) for _ in range(trees)]
    most = {"float32": 1.0, "int8": 9.0}.get(votes) or random.choice([9.0, 9.0, 900.0])
    added = np.array(random.uniform(-9, 9, (leaves, results)) * most, votes)
    if random.random() < 0.4:
        added *= (random.random(added.shape) < 0.4).astype(votes)
    if votes != "float32" and random.random() < 0.5:
        added = np.abs(added)
    numbers = np.array(features, np.int64), np.array(bounds, thresholds), np.array(children).reshape(-1, 2)
    return ForestCode(Trees(*numbers, np.array(roots)), added), inputs


def _with_shares(forest: ForestCode, inputs: NDArray[Any]) -> ForestCode:
    trees, samples = forest.trees, len(inputs)
    passed, rows = np.zeros((trees.inner, 2), np.int64), np.arange(samples)[:, None]
    trees.walk(lambda nodes, columns: inputs[rows, columns] <= trees.thresholds[nodes], samples, passed)
    return ForestCode(replace(trees, shares=passed / samples), forest.votes)


def _time(device: str, forest: ForestCode, inputs: NDArray[Any], function: str, call: str) -> float:
    input, output, length = ctype(inputs), ctype(forest.votes), inputs.shape[1]
    interface = Interface("figure", input, length, output, forest.results, has_label=False)
    given = {"input": input, "output": output, "inputs": length, "results": forest.results}
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

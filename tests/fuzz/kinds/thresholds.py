"""Decision trees whose thresholds are values of the data, in steps such as .1, in all number formats."""

from __future__ import annotations

import warnings
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import helper
from oracles.onnx_models import model

import tinyml
from fuzz.verdicts import ACCEPTED, REFUSED, Harm
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.runtime.evaluator.evaluator import encode_inputs
from tinyml.tools.driver.stages import load_program

FORMATS: tuple[tuple[str, int | None], ...] = (
    ("fixed", 8), ("fixed", 16), ("fixed", 32), ("posit", 8), ("posit", 16), ("zeroskew", 8), ("affine", 8),
    ("bf16", None), ("f32", None),
)  # fmt: skip

MODES = ("BRANCH_LT", "BRANCH_LEQ", "BRANCH_GT", "BRANCH_GTE")
STEPS = (0.1, 0.25, 0.05, 0.01, 1.0, 0.3)


def thresholds(number: int, random: Random, folder: Path) -> str:
    """Compile a tree of one node whose threshold is one of the readings with which it is compiled. Return the verdict.

    Raises `Harm` if the program sends more of these readings to another side than the best comparison of raws does.
    """
    step, first, count = random.choice(STEPS), random.randint(-40, 300), random.randint(3, 40)
    readings = (np.arange(first, first + count) * step).astype(np.float32)
    threshold = float(random.choice(readings.tolist()[1:]))
    mode = random.choice(MODES)
    format, width = random.choice(FORMATS)
    told = f"{mode} {threshold:.9g}, {count} readings from {readings[0]:.9g} by {step}, {format} {width}"
    right = _sides(mode, readings, np.float32(threshold))
    (folder / "tree.onnx").write_bytes(stump(mode, threshold).SerializeToString())
    x = readings[:, np.newaxis]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = tinyml.compile(folder / "tree.onnx", x, board="host", format=format, width=width)
    except InputError:
        return REFUSED
    wrong = int(((np.asarray(program.scores(x)).reshape(-1) > 0.5) != right).sum())
    formats = load_program(program.folder / "ir" / "1-formats.mlir", context())
    least = fewest_wrong(encode_inputs(formats, x).reshape(-1), right)
    if wrong > least:
        raise Harm("mismatch", f"{told}: {wrong} readings go to the other side, {least} would by the best cut")
    return ACCEPTED


def fewest_wrong(raws: NDArray[Any], right: NDArray[np.bool_]) -> int:
    """The fewest readings that a comparison of raws with one number sends to another side than `right`.

    right: for each reading, whether the tree's answer is the first.
    """
    order = np.argsort(raws, kind="stable")
    sorted_raws, sorted_right = raws[order], right[order]
    ends = [0, *(np.flatnonzero(np.diff(sorted_raws)) + 1).tolist(), len(raws)]
    counts = list[int]()
    for end in ends:
        below = np.arange(len(raws)) < end
        counts += [int((below != sorted_right).sum()), int((~below != sorted_right).sum())]
    return min(counts)


def _sides(mode: str, x: NDArray[np.float32], threshold: np.float32) -> NDArray[np.bool_]:
    comparisons = {
        "BRANCH_LT": x < threshold,
        "BRANCH_LEQ": x <= threshold,
        "BRANCH_GT": x > threshold,
        "BRANCH_GTE": x >= threshold,
    }
    return comparisons[mode]


def stump(mode: str, threshold: float) -> Any:
    """A model of one tree of one node, with the answer 1 where the comparison holds, otherwise 0."""
    nodes = helper.make_node(
        "TreeEnsembleRegressor", ["x"], ["y"], domain="ai.onnx.ml", n_targets=1,
        nodes_treeids=[0, 0, 0], nodes_nodeids=[0, 1, 2], nodes_featureids=[0, 0, 0],
        nodes_modes=[mode, "LEAF", "LEAF"], nodes_values=[threshold, 0.0, 0.0],
        nodes_truenodeids=[1, 0, 0], nodes_falsenodeids=[2, 0, 0], nodes_missing_value_tracks_true=[0, 0, 0],
        target_treeids=[0, 0], target_nodeids=[1, 2], target_ids=[0, 0], target_weights=[1.0, 0.0],
    )  # fmt: skip
    made = model([nodes], [1, 1])
    made.opset_import.append(helper.make_opsetid("ai.onnx.ml", 3))
    return made

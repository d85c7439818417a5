"""Affine functions between layers are folded into the layers. Reals are unchanged except for the rounding of
weights.
"""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from programs.network_writer import NetworkWriter
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.tdsl import shape_of
from tinyml.runtime.evaluator.evaluator import evaluate_reals, predict_function
from tinyml.transforms.reals.analysis.affine_functions import AffineFunction
from tinyml.transforms.reals.analysis.count_macs import count_macs
from tinyml.transforms.reals.drop_monotone import DropMonotonePass
from tinyml.transforms.reals.fold_affine import FoldAffinePass
from tinyml.transforms.reals.fold_input_unit import FoldInputUnitPass
from tinyml.transforms.reals.scale_features import ScaleFeaturesPass

LENGTH, SAMPLES = 6, 16
ENDINGS = ("softmax", "sigmoid", "tanh", "double", "reshape")
ARITHMETIC = ("add", "add_to", "sub", "sub_from", "mul", "neg", "matmul", "rows", "conv", "tanh", "twice")
STEPS = (*ARITHMETIC, "reshape", "transpose", "index", "slice", "window")
UNITS = ("0.5+3:s10", "uint8:1", "g1000", "q15", "2x0.1-2:u12,3:s4", "0.5,2.5:s4,1e-3+9,1,1,40")


class Chain:
    """A program that applies a sequence of steps to a vector. The seed determines the constants of the steps."""

    def __init__(self, steps: list[str], seed: int):
        self.net = NetworkWriter((1, LENGTH), seed, F32_FORMAT)
        self.random = self.net.random
        value = self.net.input
        for step in steps:
            value = self.step(step, value)
        self.module = self.net.module(value)

    def constant(self, *shape: int) -> SSAValue:
        return self.net.constant(self.random.normal(size=shape))

    def step(self, step: str, x: SSAValue) -> SSAValue:
        op, size = self.net.insert, prod(shape_of(x))
        same = self.constant(*(shape_of(x) if self.random.integers(2) else (1,)))
        match step:
            case "add":
                return op(tdsl.AddOp(x, same))
            case "add_to":
                return op(tdsl.AddOp(same, x))
            case "sub":
                return op(tdsl.SubOp(x, same))
            case "sub_from":
                return op(tdsl.SubOp(same, x))
            case "mul":
                return op(tdsl.MulOp(x, same))
            case "neg":
                return op(tdsl.NegOp(x))
            case "matmul":
                column = op(tdsl.ReshapeOp(x, (size, 1)))
                return op(tdsl.MatmulOp(self.constant(int(self.random.integers(1, 8)), size), column))
            case "rows":
                row = op(tdsl.ReshapeOp(x, (1, size)))
                return op(tdsl.MatmulOp(row, self.constant(size, int(self.random.integers(1, 8)))))
            case "conv":
                image = op(tdsl.ReshapeOp(x, (1, 1, 1, size)))
                groups = int(self.random.choice([1, size]))
                return op(tdsl.Conv2dOp(self.constant(size, 1, 1, size // groups), image, groups=groups))
            case "reshape":
                return op(tdsl.ReshapeOp(x, (size, 1)))
            case "transpose":
                return op(tdsl.TransposeOp(x, range(len(shape_of(x)))[::-1]))
            case "index":
                zero = self.net.index(0)
                return op(tdsl.IndexOp(op(tdsl.ReshapeOp(x, (1, 1, size))), zero))
            case "slice":
                zero = self.net.index(0)
                return op(tdsl.SliceOp(op(tdsl.ReshapeOp(x, (1, size))), [zero, zero], (1, (size + 1) // 2)))
            case "window":
                image = op(tdsl.ReshapeOp(x, (1, 1, size, 1)))
                padded = op(tdsl.PadOp(image, (0, 0, 1, 0), (0, 0, 1, 0)))
                return op(tdsl.MaxPoolOp(padded, (1, 3), (0, 0, 0, 0), (1, 1)))
            case "tanh":
                return op(tdsl.TanhOp(x))
            case "sigmoid":
                return op(tdsl.SigmoidOp(x))
            case "softmax":
                return op(tdsl.SoftmaxOp(op(tdsl.ReshapeOp(x, (1, size)))))
            case "double":
                return op(tdsl.MulOp(x, self.net.constant(np.full(1, 2.0))))
            case _:
                return op(tdsl.AddOp(x, x))

    def inputs(self) -> NDArray[np.float32]:
        units = 10.0 ** self.random.integers(-3, 3, LENGTH)
        return ((self.random.normal(size=(SAMPLES, LENGTH)) + self.random.normal(size=LENGTH)) * units).astype("f4")


def assert_same_reals(found: ModuleOp, expected: ModuleOp, x: NDArray[np.float32]) -> None:
    """Assert that the scores of two programs are equal up to some single-precision roundings of the greatest
    intermediate value.
    """
    greatest = [1.0]
    scores = evaluate_reals(expected, x, lambda value, reals: greatest.append(float(np.abs(reals).max()))).scores
    also = evaluate_reals(found, x, lambda value, reals: greatest.append(float(np.abs(reals).max()))).scores
    assert scores is not None
    assert also is not None
    np.testing.assert_allclose(also, scores, rtol=0, atol=1e-4 * max(greatest))


def last_op(module: ModuleOp) -> object:
    """The op that computes the last result of a program."""
    returned = predict_function(module).body.block.last_op
    assert returned is not None
    return returned.operands[-1].owner


CHAINS = st.builds(Chain, st.lists(st.sampled_from(STEPS), max_size=7), st.integers(0, 1 << 30))


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(CHAINS)
def test_folding_keeps_reals(chain: Chain) -> None:
    folded = chain.module.clone()
    FoldAffinePass().apply(context(), folded)
    folded.verify()
    assert_same_reals(folded, chain.module, chain.inputs())
    assert count_macs(folded) <= count_macs(chain.module)
    assert len(list(folded.walk())) <= len(list(chain.module.walk())) + str(folded).count("%bias")


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(CHAINS)
def test_feature_scales_keep_reals(tmp_path_factory: pytest.TempPathFactory, chain: Chain) -> None:
    x, file = chain.inputs(), tmp_path_factory.mktemp("data") / "x.npz"
    np.savez(file, x=x)
    scaled = chain.module.clone()
    ScaleFeaturesPass(str(file)).apply(context(), scaled)
    scaled.verify()
    assert_same_reals(scaled, chain.module, x)


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(CHAINS, st.sampled_from(UNITS))
def test_units_keep_reals(chain: Chain, unit: str) -> None:
    taken = chain.module.clone()
    FoldInputUnitPass(unit).apply(context(), taken)
    taken.verify()
    assert_same_reals(taken, chain.module, chain.inputs())


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(STEPS), max_size=3), st.lists(st.sampled_from(ENDINGS), max_size=3), st.integers(0, 99))
def test_classes_are_those_of_the_scores(steps: list[str], endings: list[str], seed: int) -> None:
    """Classes are unchanged after `drop-monotone` has removed increasing functions of the scores, except if rounding
    makes the two greatest scores equal, or a single score equal to its threshold.
    """
    chain = Chain([*steps, "rows", *endings], seed)
    classes = chain.module.clone()
    DropMonotonePass("class").apply(context(), classes)
    classes.verify()
    x = chain.inputs()
    scores, labels = evaluate_reals(chain.module, x).scores, evaluate_reals(classes, x).labels
    assert scores is not None
    assert labels is not None
    if scores.shape[1] == 1:
        functions = [ending for ending in endings if ending != "reshape"]
        threshold = 0.5 if functions[-1:] == ["sigmoid"] else 0
        expected, clear = scores[:, 0] > threshold, scores[:, 0] != threshold
    else:
        expected, clear = scores.argmax(1), (scores == scores.max(1, keepdims=True)).sum(1) == 1
        assert not endings or not isinstance(last_op(classes), tdsl.SoftmaxOp | tdsl.FunctionOp | tdsl.MulOp)
    np.testing.assert_array_equal(labels[clear], expected[clear])


def test_thresholds() -> None:
    """The thresholds of a forest after an affine function become thresholds of the function's argument. For a negative
    factor, the result is None, since the comparison would be reversed.
    """
    function = AffineFunction(np.array([[2.0, 0.5, 1e-3]]), np.array([[-3.0, 7.0, 0.25]]))
    features = np.array([2, 0, 1, 0])
    found = function.thresholds(np.array([0.25, -1.0, 7.5, 5.0]), features)
    np.testing.assert_allclose(np.asarray(found), [0.0, 1.0, 1.0, 4.0])
    assert AffineFunction(-function.factors, function.addends).thresholds(np.zeros(1), features[:1]) is None

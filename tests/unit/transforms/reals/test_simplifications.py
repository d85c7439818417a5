"""Rewrites of reals that depend on weights: every output is unchanged, bit for bit in floats, and less is computed."""

from __future__ import annotations

import numpy as np
import pytest
from programs.network_writer import NetworkWriter
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.runtime.evaluator.evaluator import evaluate, evaluate_reals
from tinyml.transforms.reals.analysis.count_macs import count_macs
from tinyml.transforms.reals.compare_arguments import CompareArgumentsPass
from tinyml.transforms.reals.fold_powers_of_two import FoldPowersOfTwoPass
from tinyml.transforms.reals.prune_zeros import PruneZerosPass

SAMPLES = 20
SIMPLIFICATIONS = CompareArgumentsPass(), FoldPowersOfTwoPass(), PruneZerosPass()
FUNCTIONS = (tdsl.TanhOp, tdsl.SigmoidOp, tdsl.ReluOp, tdsl.NegOp)


class Network:
    """A stack of layers whose matrices have rows and columns of zeros, with factors that are powers of two and
    functions in between.
    """

    def __init__(self, seed: int):
        self.length = 1 + seed % 11
        self.net = NetworkWriter((self.length, 1), seed, F32_FORMAT)
        self.random = self.net.random
        value = self.net.input
        for _ in range(int(self.random.integers(1, 5))):
            value = self.layer(value)
        label = self.net.insert(tdsl.ArgmaxOp(self.net.insert(tdsl.TanhOp(value))))
        self.module = self.net.module(label, value)

    def chance(self) -> bool:
        return bool(self.random.integers(2))

    def matrix(self, columns: int) -> SSAValue:
        rows = int(self.random.integers(1, 8))
        # So small that no function saturates, not even in double precision.
        values = self.random.normal(size=(rows, columns)) / columns
        values *= self.random.random((rows, 1)) < 0.7
        values *= self.random.random(columns) < 0.7
        return self.net.constant(values)

    def layer(self, x: SSAValue) -> SSAValue:
        insert, length = self.net.insert, tdsl.shape_of(x)[0]
        if self.chance():
            x = insert(tdsl.MulOp(self.power(), x, f32))
        y = insert(tdsl.MatmulOp(self.matrix(length), x))
        if self.chance():
            y = insert(tdsl.MulOp(y, self.power()))
        if self.chance():
            bias = self.random.normal(size=tdsl.shape_of(y)) * (self.random.random(tdsl.shape_of(y)) < 0.5)
            y = self.net.add(y, self.net.constant(bias))
        if self.chance():
            row = insert(tdsl.ReshapeOp(y, tdsl.shape_of(y)[::-1]))
            column = insert(tdsl.ReshapeOp(row, tdsl.shape_of(y)))
            y = insert(tdsl.MulOp(column, y)) if self.chance() else column
        kind = FUNCTIONS[int(self.random.integers(len(FUNCTIONS)))]
        return insert(kind(y)) if self.chance() else y

    def power(self) -> SSAValue:
        return self.net.constant(np.array([[np.ldexp(self.random.choice([-1, 1]), self.random.integers(-3, 2))]]))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(60))
def test_outputs_stay(seed: int):
    network = Network(seed)
    module, inputs = network.module, network.random.normal(size=(SAMPLES, network.length)).astype(np.float32)
    before, reals = evaluate(module, inputs), evaluate_reals(module, inputs)
    for simplification in SIMPLIFICATIONS:
        simplification.apply(context(), module)
        module.verify()
        after = evaluate(module, inputs)
        np.testing.assert_array_equal(after.scores, before.scores)
        np.testing.assert_array_equal(evaluate_reals(module, inputs).classes, reals.classes)


def test_less_is_computed():
    before = after = 0
    for seed in range(60):
        module = Network(seed).module
        before += count_macs(module)
        PruneZerosPass().apply(context(), module)
        after += count_macs(module)
    assert after < before

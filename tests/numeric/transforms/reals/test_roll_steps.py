"""A loop that `roll-steps` makes of the copies of a step computes their bits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs.spread import examples
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.runtime.evaluator.evaluator import evaluate_reals
from tinyml.transforms.reals.roll_steps import RollStepsPass

UNITS, FEATURES = 3, 2
STATE, PART = f"tensor<{UNITS}x1xf32>", f"tensor<{FEATURES}x1xf32>"


class Unrolled:
    """The text of a program of unrolled recurrent layers on a sequence (1, steps, FEATURES)."""

    def __init__(self, seed: int, steps: int):
        self.random, self.steps, self.lines, self.count = np.random.default_rng(seed), steps, list[str](), 0
        for number in range(max(steps, 2)):
            self.lines.append(f"%i{number} = arith.constant {number} : index")
        self.rows = [self.row(number) for number in range(steps)]

    def value(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def row(self, number: int) -> str:
        whole, part = f"tensor<1x{self.steps}x{FEATURES}xf32>", f"tensor<1x1x{FEATURES}xf32>"
        row = self.value(f"tdsl.slice %x[%i0, %i{number}, %i0] : {whole} -> {part}")
        return self.value(f"tdsl.reshape {row} : {part} -> {PART}")

    def constant(self, *shape: int) -> str:
        elements = self.random.normal(size=shape).astype("f").tolist()
        type = "x".join(map(str, (*shape, "f32")))
        return self.value(f"tdsl.const dense<{elements}> : tensor<{type}> -> tensor<{type}>")

    def product(self, weights: str, vector: str, length: int) -> str:
        types = f"tensor<{UNITS}x{length}xf32>, tensor<{length}x1xf32>"
        return self.value(f"tdsl.matmul {weights}, {vector} : {types} -> {STATE}")

    def binary(self, name: str, one: str, other: str) -> str:
        return self.value(f"tdsl.{name} {one}, {other} : {STATE}, {STATE} -> {STATE}")

    def unary(self, name: str, one: str) -> str:
        return self.value(f"tdsl.{name} {one} : {STATE} -> {STATE}")

    def layer(
        self, inputs: Sequence[str], length: int, functions: Sequence[str], *, gated: bool, copied: bool
    ) -> list[str]:
        """The states of all steps of a layer.

        inputs: the vectors of `length` elements that the steps read.
        gated: whether the layer has a gate and a second state.
        copied: whether each step has constants of its own, equal to those of the others.
        """
        shapes = [(UNITS, length), (UNITS, UNITS), (UNITS, length), (UNITS, UNITS), (UNITS, 1)]
        state = self.random.bit_generator.state
        constants = [self.constant(*shape) for shape in shapes]
        h, c, states = self.constant(UNITS, 1), self.constant(UNITS, 1), list[str]()
        after = self.random.bit_generator.state
        for x in inputs:
            if copied:
                self.random.bit_generator.state = state
                constants = [self.constant(*shape) for shape in shapes]
                self.random.bit_generator.state = after
            w, u, gate_w, gate_u, bias = constants
            total = self.binary("add", self.product(w, x, length), self.product(u, h, UNITS))
            new = self.unary(functions[0], self.binary("add", total, bias))
            if gated:
                gate = self.binary("add", self.product(gate_w, x, length), self.product(gate_u, h, UNITS))
                c = self.binary("add", self.binary("mul", self.unary("sigmoid", gate), c), new)
                new = self.unary(functions[1], c)
            h = new
            states.append(h)
        return states

    def module(self, results: Sequence[str]) -> ModuleOp:
        whole = f"tensor<1x{self.steps}x{FEATURES}xf32>"
        types = ", ".join([STATE] * len(results))
        body = "\n".join(self.lines)
        text = f"func.func @f(%x: {whole}) -> ({types}) {{\n{body}\nfunc.return {', '.join(results)} : {types}\n}}"
        return Parser(context(), text).parse_module()


@pytest.mark.long
@given(
    seed=st.integers(0, 1 << 20),
    steps=st.integers(2, 6),
    gated=st.booleans(),
    copied=st.booleans(),
    backwards=st.booleans(),
    layers=st.integers(1, 3),
    functions=st.lists(st.sampled_from(["tanh", "relu", "sigmoid"]), min_size=2, max_size=2),
    read=st.sets(st.integers(0, 5), max_size=3),
)
@settings(max_examples=examples(25))
def test_the_loop_computes_the_bits_of_the_copies(
    seed: int, steps: int, gated: bool, copied: bool, backwards: bool, layers: int, functions: list[str], read: set[int]
):
    """Stacked layers, of which the last state and any other states are read."""
    program = Unrolled(seed, steps)
    states, length = program.rows[::-1] if backwards else program.rows, FEATURES
    for _ in range(layers):
        states = program.layer(states, length, functions, gated=gated, copied=copied)
        length = UNITS
    module = program.module([states[-1], *(states[step] for step in sorted(read) if step < steps)])
    x = np.random.default_rng(seed).normal(size=(4, steps * FEATURES)).astype("f")
    before = evaluate_reals(module, x)
    RollStepsPass().apply(context(), module)
    module.verify()
    after = evaluate_reals(module, x)
    assert sum(isinstance(op, scf.ForOp) for op in module.walk()) == (layers if steps > 2 else 0)
    assert before.scores is not None
    np.testing.assert_array_equal(after.scores, before.scores)
    for one, other in zip(after.more, before.more, strict=True):
        np.testing.assert_array_equal(one, other)

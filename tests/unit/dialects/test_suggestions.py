"""Suggestions in messages about unknown names: misspelled names are recognised, and dissimilar names are not
suggested.
"""

from __future__ import annotations

import pytest

from tinyml.dialects.errors import did_you_mean

OPS = ["tdsl.relu", "tdsl.sqrt", "tdsl.sign", "tdsl.cosh", "tdsl.tanh", "tdsl.add", "tdsl.concatenate", "tdsl.sine"]


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("widht", ["weights", "width"], "width"),
        ("pcio", ["pico", "pico2"], "pico"),
        ("f23", ["f32", "fixed"], "f32"),
        ("Unoo", ["uno", "nano"], "uno"),
        ("adc11", ["adc10", "q15"], "adc10"),
        ("quantisation", ["quantization"], "quantization"),
        ("parretto", ["pareto"], "pareto"),
        ("nano33", ["nano", "nano33ble"], "nano33ble"),
        ("m33", ["cortex-m3", "cortex-m33"], "cortex-m33"),
        ("feature", ["float-features", "feature-scales"], "feature-scales"),
        ("tdsl.tangh", OPS, "tdsl.tanh"),
        ("tdsl.rleu", OPS, "tdsl.relu"),
        ("fixed.qq", ["fixed.q", "fixed.s"], "fixed.q"),
        ("tdsl.concatnate", OPS, "tdsl.concatenate"),
    ],
)
def test_mistyped_names_are_recognised(name: str, known: list[str], meant: str):
    assert did_you_mean(name, known) == f", did you mean '{meant}'?"


@pytest.mark.parametrize("name", ["cosine", "sort", "and", "cos", "real", "size", "dot", "convert", "or", "relu6"])
def test_no_op_is_named_for_another(name: str):
    assert did_you_mean(f"tdsl.{name}", [op for op in OPS if name != "relu6" or op != "tdsl.relu"]) == ""


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("KBinsDiscretizer", ["PolynomialFeatures", "Discretizer"]),
        ("kmeans", ["mean", "means"]),
        ("lut", ["out", "let"]),
        ("x", ["y", "xs"]),
        ("board", ["target", "bands"]),
        ("worst-fit", ["first-fit", "best-fit"]),
        ("accuracy", ["classes", "cycles"]),
        ("", ["uno"]),
    ],
)
def test_no_other_name_is_suggested(name: str, known: list[str]):
    assert did_you_mean(name, known) == ""


@pytest.mark.parametrize(
    ("typed", "taken"), [("abcdxfgh", True), ("abcdxygh", True), ("abcxyzgh", False), ("abcx", True), ("abxy", False)]
)
def test_one_mistake_is_allowed_for_four_letters_begun(typed: str, taken: bool):
    assert bool(did_you_mean(typed, ["abcdefgh"[: len(typed)]])) == taken

"""Data sets of programs whose images have their channels first in the model's file, and errors for interface fields
that do not match the input.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.runtime.model.model_interface import interface_of
from tinyml.runtime.model.program_data import in_file_order, load_program_data

SHAPES: dict[tuple[int, ...], str] = {(0, 1, 2, 3): "1x2x3x4", (0, 2, 3, 1): "1x3x4x2", (0, 2, 1, 3): "1x3x2x4"}
IMAGES = np.random.default_rng(0).normal(size=(5, 2, 3, 4)).astype(np.float32)


@pytest.mark.parametrize("axes", SHAPES)
@pytest.mark.parametrize("given", ["flat", "file", "last"])
def test_samples_get_the_order_of_the_program(axes: tuple[int, ...], given: str, tmp_path: Path):
    type, order = f"tensor<{SHAPES[axes]}xf32>", ", ".join(map(str, axes))
    module = Parser(
        context(),
        f"func.func @f(%X: {type}) -> {type} "
        f"attributes {{tdsl.interface = #tdsl.interface<input = <order = [{order}]>>}} {{ func.return %X : {type} }}",
    ).parse_module()
    last = IMAGES.transpose(0, 2, 3, 1)
    np.savez(tmp_path / "x.npz", x={"flat": IMAGES.reshape(5, -1), "file": IMAGES, "last": last}[given])
    x = load_program_data(module, str(tmp_path / "x.npz")).x
    np.testing.assert_array_equal(x, IMAGES.transpose(axes).reshape(5, -1))
    np.testing.assert_array_equal(in_file_order(module, x), IMAGES.reshape(5, -1))
    words = {1: "channels", 2: "height", 3: "width"}
    assert interface_of(module).input_layout == " x ".join(words[axis] for axis in axes[1:])


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("packed = 7", "7 bits do not hold the 8 of"),
        ("order = [0, 2, 1]", "an order of 3 axes is none of an input of 2"),
    ],
)
def test_fields_that_do_not_belong_to_the_input_are_one_line(field: str, said: str):
    type = "tensor<4x1x!fixed.q<8, 4>>"
    interface = f"attributes {{tdsl.interface = #tdsl.interface<input = <{field}>>}}"
    text = f"func.func @f(%x: {type}) -> {type} {interface} {{ func.return %x : {type} }}"
    with pytest.raises(InputError, match=said):
        interface_of(Parser(context(), text).parse_module())

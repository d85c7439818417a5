"""Names of inputs, tensors and constants in a model's file meet no name of the C interface and no macro of a caller."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import tinyml
from tinyml.lowering.c.signatures import PART_AT, PART_SCALE, PART_SET, PART_ZERO, PUBLIC, output_suffixes
from tinyml.runtime.devices.toolchain import run_command
from tinyml.runtime.model.temporary_folder import temporary_folder

X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)

SUFFIXES = [*PUBLIC, *output_suffixes(0), *output_suffixes(1), "output_1", "LENGTH", "SCALE", "ZERO", "UNIT", "AT"]
"""Suffixes of the interface, and the ends of those that begin with INPUT."""

FORMATS = {"fixed": (X, X), "zeroskew": (X + 3, X * 100)}
"""By format, samples of two inputs; the scales of both inputs differ in the latter."""


def network(file: Path, inputs: Sequence[str], inner: str = "product", constant: str = "weights") -> Path:
    """The file of `inputs[0] * constant + inputs[-1]`."""
    nodes = [
        helper.make_node("Mul", [inputs[0], constant], [inner]),
        helper.make_node("Add", [inner, inputs[-1]], ["o"]),
    ]
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 3]) for name in inputs]
    weights = numpy_helper.from_array(np.array([[1, 2, 3.5]], np.float32), constant)
    output = helper.make_tensor_value_info("o", TensorProto.FLOAT, [1, 3])
    graph = helper.make_graph(nodes, "g", infos, [output], [weights])
    file.write_bytes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9).SerializeToString()
    )
    return file


def build(program: tinyml.Program, before: str = "") -> None:
    """Compile the C of a program, and its header after the text `before`, without warnings.

    No macro of the header is defined twice.
    """
    macros = Counter(re.findall(r"#define (\w+)", program.h))
    assert [name for name, count in macros.items() if count > 1] == []
    with temporary_folder() as folder:
        (folder / f"{program.name}.h").write_text(program.h)
        (folder / f"{program.name}.c").write_text(program.c)
        (folder / "caller.c").write_text(f'{before}\n#include "{program.name}.h"\n')
        for file in (f"{program.name}.c", "caller.c"):
            run_command("gcc", [*("-Wall", "-Wextra", "-Werror", "-c"), folder / file, "-o", folder / "object.o"])


@pytest.mark.long
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", SUFFIXES)
def test_inputs_may_have_names_of_the_interface(name: str, format: str, tmp_path: Path) -> None:
    file = network(tmp_path / "n.onnx", [name, "b"])
    program = tinyml.compile(file, FORMATS[format], board="host", format=format, width=8, name="n")
    assert isinstance(program, tinyml.Program)
    build(program)
    assert f"#define n_INPUT_AT_{name} 0 " in program.h
    assert "#define n_INPUT_AT_b 3 " in program.h


@pytest.mark.parametrize("pair", [("b", "b_SCALE"), ("SCALE_b", "b"), ("AT_b", "b"), ("b", "AT_b_SCALE")])
def test_inputs_may_have_names_that_continue_those_of_others(pair: tuple[str, str], tmp_path: Path) -> None:
    file = network(tmp_path / "n.onnx", pair)
    program = tinyml.compile(file, FORMATS["zeroskew"], board="host", format="zeroskew", width=8, name="n")
    assert isinstance(program, tinyml.Program)
    build(program)


def test_no_name_of_the_interface_continues_one_before_the_name_of_an_input() -> None:
    beginnings = [f"{suffix}_" for suffix in (PART_AT, PART_SCALE, PART_ZERO, PART_SET)]
    assert [
        name for name in (*PUBLIC, *output_suffixes(0), *output_suffixes(1)) if name.startswith(tuple(beginnings))
    ] == []


@pytest.mark.long
@pytest.mark.parametrize("name", ["INPUT_LENGTH", "OUTPUT_SCALE", "predict", "set", "scores", "H", "FRAME"])
def test_tensors_and_constants_may_have_names_of_the_interface(name: str, tmp_path: Path) -> None:
    file = network(tmp_path / "n.onnx", ["x"], inner=f"n_{name}", constant=name)
    program = tinyml.compile(file, X, board="host", format="fixed", width=8, name="n")
    assert isinstance(program, tinyml.Program)
    build(program)


@pytest.mark.long
@pytest.mark.parametrize("name", ["INPUT", "ADC", "A0", "PI", "LOW", "INT8_MAX", "NULL", "linux", "errno"])
def test_an_input_may_have_the_name_of_a_macro_of_the_caller(name: str, tmp_path: Path) -> None:
    file = network(tmp_path / "n.onnx", [name])
    program = tinyml.compile(file, X, board="host", format="fixed", width=8, name="n")
    assert isinstance(program, tinyml.Program)
    build(program, f"#undef {name}\n#define {name} (*(volatile int *)0x78)")

"""The interface attribute of a program is parsed, printed, and changed by passes; errors state locations."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.modules import is_installed
from tinyml.dialects.tdsl.interface import interface_fields
from tinyml.tools.tinyml_opt import main as opt

TYPE = "tensor<2x1xf32>"
PROGRAM = f"func.func @f(%X: {TYPE}) -> {TYPE} attributes {{INTERFACE}} {{\n  func.return %X : {TYPE}\n}}\n"

FIELDS: dict[str, Any] = {
    "range": (-1e-7, 1e22),
    "zeros": 0.25,
    "names": ("length", 'a "b"', "Größe"),
    "scales": (0.5, 2.0),
    "offsets": (0.0,),
    "points": (8.0,),
    "unit": "2xg16384",
    "format": FixedType(8, 4),
    "read": (0, 2),
    "missing": True,
    "fills": (0.5, -2.0),
    "imputed": (0, 2),
    "order": (0, 2, 3, 1),
    "parts": (("a", 1), ("b", 1, FixedType(8, 4))),
    "packed": 4,
    "received": 2,
    "reused": True,
    "pushed": tdsl.Pushes(4, 2, 5, 1),
    "rate": 16000.0,
    "frames": tdsl.SignalFrames(4, 2, 20, 0),
}
INPUT = {name: v for name, v in FIELDS.items() if name != "unit" or is_installed("tinyml.dialects.tdsl.sensor_units")}
"""The fields without those whose values an extension checks that is not installed."""

PROGRAMS: dict[str, Any] = {
    "classes": ("cat", 'a "dog"', "Bär"),
    "trained": (-2, 7, 40),
    "clusters": True,
    "threshold": -0.5,
    "stored": tdsl.StoredExamples(3, "support vectors", "train with a larger gamma"),
    "quantised": True,
    "instances": True,
    "calls": 6,
}

WRONG = {
    'input = <packed = "x">': "'packed': expected a number of bits, 1 to 7 or 9 to 15, got \"x\"",
    "input = <packed>": "'packed': expected a number of bits, 1 to 7 or 9 to 15, got no value",
    "input = <packed = 33>": "'packed': expected a number of bits, 1 to 7 or 9 to 15, got 33",
    "input = <packed = 8>": "'packed': expected a number of bits, 1 to 7 or 9 to 15, got 8",
    "input = <received = 0>": "'received': expected an integer from 1, got 0",
    "input = <unit = 7>": "'unit': expected the text of a unit, for all elements, got 7",
    'input = <reused = "x">': "'reused': expected no value",
    "input = <zeros = 5>": "'zeros': expected a share above 0, at most 1, got 5",
    "input = <order = 5>": "'order': expected an order of 3 or 4 axes",
    "input = <order = [0, 1, 1]>": "'order': expected an order of 3 or 4 axes",
    "input = <range = [2.0, 1.0]>": "'range': expected a least and a greatest number",
    "input = <fills = 3>": "'fills': expected a list of finite numbers",
    "input = <pushed = [4, 4, 5]>": "'pushed': expected four integers from 1: frame, hop, steps and stride",
    'input = <parts = [["a", 0]]>': "'parts': expected a list of names, each with a length from 1 and perhaps a number",
    'input = <parts = [["a", 1, i8]]>': "'parts': expected a list of names, each with a length from 1 and perhaps a",
    'input = <parts = [["a", 2, !fixed.q<8, 4>]]>': "'parts': 'a' of !fixed.q<8, 4> is not stored as f32 is",
    "input = <format = f64>": "'format': expected a number format, got f64",
    "input = <scales = [1.0, 0.0], offsets = [0.0]>": "'scales': expected a list of finite numbers other than 0",
    "input = <rate = -1.0>": "'rate': expected a finite number above 0, got -1.0",
    "input = <frames = [4, 0, 5, 1]>": "'frames': expected four integers: frame, hop and rows from 1",
    "input = <rate = 2.0, rate = 2.0>": "the field 'rate' is given twice",
    "input = <scales = [1.0]>": "'scales' and 'offsets' of the input belong together",
    "input = <points = [1.0]>": "'points' of the input need 'scales' and 'offsets'",
    "classes = []": "'classes': expected two or more different labels",
    "classes = [1, 2.0]": "expected two or more different labels, all strings or all integers, got [1, 2.0]",
    "stored = [1]": "'stored': expected a number, what it counts, and what makes it smaller, got [1]",
    "clusters = 1": "'clusters': expected no value",
    "instance": "unknown field 'instance' of an interface, did you mean 'instances'?",
    "threshold = [1.0]": "'threshold': expected a finite number, got [1.0]",
    "calls = 0": "'calls': expected an integer from 1, got 0",
}


def program(interface: str = "") -> Any:
    return Parser(context(), PROGRAM.replace("INTERFACE", interface)).parse_module()


def test_every_field_survives_text_and_clones():
    assert [one.name for one in interface_fields(tdsl.InputInterface)] == [*FIELDS]
    assert [one.name for one in interface_fields(tdsl.ProgramInterface)] == [*PROGRAMS]
    module = program()
    expected = tdsl.ProgramInterface(tdsl.InputInterface(**INPUT), **PROGRAMS)
    tdsl.update_interface(module, input=expected.input, **PROGRAMS)
    for copy in (module.clone(), Parser(context(), str(module)).parse_module()):
        assert tdsl.read_interface(copy) == expected


def test_fields_change_one_by_one():
    module = program()
    assert tdsl.read_interface(module) == tdsl.ProgramInterface()
    for name, value in INPUT.items():
        if name not in ("scales", "offsets", "points"):
            tdsl.update_input(module, **{name: value})
            assert tdsl.read_input(module) == tdsl.InputInterface(**{name: value})
            assert f"<input = <{name}" in str(module)
            tdsl.update_input(module, **{name: False if value is True else None})
    assert str(module) == str(program())


def test_numbers_of_features_are_rounded_to_single_precision():
    module = program("tdsl.interface = #tdsl.interface<input = <scales = [0.1], offsets = [16777217.0]>>")
    features = tdsl.read_input(module).features(2)
    assert features is not None
    assert features.scales.tolist() == [0.10000000149011612] * 2
    assert features.zeros.tolist() == [16777216.0] * 2


@pytest.mark.parametrize(
    "fields", [{"rate": 8000}, {"zeros": 1}, {"range": (0, 1)}, {"scales": (2, 0.5), "offsets": (1,)}]
)
def test_integers_are_numbers_where_a_field_takes_reals(fields: dict[str, Any]):
    module = program()
    texts = (f"{name} = {[*value] if isinstance(value, tuple) else value}" for name, value in fields.items())
    tdsl.update_input(module, **fields)
    given = tdsl.read_input(module)
    assert given == tdsl.read_input(program(f"tdsl.interface = #tdsl.interface<input = <{', '.join(texts)}>>"))
    assert given == tdsl.read_input(Parser(context(), str(module)).parse_module())
    assert not any(isinstance(value, int) for name in fields for value in np.ravel(getattr(given, name)).tolist())


@pytest.mark.parametrize("fields", WRONG)
def test_a_wrong_field_is_one_located_line(fields: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "program.mlir"
    file.write_text(PROGRAM.replace("INTERFACE", f"tdsl.interface = #tdsl.interface<{fields}>"))
    assert opt([str(file)]) == 1
    message = capsys.readouterr().err
    assert message.startswith(f"error: {file}:1:")
    assert f": {WRONG[fields]}" in message
    assert message.count("\n") == 1


def test_a_function_without_a_type_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "program.mlir"
    interface = "tdsl.interface = #tdsl.interface<input = <received = 3>>"
    for given, attributes in product(("", ", function_type = 3 : i8"), ("", f" {{{interface}}}")):
        body = '({ "func.return"() : () -> () })'
        file.write_text(f'"func.func"() <{{sym_name = "f"{given}}}> {body}{attributes} : () -> ()\n')
        assert opt([str(file)]) == 1
        message = capsys.readouterr().err
        assert "the property 'function_type' is missing" in message
        assert message.count("\n") == 1


@pytest.mark.parametrize("lists", ["arg_attrs", "res_attrs"])
@pytest.mark.parametrize("given", ["() -> ()", "[1 : i8]"])
def test_attributes_of_arguments_that_are_no_dictionaries_are_refused(
    lists: str, given: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "program.mlir"
    properties = f'sym_name = "f", function_type = () -> (), {lists} = {given}'
    file.write_text(f'"func.func"() <{{{properties}}}> ({{ "func.return"() : () -> () }}) : () -> ()\n')
    assert opt([str(file)]) == 1
    message = capsys.readouterr().err
    assert f"the property '{lists}' must be an array of dictionaries, got" in message
    assert message.count("\n") == 1


def test_an_input_that_no_function_takes_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "program.mlir"
    text = "func.func @f() attributes {tdsl.interface = #tdsl.interface<input = <FIELDS>>} {\n  func.return\n}\n"
    file.write_text(text.replace("FIELDS", "received = 3"))
    assert opt([str(file)]) == 1
    assert "'received': the function has no input" in capsys.readouterr().err
    file.write_text(text.replace("FIELDS", "received = 3, reused"))
    assert opt([str(file)]) == 0


def test_an_error_is_at_the_value(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "program.mlir"
    file.write_text(PROGRAM.replace("INTERFACE", "\ntdsl.interface = #tdsl.interface<input = <packed = 33>>"))
    assert opt([str(file)]) == 1
    assert (
        capsys.readouterr().err
        == f"error: {file}:2:52: 'packed': expected a number of bits, 1 to 7 or 9 to 15, got 33\n"
    )


@pytest.mark.parametrize("labels", [(), ("one",), (1, 1), ("a", "a"), ("a", 1), ("a" * 201, "b"), ("\ud800", "b")])
def test_labels_that_name_no_classes_are_refused(labels: tuple[str | int, ...]):
    module = program()
    with pytest.raises(VerifyException, match=r"two or more different labels|the label of a class has 201|is no text"):
        tdsl.update_interface(module, classes=labels)
    assert tdsl.read_interface(module).classes is None

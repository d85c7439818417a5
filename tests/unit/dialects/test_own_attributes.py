"""Attributes of our own: declared once, verified where a module is read, each with a line that says where and what."""

from __future__ import annotations

import pickle
import re
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
from programs.paths import ROOT

from tinyml.dialects import tdsl
from tinyml.dialects.own_attributes import OWN
from tinyml.tools.main import main
from tinyml.tools.tinyml_opt import main as opt
from tinyml.tools.universe import ATTRIBUTES, own_attributes

PROGRAM = """// A comment.
builtin.module attributes {{{module}}} {{
  func.func @f(%X: tensor<2x1x!fixed.q<8, 4>> {{{argument}}}) -> (index, tensor<2x1x!fixed.q<8, 4>>)
    attributes {{{function}}} {{
    %1 = tdsl.argmax %X {{{op}}} : tensor<2x1x!fixed.q<8, 4>>
    func.return %1, %X : index, tensor<2x1x!fixed.q<8, 4>>
  }}
}}
"""

WRONG = {
    'tdsl.packed = "x"': "an integer from 1 to 32",
    "tdsl.packed": "an integer from 1 to 32",
    "tdsl.packed = 33 : i64": "an integer from 1 to 32",
    'tdsl.received = "x"': "an integer from 1",
    "tdsl.received = 0 : i64": "an integer from 1",
    "tdsl.input_unit = 7 : i64": "the text of a unit, for all elements",
    'tdsl.input_unit = "furlong"': "the text of a unit, for all elements: unknown unit",
    'tdsl.reused = "x"': "no value",
    "tdsl.zeros = 5 : i64": "a share above 0, at most 1",
    "tdsl.order = 5 : i64": "an order of 3 or 4 axes",
    "tdsl.order = array<i64: 0, 1, 1>": "an order of 3 or 4 axes",
    'tdsl.range = "no"': "a range, as in",
    "tdsl.pushed = array<i64: 4, 4, 5>": "four integers from 1",
    'tdsl.parts = [["a", 0 : i64]]': "pairs of a name and a length",
    "tdsl.input_format = f64": "a number format",
    "tdsl.feature_scales = array<f64: 1.0>": "an array of f32",
    "tdsl.state = 1 : i64": "no value",
}
PLACED = {
    "module": {
        "tdsl.instances = 5 : i64": "no value",
        'tdsl.clusters = "x"': "no value",
        "tdsl.rate = -1.0 : f64": "a finite float above 0",
        "tdsl.classes = [1 : i64, 2.0 : f64]": "an array of strings or of integers",
        "tdsl.classes = []": "an array of strings or of integers",
        "tdsl.stored = {count = 1 : i64}": "a dictionary of",
        "tinyml.target = 5 : i64": "a string",
        "tinyml.plan = [{first = 1 : i64}]": "segments with",
        "tinyml.cost = {time = 1.0 : f64}": "the floats",
    },
    "function": {
        'tdsl.ram = "x"': "an integer from 0",
        "tdsl.mode = 5 : i64": "a string",
        "tdsl.search = [5 : i64]": "the classes of tensors",
        "scratch.order_gap = -1 : i64": "an integer from 0",
    },
    "op": {
        "tdsl.profile = 5 : i64": "an array with a profile",
        "tinyml.format = 5 : i64": "a string",
        "rtl.cycle = 65536 : i64": "an integer from 0 to 65535",
    },
}


LOOP = """
func.func @f(%a: index, %b: index) {{
  %c, %d = scf.for %i = %a to %b step %b iter_args(%s = %a, %t = %b) -> (index, index) {{
    scf.yield %s, %t : index, index
  }} {{rtl.counters = {number} : i64}}
  func.return
}}
"""


def written(folder: Path, **groups: str) -> Path:
    file = folder / "program.mlir"
    file.write_text(PROGRAM.format(**{"module": "", "argument": "", "function": "", "op": "", **groups}))
    return file


def said(file: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What `tinyml-opt` and `tinyml compile` both refuse it with, in one line."""
    assert opt([str(file)]) == 1
    line = capsys.readouterr().err
    np.savez(file.with_name("val.npz"), x=np.zeros((1, 1)))
    command = ["compile", str(file), "--val", str(file.with_name("val.npz")), "-o", str(file.with_name("out"))]
    assert main(command) == 1
    # Progress stands above it.
    assert capsys.readouterr().err.endswith(f"\n{line}")
    assert line.count("\n") == 1
    assert not file.with_name("out").exists()
    return line


@pytest.mark.parametrize(
    ("place", "text", "expected"),
    [
        *(("argument", text, expected) for text, expected in WRONG.items()),
        *((place, text, expected) for place, cases in PLACED.items() for text, expected in cases.items()),
    ],
)
def test_a_wrong_value_is_one_located_line(
    place: str, text: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = written(tmp_path, **{place: text})
    line = {"module": "2:1", "op": "5:5"}.get(place, "3:3")
    start = f"error: {file}:{line}: the attribute '{text.partition(' = ')[0]}' is "
    assert opt([str(file)]) == 1
    message = capsys.readouterr().err
    assert message.startswith(start)
    assert f", expected {expected}" in message
    assert message.count("\n") == 1


def test_all_tools_refuse_it_alike(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    line = said(written(tmp_path, argument='tdsl.packed = "x"'), capsys)
    assert line.endswith("""is "x", expected an integer from 1 to 32 (argument 0 of function 'f')\n""")


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("module", "a module, expected on an argument of a function, 'scratch.alloc' or 'scratch.view'"),
        ("function", "a function, expected on an argument of a function, 'scratch.alloc' or 'scratch.view'"),
        ("op", "'tdsl.argmax', expected on an argument of a function, 'scratch.alloc' or 'scratch.view'"),
    ],
)
def test_a_wrong_place_is_one_located_line(
    place: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert f": the attribute 'tdsl.reused' stands on {expected}" in said(
        written(tmp_path, **{place: "tdsl.reused"}), capsys
    )


@pytest.mark.parametrize("number", [-2, 1, 4])
def test_counters_are_pairs_of_what_a_loop_carries(number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "loop.mlir"
    file.write_text(LOOP.format(number=number))
    assert opt([str(file)]) == 1
    expected = "expected an even number of the values that the loop carries"
    assert f"the attribute 'rtl.counters' is {number} : i64, {expected}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "near"), [("tdsl.paked", "tdsl.packed"), ("tinyml.taget", "tinyml.target"), ("rtl.cycles", "rtl.cycle")]
)
def test_an_unknown_name_has_a_suggestion(name: str, near: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert f": unknown attribute '{name}', did you mean '{near}'?" in said(written(tmp_path, op=name), capsys)


def test_names_of_others_are_theirs(tmp_path: Path):
    assert opt([str(written(tmp_path, module="others.packed", argument="others.tdsl = 5 : i64"))]) == 0


def test_a_name_is_copied_and_sent_as_text():
    assert type(pickle.loads(pickle.dumps(tdsl.PACKED))) is str
    assert deepcopy(tdsl.PACKED) == "tdsl.packed"


def test_every_module_that_declares_one_is_listed():
    rooms = ("dialects", "targets", "runtime", "transforms", "lowering", "tools")
    files = [path for room in rooms for path in (ROOT / room).rglob("*.py")]
    modules = {
        str(path.relative_to(ROOT).with_suffix("")).replace("/", ".")
        for path in files
        if re.search(r"= OwnAttribute\(", path.read_text(encoding="utf-8"))
    }
    assert {name for name in modules if not name.startswith("dialects.tdsl.")} == {*ATTRIBUTES} - {"dialects.tdsl"}


def test_every_name_with_a_prefix_of_ours_is_declared():
    """No constant of a pass is the name of an attribute that nobody declares."""
    assert {name.partition(".")[0] for name in own_attributes()} == {*OWN, "hls"}
    assert all(one.meaning.endswith(".") for one in own_attributes().values())
    undeclared = re.compile(rf'^_?[A-Z_]+ = "(?:{"|".join(OWN)})\.[a-z_]+"$', re.M)
    rooms = ("dialects", "transforms", "lowering", "runtime", "targets")
    for path in (path for room in rooms for path in (ROOT / room).rglob("*.py")):
        assert undeclared.findall(path.read_text(encoding="utf-8")) == [], path

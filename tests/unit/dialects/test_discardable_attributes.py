"""tinyml's attributes: each is declared once and verified when a module is read; errors state the location and the
fault.
"""

from __future__ import annotations

import pickle
import re
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
from programs.paths import ROOT

from tinyml.dialects import tdsl
from tinyml.dialects.attribute_verification import FORMER
from tinyml.dialects.discardable_attributes import OWN
from tinyml.dialects.plugins import INTERFACE
from tinyml.dialects.rows import rows_of
from tinyml.tools.main import main
from tinyml.tools.tinyml_opt import main as opt
from tinyml.tools.universe import discardable_attributes

ATTRIBUTES = {row.name for row in rows_of("attributes")}

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
    "tdsl.profile = 5 : i64": "a profile, as in",
    "tinyml.format = 5 : i64": "a string",
}
PLACED = {
    "module": {
        "tinyml.target = 5 : i64": "a string",
        "tinyml.plan = [{first = 1 : i64}]": "segments with",
        "tinyml.cost = {time = 1.0 : f64}": "the floats",
    },
    "function": {
        'tdsl.ram = "x"': "an integer from 0",
        "tdsl.mode = 5 : i64": "a string",
        "tdsl.interface = 5 : i64": "an interface, as in",
        'tdsl.interface = #tdsl.interface<input = <unit = "3xq7">>': "an interface, as in",
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
    """The one-line error with which both `tinyml-opt` and `tinyml compile` reject a file."""
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
    line = said(written(tmp_path, argument="tinyml.format = 5 : i64"), capsys)
    assert line.endswith("""is 5 : i64, expected a string (argument 0 of function 'f')\n""")


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("module", "a module, expected on a function"),
        ("argument", "an argument of a function, expected on a function"),
        ("op", "'tdsl.argmax', expected on a function"),
    ],
)
def test_a_wrong_place_is_one_located_line(
    place: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = written(tmp_path, **{place: "tdsl.interface = #tdsl.interface<instances>"})
    assert f": the attribute 'tdsl.interface' is on {expected}" in said(file, capsys)


@pytest.mark.long
@pytest.mark.parametrize("name", FORMER)
def test_a_file_of_an_older_version_is_one_line(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    line = said(written(tmp_path, argument=f"{name} = 5 : i64"), capsys)
    assert f":3:3: an older version wrote the attribute '{name}': write the file again with `tinyml compile`" in line


@pytest.mark.parametrize("number", [-2, 1, 4])
def test_counters_are_pairs_of_what_a_loop_carries(number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "loop.mlir"
    file.write_text(LOOP.format(number=number))
    assert opt([str(file)]) == 1
    expected = "expected an even number of the values that the loop carries"
    assert f"the attribute 'rtl.counters' is {number} : i64, {expected}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "near"), [("tdsl.profle", "tdsl.profile"), ("tinyml.taget", "tinyml.target"), ("rtl.cycles", "rtl.cycle")]
)
def test_an_unknown_name_has_a_suggestion(name: str, near: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert f": unknown attribute '{name}', did you mean '{near}'?" in said(written(tmp_path, op=name), capsys)


def test_names_of_others_are_theirs(tmp_path: Path):
    assert opt([str(written(tmp_path, module="others.packed", argument="others.tdsl = 5 : i64"))]) == 0


def test_a_name_is_copied_and_sent_as_text():
    assert type(pickle.loads(pickle.dumps(tdsl.PROFILE))) is str
    assert deepcopy(tdsl.PROFILE) == "tdsl.profile"


def test_every_module_that_declares_one_is_listed():
    rooms = ("dialects", "targets", "runtime", "transforms", "lowering", "tools")
    files = [path for room in rooms for path in (ROOT / room).rglob("*.py")]
    modules = {
        str(path.relative_to(ROOT).with_suffix("")).replace("/", ".")
        for path in files
        if re.search(r"= DiscardableAttribute\(", path.read_text(encoding="utf-8"))
    }
    assert {name for name in modules if not name.startswith("dialects.tdsl.")} == ATTRIBUTES - {"dialects.tdsl"}


def test_every_name_with_a_prefix_of_ours_is_declared():
    """Every constant string with a prefix of tinyml's attributes is a declared attribute."""
    assert {name.partition(".")[0] for name in discardable_attributes()} == {*OWN, "hls"}
    assert all(one.meaning.endswith(".") for one in discardable_attributes().values())
    undeclared = re.compile(rf'^_?[A-Z_]+ = "((?:{"|".join(OWN)})\.[a-z_]+)"$', re.M)
    rooms = ("dialects", "transforms", "lowering", "runtime", "targets")
    for path in (path for room in rooms for path in (ROOT / room).rglob("*.py")):
        assert undeclared.findall(path.read_text(encoding="utf-8")) in ([], [INTERFACE]), path

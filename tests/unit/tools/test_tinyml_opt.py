"""The command-line tool: exit codes, one line per error, and files that must not change."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import FileLineColLoc
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination
from xdsl.utils.exceptions import PassFailedException

from tinyml.dialects.errors import InputError, squeeze
from tinyml.dialects.located_parser import LocatedParser
from tinyml.tools.tinyml_opt import main

GOOD = '%0 = "test.op"() : () -> i32\n'


def run(args: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main(args)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def break_cse(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr(CommonSubexpressionElimination, "apply", broken)


def write(folder: Path, text: str, name: str = "f.mlir") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def test_prints_the_module(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    code, out, err = run([write(tmp_path, GOOD)], capsys)
    assert (code, err) == (0, "")
    assert out == 'builtin.module {\n  %0 = "test.op"() : () -> i32\n}\n\n'


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "FILE:1:1: Could not parse entire input!"),
        ("func.func @f() {\n  foo.bar\n}", "FILE:2:3: Operation foo.bar is not registered"),
        ("\n!t = i32x\n", "FILE:2:"),
        (
            "%0 = arith.constant 300 : i8",
            "FILE:1:1: Integer value 300 is out of range for type i8 which supports values in the range [-128, 256)",
        ),
        (
            '%0 = "test.op"() : () -> i32\n\n  "func.return"(%0) : (i32) -> ()',
            "FILE:3:3: 'func.return' does not verify: 'func.return' expects parent op 'func.func'",
        ),
        (
            '%s, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, memref<2x3x!fixed.q<16, 9>>, i32)\n'
            '"num.contract"() <{extents = array<i64: 2>}> ({\n^bb0(%row: index):\n  %r = "num.products"(%s, %w, %x)'
            " : (!fixed.acc<32, 18>, memref<2x3x!fixed.q<16, 9>>, i32) -> !fixed.acc<32, 18>\n}) : () -> ()",
            "FILE:4:3: 'num.products' does not verify: operand 'vector' at position 2 does not verify: i32 should",
        ),
        (
            'c.program @p {\n  "c.instance"() ({\n^a:\n  }) : () -> ()\n  c.func @f() {\n  }\n}',
            "FILE:2:3: 'c.instance' does not verify: property 'sym_name' expected",
        ),
        ("func.func @f() {\n^a:\n}", "FILE: Operation func.func contains empty block"),
        ("\nfunc.func @f() {\n^0:\n}", "FILE:2:1: Invalid Block name format `0`."),
        ("(" * 10, "FILE:1:1: Could not parse entire input!"),
        ('"test.op"() ({' * 3000, "FILE: the text is nested too deeply"),
    ],
)
def test_bad_text_is_told_in_one_line(text: str, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = write(tmp_path, text)
    code, out, err = run([path], capsys)
    assert (code, out) == (1, "")
    assert err.startswith("error: " + complaint.replace("FILE", path))
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "complaint"),
    [
        (PassFailedException("no\n  way"), "FILE: pass 'cse': no way"),
        (InputError("too wide", line=3), "FILE:3: pass 'cse': too wide"),
        (InputError("NaN", file="w.npy"), "w.npy: pass 'cse': NaN"),
        (FileNotFoundError(2, "No such file or directory", "w.npy"), "w.npy: pass 'cse': No such file or directory"),
        (NotImplementedError(), "FILE: pass 'cse': NotImplementedError"),
    ],
)
def test_a_failing_pass_is_named(
    error: Exception,
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    path = write(tmp_path, GOOD)
    break_cse(monkeypatch, error)
    code, out, err = run([path, "-p", "canonicalize,cse,dce"], capsys)
    assert (code, out) == (1, "")
    assert err == f"error: {complaint.replace('FILE', path)}\n"


def test_output_is_all_or_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    good, bad = write(tmp_path, GOOD), write(tmp_path, "nonsense", "bad.mlir")
    out = tmp_path / "out.mlir"
    assert run([bad, "-o", str(out)], capsys)[0] == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.mlir", "f.mlir"]
    assert run([good, "-o", str(out)], capsys) == (0, "", "")
    before = out.read_text()
    assert '"test.op"' in before
    assert run([bad, "-o", str(out)], capsys)[0] == 1
    assert out.read_text() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.mlir", "f.mlir", "out.mlir"]


def test_output_goes_through_a_link_and_into_a_device(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    good = write(tmp_path, GOOD)
    link = tmp_path / "link.mlir"
    link.symlink_to(tmp_path / "real.mlir")
    assert run([good, "-o", str(link)], capsys) == (0, "", "")
    assert link.is_symlink()
    assert '"test.op"' in (tmp_path / "real.mlir").read_text()
    assert run([good, "-o", os.devnull], capsys) == (0, "", "")
    assert not Path(os.devnull).is_file()


@pytest.mark.long
def test_a_reader_that_stops_reading_is_no_error(tmp_path: Path):
    path = write(tmp_path, GOOD)
    command = [sys.executable, "-m", "tinyml.tools.tinyml_opt", path]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


def test_a_defect_keeps_its_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    break_cse(monkeypatch, KeyError("defect"))
    with pytest.raises(KeyError, match="defect"):
        main([write(tmp_path, GOOD), "-p", "cse"])


def test_both_pipeline_options_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    code, _, err = run([write(tmp_path, GOOD), "-p", "cse", "--pass-pipeline=cse"], capsys)
    assert (code, err) == (1, "error: give either -p or --pass-pipeline, not both\n")


def test_operations_know_their_place():
    context = Context()
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    text = '"test.op"() ({\n\n  "test.op"() : () -> ()\n}) : () -> ()\n"test.op"() : () -> () loc("other":7:8)\n'
    parser = LocatedParser(context, text, "f")
    parser.line_offset = 10
    places = [
        (place.filename.data, place.line.data, place.column.data)
        for op in parser.parse_module().walk()
        if isinstance(place := op.location, FileLineColLoc)
    ]
    assert places == [("f", 11, 1), ("f", 13, 3), ("other", 7, 8)]


def test_long_messages_are_cut():
    assert squeeze("one\n  two") == "one two"
    assert len(squeeze("x" * 5000)) == 1000


INTEGERS = """
func.func @model(%X: memref<1xf32>) -> index {
  %c0 = arith.constant 0 : index
  func.call @code(%c0) : (index) -> ()
  func.return %c0 : index
}
func.func private @code(index) -> ()
"""
SUM = """
func.func @sum(%s: !fixed.acc<64, 40>, %x: !fixed.q<16, 20>) -> !fixed.acc<64, 40> {
  %b = num.mac %s, %x, %x : !fixed.acc<64, 40>, !fixed.q<16, 20>, !fixed.q<16, 20> -> !fixed.acc<64, 40>
  func.return %b : !fixed.acc<64, 40>
}
"""
WHOLE = """
func.func @whole(%X: memref<4xi32>) -> index attributes {tdsl.interface = #tdsl.interface<input = <received = 4>>} {
  %c0 = arith.constant 0 : index
  %x = memref.load %X[%c0] : memref<4xi32>
  %y = arith.index_cast %x : i32 to index
  func.return %y : index
}
"""


@pytest.mark.parametrize(
    ("text", "passes", "complaint"),
    [
        (INTEGERS, "search-promote{data=DATA}", "func.call is not supported yet by the evaluator"),
        (
            SUM,
            "bits-to-lanes",
            "'bits-to-lanes' takes integers, floats and memrefs: 'num.mac' is of another level",
        ),
        (WHOLE, "lower-arith-to-c", "the input arrives row by row, but is read as a whole"),
    ],
)
def test_programs_that_no_pass_makes_are_refused(
    text: str, passes: str, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """A pass rejects a program that lacks a property which the passes before it establish, although the program's level
    is right.
    """
    data = tmp_path / "data.npz"
    np.savez(data, x=np.zeros((4, 1), np.float32), y=np.zeros(4, np.int64))
    code, _, err = run([write(tmp_path, text), "-p", passes.replace("DATA", str(data))], capsys)
    assert code == 1
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert complaint in err

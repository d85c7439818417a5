"""All commands that run programs reject two kinds of programs in one line: those with empty tensors, and those with
loops that would run for minutes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tinyml.dialects.limits import step_limit
from tinyml.tools.main import main as tinyml
from tinyml.tools.tinyml_opt import main as tinyml_opt

FUNCTION = """
func.func @f(%X: tensor<IN>) -> tensor<OUT> {{
  {body}
  func.return %Y : tensor<OUT>
}}
"""
EMPTY_INPUT = ("0x1xf32", "0x1xf32", "%Y = tdsl.tanh %X : tensor<0x1xf32> -> tensor<0x1xf32>")
EMPTY_OUTPUT = ("4x1xf32", "4x0xf32", "%Y = tdsl.fill {value = 0.5 : f64} -> tensor<4x0xf32>")
EMPTY_BETWEEN = (
    "4x1xf32",
    "4x1xf32",
    """%a = tdsl.fill {value = 0.5 : f64} -> tensor<4x0xf32>
  %b = tdsl.fill {value = 0.5 : f64} -> tensor<0x1xf32>
  %d = tdsl.matmul %a, %b : tensor<4x0xf32>, tensor<0x1xf32> -> tensor<4x1xf32>
  %Y = tdsl.add %d, %X : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32>""",
)


def written(folder: Path, parts: tuple[str, str, str]) -> tuple[str, str]:
    """Write a program and its data set to a folder, and return their paths.

    parts: the shape and element type of the input, those of the output, and the ops of the function.
    """
    taken, given, body = parts
    model, data = folder / "f.mlir", folder / "x.npz"
    model.write_text(FUNCTION.format(body=body).replace("IN", taken).replace("OUT", given))
    np.savez(data, x=np.ones((3, 4 if taken.startswith("4") else 0), np.float32))
    return str(model), str(data)


def complaint(capsys: pytest.CaptureFixture[str]) -> str:
    *_, last = capsys.readouterr().err.splitlines()
    assert last.startswith("error: ")
    return last


def test_an_op_without_a_value_is_told_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """An upstream op that the evaluator does not support, here a conversion to half precision, is reported with its
    location.
    """
    body = """%h = arith.truncf %X : tensor<4x1xf32> to tensor<4x1xf16>
  %Y = arith.extf %h : tensor<4x1xf16> to tensor<4x1xf32>"""
    model, data = written(tmp_path, ("4x1xf32", "4x1xf32", body))
    assert tinyml(["compile", model, "--val", data, "--target", "host", "-o", str(tmp_path / "o")]) == 1
    assert complaint(capsys) == f"error: {model}:3:3: arith.truncf is not supported yet by the evaluator"
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize("parts", [EMPTY_INPUT, EMPTY_OUTPUT, EMPTY_BETWEEN])
def test_tensors_without_elements(parts: tuple[str, str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    model, data = written(tmp_path, parts)
    compile = ["compile", model, "--val", data, "--target", "host", "-o", str(tmp_path / "o")]
    for command in (compile, [*compile, "--search", "maxscale"], [*compile, "--search", "demote"]):
        assert tinyml(command) == 1
        assert "elements" in complaint(capsys)
    assert tinyml_opt([model, "-p", f'profile{{data="{data}"}}']) == 1
    assert "elements" in complaint(capsys)
    # Without data there is nothing to refuse until C, which has no such arrays.
    assert tinyml_opt([model, "-p", "formats-to-buffers"]) == 0


LOOPS = {
    "let A = X * 1.0 in\nlet H = loop(i = [0:1000000], A) (let A = A + A in 0.0) in A": "4:9: the loop runs 2,000,000",
    "$(i = [0:2147483647]) (X + X)": "3:1: the loop runs 6,442,450,941",
    "$(i = [0:1000]) ($(j = [0:1000]) (X + X))": "3:1: the loop runs 3,002,000",
}


@pytest.mark.parametrize("loop", LOOPS)
def test_loops_that_are_too_long(loop: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    model, data = tmp_path / "f.sd", tmp_path / "x.npz"
    model.write_text(f"let X = (4, 1) in [-1.0, 1.0] in\n\n{loop}\n")
    np.savez(data, x=np.ones((3, 4), np.float32))
    assert tinyml(["compile", str(model), "--val", str(data), "--target", "host", "-o", str(tmp_path / "o")]) == 1
    said = complaint(capsys)
    assert LOOPS[loop] in said
    assert f"{step_limit():,} at most; --max-elements raises this" in said


def test_long_loops_are_lowered(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A program with a loop of 2^31 - 1 iterations is lowered to loops and its cost is estimated. This takes little
    time because accesses are not analysed iteration by iteration.
    """
    body = """%c = tdsl.fill {value = 0.5 : f64} -> tensor<4x1xf32>
  %low = arith.constant 0 : index
  %high = arith.constant 2147483647 : index
  %step = arith.constant 1 : index
  %Y = scf.for %i = %low to %high step %step iter_args(%s = %c) -> (tensor<4x1xf32>) {
    %n = tdsl.add %s, %X : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
    scf.yield %n : tensor<4x1xf32>
  }"""
    model, _ = written(tmp_path, ("4x1xf32", "4x1xf32", body))
    assert tinyml_opt([model, "-p", "formats-to-buffers,buffers-to-loops,estimate-cost"]) == 0
    capsys.readouterr()

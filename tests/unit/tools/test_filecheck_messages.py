"""After a failure, filecheck's message contains the expected text and the most similar line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

import pytest
from programs.paths import FILECHECK

sys.path.insert(0, str(FILECHECK))

filecheck: Callable[[Sequence[str]], int] = import_module("nearest_lines").filecheck

PRINTED = """builtin.module {
  func.func @f(%X: tensor<1x2xf32>) {
    %y = tdsl.matmul %W, %X : tensor<3x1xf32>
    %z = tdsl.add %y, %b : tensor<3x1xf32>
    func.return %z : tensor<3x1xf32>
  }
}
"""


@pytest.mark.parametrize(
    ("checks", "found"),
    [
        (
            "// CHECK: tdsl.add %y, %c",
            "Looked for: tdsl.add %y, %c\nNearest line: 4: %z = tdsl.add %y, %b : tensor<3x1xf32>",
        ),
        # Regular expressions and variables.
        (
            "// CHECK: [[V:%y]] = tdsl\n// CHECK: return {{%.}}, [[V]]",
            "Nearest line: 5: func.return %z : tensor<3x1xf32>",
        ),
        (
            "// CHECK: func.return\n// CHECK-NEXT: tdsl.matmul",
            "Nearest line: 3, before what is matched already: %y = tdsl.matmul %W, %X : tensor<3x1xf32>",
        ),
        ("// CHECK-LABEL: func.func @g(", "Nearest line: 2: func.func @f(%X: tensor<1x2xf32>) {"),
        ("// CHECK: scf.if", "Nearest line: none is like it"),
    ],
)
def test_the_nearest_line(checks: str, found: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file, printed = tmp_path / "checks.mlir", tmp_path / "printed.mlir"
    file.write_text(checks + "\n")
    printed.write_text(PRINTED)
    assert filecheck(["filecheck", str(file), "--input-file", str(printed)]) == 1
    assert capsys.readouterr().err.endswith(f"{found}\n")


def test_what_matches_says_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file, printed = tmp_path / "checks.mlir", tmp_path / "printed.mlir"
    file.write_text("// CHECK: tdsl.matmul\n// CHECK-NEXT: tdsl.add\n")
    printed.write_text(PRINTED)
    assert filecheck(["filecheck", str(file), "--input-file", str(printed)]) == 0
    assert capsys.readouterr().err == ""

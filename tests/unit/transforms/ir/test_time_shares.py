"""The shares of a program's time that cause warnings: each cause is detected in a program that has it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tinyml.dialects.context import context
from tinyml.lowering.options import PipelineOptions
from tinyml.tools.driver.stages import compile_stages, load_program
from tinyml.tools.reports.warnings import scalers_of
from tinyml.transforms.ir.cost.estimate import TimeShares, time_shares

SCALED = """
func.func @scaled(%X: tensor<1x6xf32>) -> tensor<1x3xf32> {
  %mean = tdsl.const dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]> : tensor<1x6xf32> -> tensor<1x6xf32>
  %W = tdsl.const dense<[[0.5], [-0.5], [0.25], [-0.25], [0.125], [1.0]]> : tensor<6x1xf32> -> tensor<6x1xf32>
  %V = tdsl.const dense<[[1.0, -1.0, 0.5]]> : tensor<1x3xf32> -> tensor<1x3xf32>
  %centred = tdsl.sub %X, %mean : tensor<1x6xf32>, tensor<1x6xf32> -> tensor<1x6xf32>
  %h = tdsl.matmul %centred, %W : tensor<1x6xf32>, tensor<6x1xf32> -> tensor<1x1xf32>
  %scores = tdsl.matmul %h, %V : tensor<1x1xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
  %y = tdsl.softmax %scores : tensor<1x3xf32> -> tensor<1x3xf32>
  func.return %y : tensor<1x3xf32>
}
"""


def shares_of(folder: Path, format: str, width: int | None) -> TimeShares:
    (folder / "scaled.mlir").write_text(SCALED)
    x = np.random.default_rng(0).standard_normal((40, 6)) + np.arange(1, 7)
    np.savez(folder / "val.npz", x=x.astype(np.float32))
    ctx = context()
    options = PipelineOptions(data=str(folder / "val.npz"), target="uno", format=format, width=width)
    compiled = compile_stages(load_program(folder / "scaled.mlir", ctx), ctx, options)
    shares = time_shares(compiled.loops, "uno", scalers_of(compiled.buffers))
    assert shares is not None
    return shares


@pytest.mark.long
@pytest.mark.parametrize(
    ("format", "width", "large", "none"),
    [
        ("fixed", 16, {"softmax", "scaler"}, {"wide_sums"}),
        ("f32", None, {"softmax", "scaler", "soft_floats"}, {"wide_sums"}),
        ("fixed", 32, {"softmax", "scaler", "wide_sums"}, set[str]()),
    ],
)
def test_causes_are_found(tmp_path: Path, format: str, width: int | None, large: set[str], none: set[str]) -> None:
    shares = vars(shares_of(tmp_path, format, width))
    assert all(0.005 < shares[cause] < 1 for cause in large), shares
    assert all(shares[cause] == 0 for cause in none), shares

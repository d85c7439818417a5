"""MLIR's `mlir-opt` parses the programs of all levels that `-t mlir-opt` prints, and tinyml reads its output back."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from programs.compiled import CompiledModels
from programs.devices import LLVM, need_tools
from programs.paths import MODELS
from programs.spread import spread_product

from tinyml.dialects.context import context
from tinyml.runtime.devices.llvm import tools
from tinyml.targets.registry import board
from tinyml.tools.cli.parse_mlir import parse_mlir
from tinyml.tools.main import main
from tinyml.tools.tinyml_opt import main as optimize

FORMATS: tuple[tuple[str, int | None], ...] = (("fixed", 8), ("fixed", 16), ("posit", 8), ("f32", None))
LEVELS = 6


def assert_read_back(file: Path, folder: Path) -> None:
    """Assert that a file in tinyml's dialects is unchanged after it was printed, parsed and printed by MLIR, and read.

    Names of values are not compared.
    """
    printed = folder / "printed.mlir"
    assert optimize([str(file), "-t", "mlir-opt", "-o", str(printed)]) == 0
    command = [tools()[0], "--allow-unregistered-dialect", "--mlir-print-op-generic", printed]
    by_mlir = subprocess.run(command, capture_output=True, check=True).stdout
    module, back = (parse_mlir(context(), text, file.name) for text in (file.read_bytes(), by_mlir))
    back.verify()
    assert back.is_structurally_equivalent(module)


@pytest.mark.long(seconds=4)
@pytest.mark.parametrize(("model", "format"), spread_product(3, MODELS, FORMATS))
def test_levels_of_models(
    model: str, format: tuple[str, int | None], compiled_models: CompiledModels, tmp_path: Path
) -> None:
    need_tools(LLVM)
    targets = "mega", "cortex-m4", "riscv"
    target = targets[[*MODELS].index(model) % len(targets)]
    files = [*(compiled_models.folder(model, *format, board(target)) / "ir").glob("*.mlir")]
    assert len(files) == LEVELS
    for file in files:
        assert_read_back(file, tmp_path)


@pytest.mark.long(seconds=6)
def test_levels_of_a_quantised_network_with_kernels(tmp_path: Path) -> None:
    need_tools(LLVM)
    model = Path(__file__).parents[2] / "models/mlperf/str_ww_ref_model.tflite"
    out = tmp_path / "out"
    assert main(["compile", str(model), "--target", "cortex-m4", "-o", str(out)]) == 0
    files = [*(out / "ir").glob("*.mlir")]
    assert len(files) == LEVELS - 1
    for file in files:
        assert_read_back(file, tmp_path)

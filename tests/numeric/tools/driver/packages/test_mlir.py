"""The package in upstream dialects: LLVM's code computes the stored outputs for every way to provide a model's
input.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from programs.devices import need_tools
from programs.sensor_models import sensor_model
from programs.spread import spread

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.registry import LLVM


def make(folder: Path) -> int:
    return subprocess.run(["make", "-C", folder], capture_output=True, check=False).returncode


@pytest.mark.long
@pytest.mark.parametrize(
    ("target", "options"),
    spread([("uno", {}), ("cortex-m4", {"reuse_input": True}), ("riscv", {"format": "f32", "width": None})], 2),
)
def test_the_stored_samples_are_right_by_llvm(target: str, options: dict[str, Any], tmp_path: Path):
    """LLVM's code computes the stored outputs. If a stored output is wrong, the exit code reports a failure."""
    need_tools(LLVM)
    folder = sensor_model(tmp_path, target, packages=("mlir",), **options).out / "mlir"
    assert make(folder) == 0
    samples = folder / "samples.h"
    text = samples.read_text()
    labels = "sample_labels[SAMPLES][1] SAMPLE_FLASH = {\n    {"
    assert labels in text
    samples.write_text(text.replace(labels, f"{labels}1", 1))
    assert make(folder) != 0


@pytest.mark.long
def test_instances_are_refused(tmp_path: Path):
    with pytest.raises(InputError, match="no form in upstream dialects: its caller gives it the memory of an instance"):
        sensor_model(tmp_path, "host", packages=("mlir",), instances=True)

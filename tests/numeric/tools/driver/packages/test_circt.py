"""The package in CIRCT's dialects: the Verilog that CIRCT prints computes the stored outputs, as does the device
`circt`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from programs.hardware import need_circt, without_tools
from programs.sensor_models import sensor_model
from programs.spread import EXHAUSTIVE

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.circt import printed_by_circt
from tinyml.runtime.devices.registry import CIRCT, runner_for
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.program_in_folder import program_in
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest


def make(folder: Path) -> int:
    command = ["make", "-C", folder, f"PYTHON={sys.executable}"]
    return subprocess.run(command, capture_output=True, check=False).returncode


@pytest.mark.long
def test_the_stored_samples_are_right_by_circt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The device `circt` computes the stored outputs. If a stored output is wrong, the exit code reports a failure."""
    need_circt()
    with monkeypatch.context() as patches:
        without_tools(patches)
        out = sensor_model(tmp_path, "ecp5-25k", packages=("circt",), cells=1).out
    assert make(out / "circt") == 0
    expected = out / "circt" / "expected.txt"
    expected.write_text(f"1{expected.read_text()}")
    assert make(out / "circt") != 0
    program = program_in(out)
    with program.to_build(CIRCT) as source:
        build = runner_for(CIRCT).build(source, interface_of(program.formats), tmp_path / "build")
    assert build.elf.read_text() == (out / "circt" / "gestures.sv").read_text()
    if EXHAUSTIVE in os.environ:
        result = run_model(RunRequest(folder=out, data=tmp_path / "val.npz", device=CIRCT, limit=3))
        assert (result["device"], result["mismatch"]) == (CIRCT, None)


def test_text_that_circt_does_not_take():
    need_circt()
    with pytest.raises(InputError, match=r"^circt failed: error: .* expected ':'"):
        printed_by_circt('"builtin.module"() ({ "hw.module"() }) : () -> ()')


def test_other_boards_are_no_hardware(tmp_path: Path):
    with pytest.raises(InputError, match="--package circt: host is not programmable logic"):
        sensor_model(tmp_path, "host", packages=("circt",))

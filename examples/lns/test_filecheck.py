"""The FileCheck tests of this folder, programs in .mlir files, which `lit -v .` also runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("lit")
pytest.importorskip("filecheck")


def test_programs_become_what_their_checks_say():
    tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    run = subprocess.run(
        [sys.executable, "-c", "from lit.main import main; main()", "-v", str(Path(__file__).parent)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": tools},
    )
    assert run.returncode == 0, run.stdout + run.stderr

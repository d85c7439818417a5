"""The patches for xDSL in docs/upstream: each applies to the installed xDSL, and its test then passes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import xdsl
from programs.paths import ROOT

PATCHES = sorted((ROOT / "docs/upstream").glob("*.patch"))
RUN = "import sys; from xdsl.xdsl_opt_main import xDSLOptMain; xDSLOptMain(args=sys.argv[1:]).run()"
ENDLESS = "xdsl-string-literals"
"""The patch without which its test does not end."""


@pytest.fixture(scope="module")
def patched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that contains a copy of the installed xDSL with all patches, and the tests of the patches."""
    folder = tmp_path_factory.mktemp("patched")
    shutil.copytree(Path(xdsl.__file__).parent, folder / "xdsl")
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    subprocess.run(["git", "-C", folder, "apply", *PATCHES], check=True)
    return folder


def passes(test: Path, library: Path | None) -> bool:
    """Whether the RUN line of a test succeeds with the xDSL in the folder `library`; None for the installed xDSL."""
    [line] = re.findall(r"^// RUN: (.*) \| filecheck %s$", test.read_text(), re.MULTILINE)
    environment = os.environ if library is None else {**os.environ, "PYTHONPATH": str(library)}
    text = test.read_text()
    for command in line.split(" | "):
        _, *options = command.split()
        arguments = [sys.executable, "-c", RUN, *(str(test) if option == "%s" else option for option in options)]
        done = subprocess.run(arguments, input=text, capture_output=True, text=True, env=environment, check=False)
        if done.returncode != 0:
            return False
        text = done.stdout
    checker = Path(sys.executable).with_name("filecheck")
    return subprocess.run([checker, test], input=text, capture_output=True, text=True, check=False).returncode == 0


@pytest.mark.long
@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_a_patch_does_what_its_test_says(patch: Path, patched: Path):
    """The test of each patch of xDSL passes with the patch and fails without it. One test is not run without its patch,
    because it would not end.
    """
    [name] = re.findall(r"^\+\+\+ b/(tests/.*\.mlir)$", patch.read_text(), re.MULTILINE)
    assert passes(patched / name, patched)
    if patch.stem != ENDLESS:
        assert not passes(patched / name, None)

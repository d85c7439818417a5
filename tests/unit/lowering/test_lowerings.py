"""A module with lowerings to loops is imported only when an op requires it."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import pkgutil
from importlib import import_module

import tinyml.lowering.loops as loops
from tinyml.dialects.tdsl import TDSL
from tinyml.lowering.loops.lowerings import lowering_of_class

ops = list(TDSL.operations)
found = {op: lowering_of_class(op) for op in ops}
for module in pkgutil.walk_packages(loops.__path__, "tinyml.lowering.loops."):
    import_module(module.name)
assert found == {op: lowering_of_class(op) for op in ops}
assert sum(lowering is not None for lowering in found.values()) > len(ops) // 2
"""


@pytest.mark.long
def test_the_lowering_of_an_op_is_found_before_all_files_are_imported():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

"""The packages among the examples pass their own tests in an environment in which they are installed.

Their tests contain oracles, FileCheck tests, and programs whose bits on boards are the evaluator's.
"""

from __future__ import annotations

import pytest
from programs.environments import EXAMPLES, PackagesOfOthers
from programs.spread import spread


@pytest.mark.long(seconds=30)
@pytest.mark.parametrize("name", spread(EXAMPLES, 2))
def test_their_own_tests_pass(example_packages: PackagesOfOthers, name: str):
    options = ["-q", "-W", "error", "-p", "no:cacheprovider", "--import-mode=prepend"]
    said = example_packages.run("pytest", *options, "--rootdir", EXAMPLES[name], EXAMPLES[name], cwd=EXAMPLES[name])
    assert " passed" in said

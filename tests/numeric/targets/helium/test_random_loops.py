"""Random loops over elements return the same bits as the evaluator, in C on the host and in vectors on a Cortex-M55."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs.devices import need_tools
from programs.random_loops import check_loops
from programs.spread import examples

from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import runner_for
from tinyml.targets.helium.kernels import ELEMENTS

M55 = "cortex-m55"


@pytest.mark.long
@pytest.mark.parametrize("device", ["host", M55])
def test_random_loops(device: str, tmp_path: Path):
    on_host = device == "host"
    if not on_host:
        need_tools(device)
    runner = HostRunner(sanitize=True) if on_host else runner_for(device)
    check_loops(runner, ELEMENTS, M55, examples(10, 400), tmp_path)

"""Composed kernels cost no more than recorded, and also exist as portable C."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from programs.all_kernels import kernels, tiles_of
from programs.devices import DEVICES
from programs.kernel_tables import tile_families

from tinyml.targets.costs import Cost, kernel_cost
from tinyml.targets.kernel import Composed, Kernel
from tinyml.targets.registry import known_kernel

RECORDED = Path(__file__).with_name("kernel_costs.json")
"""By kernel: the time of a call and of each element, and bytes of flash and of stack."""


def test_no_kernel_costs_more_than_recorded(request: pytest.FixtureRequest):
    """The costs of all composed kernels are at most the recorded ones. `pytest --update-costs` records them again; the
    diff of the file then shows increases.
    """
    found = {
        name: [
            *(kernel.composed.costs.get("", 0), kernel.composed.costs.get("element", kernel.step)),
            *(kernel.code, kernel.stack),
        ]
        for target in DEVICES
        for name, kernel in kernels(target)
        if kernel.composed is not None
    }
    if request.config.getoption("--update-costs"):
        lines = (f"{json.dumps(name)}: {json.dumps(costs)}" for name, costs in found.items())
        RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    assert found.keys() == recorded.keys(), "a kernel is new or gone: pytest --update-costs records it"
    dearer = {
        name: (costs, recorded[name]) for name, costs in found.items() if np.any(np.array(costs) > recorded[name])
    }
    assert not dearer


@pytest.mark.long
def test_assembly_has_plain_c_beside_it():
    for target in DEVICES:
        for name, kernel in kernels(target):
            if kernel.composed is not None:
                assert kernel.composed.portable in kernel.composed.text, name


def test_a_unit_without_a_stated_time_takes_none_unless_a_kernel_is_measured():
    stated, measured = Composed("", "", {}, "", {"": 9.0, "element": 2.0}), Composed("", "", {}, "", {})
    kernel = Kernel("tm_own", 8, 8, 32, composed=stated)
    assert [kernel_cost(kernel, unit).cost for unit in ("element", "odd element")] == [
        Cost(2, 0, 0, 0),
        Cost(0, 0, 0, 0),
    ]
    assert kernel_cost(replace(kernel, composed=measured), "odd element").cost is None


@pytest.mark.parametrize("target", ["uno", "cortex-m0", "cortex-m4", "riscv"])
def test_the_cost_model_knows_a_kernel_for_tiles_by_its_attribute(target: str):
    for family in tile_families(target):
        kernel = family.kernel(tiles_of(family)[0])
        assert kernel is not None
        assert kernel.composed is not None
        assert known_kernel(kernel.attribute, target) is kernel
        call, element = kernel_cost(kernel).cost, kernel_cost(kernel, "element").cost
        assert call is not None
        assert call.time == kernel.composed.costs[""]
        assert element is not None
        assert element.time == 0

"""Compilation time is proportional to the number of ops: the number of function calls in each pass is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from cProfile import Profile
from pathlib import Path

import numpy as np
import pytest
from measured.compile_times import FAMILIES, Family
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects.context import context
from tinyml.lowering.pipelines import flatten
from tinyml.targets.c.print_c import print_c
from tinyml.tools.driver.stages import load_program
from tinyml.transforms.ir.verification import Verification

OPS = 44
"""So many that a loop over an array for most of them takes an index instead of pointers, as with twice as many."""

SLACK = 1.2
"""Twice as many new ops may take twice as many new calls, times this; a quadratic pass takes four times as many."""


@contextmanager
def counted(calls: Counter[str], name: str) -> Generator[None]:
    with Profile() as profile:
        yield
    calls[name] += sum(entry.callcount for entry in profile.getstats())


def calls_of_passes(family: Family, ops: int, folder: Path) -> Counter[str]:
    """The number of function calls in each pass, in verification and in the C printer, for a program with `ops` ops."""
    calls, verification = Counter[str](), Verification()
    program, data = folder / family.file, folder / "data.npz"
    program.write_bytes(family.content(ops))
    np.savez(data, allow_pickle=False, **family.data())
    module = load_program(program, context())

    def verify(before: ModulePass | None, module: ModuleOp, after: ModulePass | None) -> None:
        with counted(calls, "verification"):
            verification.between(before, module, after)

    def run(step: ModulePass, after: ModulePass | None) -> None:
        with counted(calls, step.name):
            step.apply(context(), module)
        verify(step, module, after)

    passes = flatten("reals-to-c", {"data": str(data), "width": family.width})
    verify(None, module, passes[0])
    for step, after in zip(passes, [*passes[1:], None], strict=True):
        run(step, after)
    with counted(calls, "print"):
        print_c(module, context(), "host")
    return calls


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_work_grows_with_the_number_of_ops(family: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tinyml.transforms.formats.constants.refine_constants.MAX_OPS", 1)
    calls_of_passes(family, OPS, tmp_path)  # fills caches
    few, more, most = (calls_of_passes(family, ops, tmp_path) for ops in (OPS, 2 * OPS, 4 * OPS))
    grown = {name: (most[name] - more[name]) / max(more[name] - few[name], OPS) for name in most}
    assert {name: ratio for name, ratio in grown.items() if ratio > 2 * SLACK} == {}
    assert min(grown["verification"], grown["lower-num-to-exact"], grown["lower-exact-to-arith"], grown["print"]) > 1.8

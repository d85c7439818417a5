"""`simplify` against xDSL's `canonicalize`, on programs that nothing has simplified before."""

from __future__ import annotations

import pytest
from programs.carried import PROGRAMS
from programs.formatted import new_context, parse, with_formats
from programs.sliced_networks import inputs_of
from programs.spread import spread
from xdsl.transforms.canonicalize import CanonicalizePass

from tinyml.lowering.pipelines import flatten, run
from tinyml.transforms.simplify import SimplifyPass

WAYS = ("refine-formats", "formats-to-buffers", "buffers-to-loops", "loops-to-bits")


@pytest.mark.parametrize("name", spread(PROGRAMS, 6))
def test_programs_are_those_of_canonicalize(name: str):
    module, ctx = parse(PROGRAMS[name]), new_context()
    with_formats(module, inputs_of(module, 3), "fixed", 8)
    run(module, ctx, [step for way in WAYS for step in flatten(way, {}) if step.name not in ("simplify", "cse")])
    ours, theirs = module.clone(), module.clone()
    SimplifyPass().apply(ctx, ours)
    CanonicalizePass().apply(ctx, theirs)
    assert str(module) != str(ours) == str(theirs)

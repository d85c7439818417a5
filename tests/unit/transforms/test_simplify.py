"""`simplify`, compared with xDSL's `canonicalize` and `cse` on programs that were not simplified before."""

from __future__ import annotations

import re

import pytest
from programs.carried import PROGRAMS
from programs.formatted import new_context, parse, with_formats
from programs.sliced_networks import inputs_of
from programs.spread import spread
from xdsl.dialects.builtin import ModuleOp
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination

from tinyml.lowering.pipelines import flatten, run
from tinyml.transforms import simplify
from tinyml.transforms.simplify import SimplifyPass

WAYS = ("refine-formats", "formats-to-buffers", "buffers-to-loops", "loops-to-bits")


@pytest.mark.parametrize("name", spread(PROGRAMS, 6))
def test_programs_are_those_of_canonicalize_and_cse(name: str):
    module, ctx = parse(PROGRAMS[name]), new_context()
    with_formats(module, inputs_of(module, 3), "fixed", 8)
    run(module, ctx, [step for way in WAYS for step in flatten(way, {}) if step.name != "simplify"])
    ours, theirs = module.clone(), module.clone()
    SimplifyPass().apply(ctx, ours)
    texts = [str(theirs)]
    while len(texts) < 2 or texts[-1] != texts[-2]:
        CanonicalizePass().apply(ctx, theirs)
        CommonSubexpressionElimination().apply(ctx, theirs)
        texts.append(str(theirs))
    # Which of equal constants stays, and so their order and names, is open.
    assert str(module) != str(ours)
    assert ops_of(ours) == ops_of(theirs)


def ops_of(module: ModuleOp) -> list[str]:
    """The sorted lines of a module, in which the names of values are removed."""
    return sorted(re.sub(r"%\w+", "%", line) for line in str(module).splitlines())


def test_views_of_one_arena_are_told_apart_by_their_hashes(monkeypatch: pytest.MonkeyPatch):
    """For an arena with many views, the number of comparisons of keys in `simplify` grows linearly with the number of
    views.
    """
    compared = 0
    equal = simplify._Key.__eq__  # pyright: ignore[reportPrivateUsage]

    def counted(key: object, other: object) -> bool:
        nonlocal compared
        compared += 1
        return equal(key, other)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(simplify._Key, "__eq__", counted)  # pyright: ignore[reportPrivateUsage]
    views = "".join(
        f"%v{i} = scratch.view %arena[{4 * i} : i64] : memref<800xi8> to memref<4xi8>\n" for i in range(200)
    )
    values = ", ".join(f"%v{i}" for i in range(200))
    module = parse(
        f"func.func @f(%arena: memref<800xi8>) -> ({', '.join(200 * ['memref<4xi8>'])}) {{\n{views}"
        f"func.return {values} : {', '.join(200 * ['memref<4xi8>'])}\n}}"
    )
    SimplifyPass().apply(new_context(), module)
    assert compared < 400

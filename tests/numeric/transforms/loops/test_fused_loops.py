"""Random nests over buffers that share an arena compute the same results after `fuse-loops`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from interpreters import memory
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.transforms.loops.expand_nests import ExpandNestsPass
from tinyml.transforms.loops.fuse_loops import FuseLoopsPass

ROWS, PIXELS = 3, 2
SIZE = ROWS * PIXELS
"""Elements of a buffer: the rows of each pixel."""

BUFFER, ARENA = f"memref<{SIZE}xi16>", f"memref<{6 * SIZE}xi8>"
INPUT = np.arange(10, 10 + SIZE).astype(np.int16)


class Step(NamedTuple):
    """A nest over rows.

    load: the number of the buffer that it loads.
    stores: the numbers of the buffers that it stores.
    """

    load: int
    stores: tuple[int, ...]


STEPS = st.builds(Step, st.integers(0, 3), st.lists(st.integers(0, 3), min_size=1, max_size=2).map(tuple))
STARTS = st.tuples(st.just(0), st.sampled_from((0, SIZE)), st.integers(0, 2), st.integers(SIZE, SIZE + 2))
"""Where the buffers begin in the arena: the same elements, neighbouring ones or others."""


def program(starts: tuple[int, ...], steps: list[Step], result: int) -> str:
    """A program of nests within a loop over pixels. The first nest computes buffers 0 and 1 from the input.

    starts: the first element of each buffer in the arena.
    steps: the other nests.
    result: the number of the buffer that is returned.
    """
    views = [f"%b{i} = scratch.view %arena[{2 * at}] : {ARENA} to {BUFFER}" for i, at in enumerate(starts)]
    nests = [_nest(number, f"%b{step.load}", step.stores) for number, step in enumerate(steps, 1)]
    return f"""
func.func @run(%x: {BUFFER}) -> {BUFFER} {{
  %arena = scratch.arena {{alignment = 2}} : {ARENA}
  {" ".join(views)}
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.constant {ROWS} : index
  %pixels = arith.constant {PIXELS} : index
  %half = arith.constant 1 : i16
  scf.for %p = %zero to %pixels step %one {{
    %at = arith.muli %p, %rows : index
    {_nest(0, "%x", (0, 1))}
    {" ".join(nests)}
  }}
  func.return %b{result} : {BUFFER}
}}"""


def _nest(number: int, source: str, targets: tuple[int, ...]) -> str:
    """A nest that loads the elements of a buffer and stores half of each, plus a constant that depends on `number`, in
    other buffers.
    """
    stores = [f"memref.store %value, %b{target}[%row] : {BUFFER}" for target in targets]
    return f"""%c{number} = arith.constant {100 * number} : i16
    num.nest %i to {ROWS} {{
      %row = affine.apply affine_map<(d0)[s0] -> (d0 + s0)> (%i)[%at]
      %old = memref.load {source}[%row] : {BUFFER}
      %part = arith.shrsi %old, %half : i16
      %value = arith.addi %part, %c{number} : i16
      {" ".join(stores)}
    }}"""


@example((0, SIZE, 0, SIZE + 1), [Step(1, (3,)), Step(3, (0,))], 0)  # each iteration reads what the one before stored
@given(STARTS, st.lists(STEPS, min_size=1, max_size=3), st.integers(0, 3))
def test_fusion_keeps_results(starts: tuple[int, ...], steps: list[Step], result: int) -> None:
    ctx = context()
    module = Parser(ctx, program(starts, steps, result)).parse_module()
    module.verify()
    fused = module.clone()
    FuseLoopsPass().apply(ctx, fused)
    fused.verify()
    for each in (module, fused):
        ExpandNestsPass().apply(ctx, each)
    [before], [after] = (memory.run(each, INPUT) for each in (module, fused))
    np.testing.assert_array_equal(after, before)

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

BUFFERS = 5
BUFFER, ARENA = f"memref<{SIZE}xi16>", f"memref<{6 * SIZE}xi8>"
INPUT = np.arange(10, 10 + SIZE).astype(np.int16)


class Step(NamedTuple):
    """A nest over rows.

    load: the number of the buffer that it loads; None for the input.
    stores: the numbers of the buffers that it stores.
    rows: the number of rows, from the first one; 0 for all rows of all pixels.
    down: true if it starts with the last row.
    """

    load: int | None
    stores: tuple[int, ...]
    rows: int = ROWS
    down: bool = False

    def nest(self, number: int) -> str:
        """The nest, which stores half of each element plus a constant that depends on `number`."""
        source = "%x" if self.load is None else f"%b{self.load}"
        stores = [f"memref.store %value, %b{target}[%row] : {BUFFER}" for target in self.stores]
        rows = self.rows or SIZE
        row = f"{rows - 1} - d0" if self.down else "d0"
        return f"""%c{number} = arith.constant {100 * number} : i16
          num.nest %i to {rows} {{
            %row = affine.apply affine_map<(d0)[s0] -> ({row} + s0)> (%i)[{"%at" if self.rows else "%zero"}]
            %old = memref.load {source}[%row] : {BUFFER}
            %part = arith.shrsi %old, %half : i16
            %value = arith.addi %part, %c{number} : i16
            {" ".join(stores)}
          }}"""


FIRST = Step(None, (0, 1))
"""The first nest in the loop over pixels."""

_OTHERS = st.integers(2, BUFFERS - 1)
_STORES = st.lists(_OTHERS, min_size=1, max_size=2).map(tuple)
_DOWN = st.sampled_from((False, False, True))
STEPS = st.builds(Step, st.integers(0, BUFFERS - 1), _STORES, st.sampled_from((ROWS, ROWS, ROWS, ROWS - 1)), _DOWN)
WHOLE = st.builds(Step, st.integers(0, BUFFERS - 1), _STORES, st.just(0), _DOWN)
SECOND = st.sampled_from((0, 0, 2, 3, 4)).map(lambda buffer: Step(1, (buffer,)))
"""The nest after `FIRST`, which is fused with it. If no other nest reads buffer 1, only reads of its bytes from other
buffers make the store of buffer 1 necessary.
"""

STARTS = st.tuples(
    st.just(0), st.sampled_from((0, SIZE)), *[st.sampled_from((0, ROWS, SIZE - 1, SIZE, SIZE + 1, 2 * SIZE))] * 3
)
"""Where the buffers begin in the arena: the same elements, those of another pixel, neighbouring ones or others."""


def program(starts: tuple[int, ...], steps: list[Step], after: list[Step], result: int) -> str:
    """A program of nests, some of them within a loop over pixels.

    starts: the first element of each buffer in the arena.
    steps: the nests in the loop.
    after: the nests after the loop.
    result: the number of the buffer that is returned.
    """
    views = [f"%b{i} = scratch.view %arena[{2 * at}] : {ARENA} to {BUFFER}" for i, at in enumerate(starts)]
    nests = [step.nest(number) for number, step in enumerate((*steps, *after))]
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
    {" ".join(nests[: len(steps)])}
  }}
  {" ".join(nests[len(steps) :])}
  func.return %b{result} : {BUFFER}
}}"""


# Each iteration reads what the one before stored.
@example((0, SIZE, 0, SIZE + 1, 0), [], Step(1, (3,)), [Step(3, (0,))], [], 0)
# Buffer 3 keeps the last element that the first nest stores in buffer 1 for each pixel, except for the last pixel.
@example((0, SIZE, 0, SIZE + 1, 0), [], Step(1, (0,)), [Step(0, (3,))], [], 3)
# The last nest overwrites only some of the rows that the first nest stores.
@example((0, SIZE, SIZE, 0, 0), [], Step(1, (0,)), [Step(0, (2,), ROWS - 1)], [], 2)
# The next iteration of the loop reads buffer 4 before the nest after the loop overwrites it.
@example((0, SIZE, 2 * SIZE, 0, ROWS), [Step(4, (2,))], Step(1, (0,)), [], [Step(0, (4,), 0)], 2)
@given(STARTS, st.lists(STEPS, max_size=1), SECOND, st.lists(STEPS, max_size=2), st.lists(WHOLE, max_size=1), _OTHERS)
def test_fusion_keeps_results(
    starts: tuple[int, ...], before: list[Step], second: Step, more: list[Step], after: list[Step], result: int
) -> None:
    ctx = context()
    module = Parser(ctx, program(starts, [*before, FIRST, second, *more], after, result)).parse_module()
    module.verify()
    fused = module.clone()
    FuseLoopsPass().apply(ctx, fused)
    fused.verify()
    for each in (module, fused):
        ExpandNestsPass().apply(ctx, each)
    [expected], [actual] = (memory.run(each, INPUT) for each in (module, fused))
    np.testing.assert_array_equal(actual, expected)

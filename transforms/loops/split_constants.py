"""`split-constants`: splits arrays by rows if they are too large for the target's C compiler (L3).

On AVR, where int has 16 bits, an array must be smaller than 32 KB. A loop over the rows of a larger array becomes
several loops, each over a separate array.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import scratch
from tinyml.targets.registry import HOST, chip_of
from tinyml.transforms.ir.levels import LOOPS
from tinyml.transforms.ir.split_arrays import split


@dataclass(frozen=True)
class SplitConstantsPass(ModulePass):
    """Split each constant that is too large for the C compiler into several constants of whole rows.

    A constant is split only if all its readers are in loops over its rows that start at the first row. All parts
    except the last have the same number of rows. Constants that remain too large are unchanged, for example streams
    of sparse rows, whose positions are computed. The printer of C rejects such constants.

    target: as for `select-kernels`.

    Raises `InputError` for an unknown target.
    """

    name = "split-constants"
    takes = LOOPS
    target: str = HOST

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if (limit := chip_of(self.target).object_bytes) is None:
            return
        for constant in [each for each in op.walk() if isinstance(each, scratch.ConstantOp)]:
            if scratch.bytes_of(constant.result) > limit:
                split(constant, limit)

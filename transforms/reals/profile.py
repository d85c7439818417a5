"""`profile`: the values that every tensor takes on a validation set, as attributes.

The ranges are those of Shiftry 6.1 (algorithm 10, procedure Profile): one per variable, over all samples and, in
loops, over all iterations. Percentiles stand beside the extremes, so that outliers can be seen.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.transforms.reals.analysis.profiles import record_profiles


@dataclass(frozen=True)
class ProfilePass(ModulePass):
    """Runs the float program on the inputs of a data set and records `tdsl.profile` on every op with tensors.

    An op carries one profile for each result (unit where a result is no tensor); that of a loop also covers its
    iter_args. The function's argument has its own, with the share of its numbers that are zero.

    data: .npz file with inputs `x`. Raises `InputError` for a data file that does not fit, and for a program that gives
    infinity or NaN on the data.
    """

    name = "profile"
    data: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from tinyml.runtime.model.program_data import load_program_data

        record_profiles(op, load_program_data(op, self.data).x)

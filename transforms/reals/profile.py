"""`profile`: records statistics of the values of every tensor on a validation set as attributes (L0).

As in Shiftry 6.1 (algorithm 10, procedure Profile), each variable has one range, over all samples and all iterations of
loops. Percentiles are recorded in addition to the extremes, to show outliers.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.runtime.model.program_data import load_program_data
from tinyml.transforms.reals.analysis.profiles import record_profiles


@dataclass(frozen=True)
class ProfilePass(ModulePass):
    """Run the program in floating point on the inputs of a data set, and set `tdsl.profile` on every op with tensors.

    An op has one profile for each result, and a unit attribute for a result that is not a tensor. The profile of a loop
    also covers its iter_args. The function's argument has a separate profile, which includes the fraction of zeros.

    data: .npz file with inputs `x`.

    Raises `InputError` for a data file that does not match the program, and for a program that computes infinity or NaN
    on the data.
    """

    name = "profile"
    data: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        record_profiles(op, load_program_data(op, self.data).x)
